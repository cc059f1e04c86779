// Programs in each language against a service, with events that are good, stale and forged.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { emptyDatabase } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { type Listening, listen } from '../support/listen.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { OLD_SECRET, type Received, Receiver, SECRET } from '../support/receiver.js'
import { TRIAL_PLANS } from '../support/setting-files.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createWorld, type World } from '../support/world.js'

const OTHER_SECRET = `whsec_${'C'.repeat(42)}A=`
const root = path.resolve(import.meta.dirname, '../..')
const programs = path.join(import.meta.dirname, 'languages')
const PYTHONPATH = path.join(root, 'clients/python')

const LANGUAGES = [
  { language: 'php', tools: ['php-cli', 'php-curl'], command: ['php', path.join(programs, 'run.php')] },
  { language: 'python', tools: ['python3'], command: ['python3', path.join(programs, 'run.py')] },
  { language: 'go', tools: ['golang-go'], command: ['./run'] },
] as const

const folder = temporaryFolder()
let world: World
let receiver: Receiver
let event: Received
let answering: Listening
beforeAll(async () => {
  answering = await listen(createServer(answerByKey))
  receiver = await Receiver.start()
  world = await createWorld(await emptyDatabase('pglite'), {
    // The programs read the machine's clock.
    clock: movableClock(Date.now()),
    env: { ...receiver.variables, PLANS_FILE: TRIAL_PLANS, EVENTS_SECRETS: `${SECRET},${OLD_SECRET}` },
  })
  await world.as('user-é 1').buy()
  await world.advance(0)
  await drainDeliveries(world.service.parts)
  const [first] = receiver.received
  if (!first) throw new Error('no event was sent')
  event = first
})
afterAll(async () => {
  await world.stop()
  await receiver.goDown()
  await answering[Symbol.asyncDispose]()
})

/** Answers as the key says: by a status, or in a way that no status says. */
const answerByKey: RequestListener = ({ headers, socket }, response) => {
  const [, wanted = ''] = headers.authorization?.split('Bearer ') ?? []
  const drip = () => {
    const drops = setInterval(() => socket.write('1'), 50)
    socket.on('error', () => undefined).on('close', () => clearInterval(drops))
  }
  if (wanted === 'nothing') return
  if (wanted === 'a page') response.end('<!doctype html><title>Sign in</title>')
  else if (wanted === 'too deep') response.end('['.repeat(200_000))
  else if (wanted === 'wait forever') response.writeHead(503, { 'retry-after': '9'.repeat(6_000) }).end()
  else if (wanted === 'cut off')
    response.writeHead(200, { 'content-length': 99 }).write('{"allowed": true', () => response.destroy())
  else if (wanted === 'a header without end') socket.write('HTTP/1.1 200 OK\r\nx-drops: ', drip)
  else if (wanted === 'a body without end')
    response.writeHead(200, { 'content-length': 9999 }).write('{"allowed": 1', drip)
  else response.writeHead(Number(wanted)).end('{"code":"of_the_test"}')
}

async function buildGo(): Promise<void> {
  await copyFile(path.join(root, 'clients/go/ishtirak.go'), path.join(folder, 'ishtirak.go'))
  await copyFile(path.join(programs, 'run.go'), path.join(folder, 'run.go'))
  const { PATH = '' } = process.env
  const env = { PATH, GO111MODULE: 'off', GOFLAGS: '', GOCACHE: path.join(folder, 'cache') }
  await promisify(execFile)('go', ['build', 'run.go', 'ishtirak.go'], { cwd: folder, env })
}

describe.each(LANGUAGES)('$language', ({ language, tools, command }) => {
  const begin = () => {
    const { PATH = '' } = process.env
    const [program = '', ...args] = command
    const child = spawn(program, args, { cwd: folder, env: { PATH, PYTHONPATH }, stdio: 'pipe' })
    const errors: string[] = []
    child.stderr.on('data', (chunk: Buffer) => void errors.push(chunk.toString()))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const ended = once(child, 'close')
    return {
      ask: async (args: readonly string[], input: object | null = null): Promise<string> => {
        const [name, ...rest] = args
        child.stdin.write(`${JSON.stringify({ command: name, arguments: rest, input })}\n`)
        const { value } = await lines.next()
        if (value === undefined) throw new Error(`the program ended:\n${errors.join('')}`)
        return JSON.parse(value)
      },
      end: async () => {
        child.stdin.end()
        await ended
      },
    }
  }
  let program: ReturnType<typeof begin>
  const run = (args: readonly string[], input?: object) => program.ask(args, input)
  const runAlone = async (args: readonly string[]) => {
    const one = begin()
    return one.ask(args).finally(one.end)
  }
  /** As the program sees it, `laterSeconds` after it was sent. */
  const verify = (of: Partial<Received>, secrets: readonly string[] = [SECRET], laterSeconds = 1) => {
    const { headers, raw: body } = { ...event, ...of }
    const now = Number(event.headers['webhook-timestamp']) + laterSeconds
    return run(['verify', String(now), ...secrets], { headers, body })
  }

  beforeAll(async () => {
    for (const tool of tools) requireTool(tool)
    if (language === 'go') await buildGo()
    program = begin()
  })
  afterAll(() => program.end())

  it('asks whether a user may, once for each operation, and opens the portal', async () => {
    const user = `${language} é/1`
    const consume = async (operation: string) =>
      JSON.parse(await run(['consume', world.url, PLATFORM_KEY, user, 'deploys_per_day', operation]))
    expect(await consume('deploy-1')).toMatchObject({ allowed: true, limit: 10, used: 1 })
    expect(await consume('deploy-1')).toMatchObject({ allowed: true, used: 1 })
    const place = `/api/v1/platform/users/${encodeURIComponent(user)}/limits/deploys_per_day/consume`
    const body = { operation_id: 'deploy-2', amount: 9 }
    const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
    expect((await world.call('POST', place, { body, headers })).body).toMatchObject({ allowed: true })
    expect(await consume('deploy-11')).toMatchObject({ allowed: false, used: 10, remaining: 0 })

    const link = JSON.parse(await run(['openPortal', world.url, PLATFORM_KEY, user]))
    expect(link).toEqual({
      url: expect.stringMatching(`^${world.url}/portal/`),
      expires_at: expect.any(String),
    })
    expect((await fetch(link.url, { redirect: 'manual' })).status).toBeLessThan(400)
  })

  it('takes a wrong key or call for an error of configuration, which no outage is', async () => {
    const consume = (key: string, limit: string) =>
      run(['consume', world.url, key, 'user-1', limit, 'deploy-1'])
    expect(await consume('a wrong key', 'deploys_per_day')).toMatch(/^misconfigured: .*401/)
    expect(await consume(PLATFORM_KEY, 'no_such_limit')).toMatch(/^misconfigured: .*404/)
    expect(await run(['consume', answering.url, '403', 'u', 'l', 'o'])).toMatch(/^misconfigured: .*403/)
  })

  it('takes no answer, one without an end and one that reports trouble for an outage', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`
    expect(await run(['consume', nowhere, PLATFORM_KEY, 'u', 'l', 'o'])).toMatch(/^unavailable: /)
    const broken = ['a page', 'too deep', 'wait forever', 'cut off', 'nothing']
    const endless = ['a header without end', 'a body without end']
    const answers = ['408', '429', '500', '503', ...broken, ...endless]
    const ask = (answer: string) => runAlone(['consume', answering.url, answer, 'u', 'l', 'o'])
    const said = await Promise.all(answers.map(async (answer) => [answer, await ask(answer)]))
    expect(said).toEqual(answers.map((answer) => [answer, expect.stringMatching(/^unavailable: /)]))
  })

  it('accepts an event under each of its secrets, among others too, if of these minutes', async () => {
    for (const secrets of [[SECRET], [OLD_SECRET], [OTHER_SECRET, OLD_SECRET]])
      expect(JSON.parse(await verify({}, secrets))).toMatchObject({
        type: 'payment.paid',
        data: { user_id: 'user-é 1' },
      })
    const { 'webhook-id': id, ...others } = event.headers
    expect(await verify({ headers: { ...others, 'Webhook-Id': id } })).toContain('payment.paid')
    for (const later of [300, -300]) expect(await verify({}, [SECRET], later)).toContain('payment.paid')
    for (const later of [301, -301])
      expect(await verify({}, [SECRET], later)).toBe('invalid: not of these five minutes')
  })

  it('refuses what is forged, or not signed', async () => {
    const { headers, raw } = event
    const sentAt = Number(headers['webhook-timestamp'])
    const otherVersion = String(headers['webhook-signature']).replaceAll('v1,', 'v2,')
    const forgeries: Partial<Received>[] = [
      { raw: raw.replace('2000', '2001') },
      ...[
        { 'webhook-id': 'evt_other' },
        { 'webhook-timestamp': `${sentAt + 9}` },
        { 'webhook-signature': otherVersion },
        { 'webhook-signature': '' },
      ].map((forged) => ({ headers: { ...headers, ...forged } })),
    ]
    expect(raw).toContain('2000')
    for (const forged of forgeries)
      expect([forged, await verify(forged)]).toEqual([forged, 'invalid: not signed with a known secret'])
    expect(await verify({}, [OTHER_SECRET])).toBe('invalid: not signed with a known secret')
    expect(await verify({ headers: {} })).toMatch(/^invalid: /)
  })

  // The file for Go has neither.
  if (language === 'go') return

  it('refuses a key, an address and a secret that cannot be one, and shows no key', async () => {
    const consume = (url: string, key: string) => run(['consume', url, key, 'u', 'l', 'o'])
    for (const key of ['', 'secret\n', 'secret\r\nX-Other: 1', 'clé'])
      expect(await consume(answering.url, key)).toMatch(
        /^misconfigured: api_?key is one of PLATFORM_API_KEYS, in ASCII on one line$/i,
      )
    const host = '127.0.0.1'
    for (const url of [host, `ftp://${host}`, `http://a:b@${host}`, `http://${host}/\n`, `http://${host}?a`])
      expect([url, await consume(url, 'key')]).toEqual([
        url,
        expect.stringMatching(/^misconfigured: url is the address/),
      ])
    for (const secret of ['whsec_', 'whsec_a', 'whsec_é', 'secret'])
      expect(await verify({}, [secret])).toBe(
        'misconfigured: a secret of the events is whsec_ followed by base64',
      )
  })

  it('sells a month', async () => {
    const call = (method: string, ...args: readonly string[]) =>
      run([method, world.url, PLATFORM_KEY, ...args])
    const user = `${language} é/3`
    const payment = JSON.parse(await call('upgrade', user, 'pro'))
    expect(payment).toMatchObject({ checkout_url: expect.stringMatching(/^http/) })
    expect(JSON.parse(await call('upgrade', user, 'pro'))).toEqual(payment)
    expect(await call('upgrade', user, 'none')).toBe('refused: unknown_plan')
    expect(JSON.parse(await call('user', 'user-é 1'))).toMatchObject({ user_id: 'user-é 1', plan: 'pro' })
    // A click by accident buys nothing ahead.
    expect(await call('upgrade', 'user-é 1', 'pro')).toBe('refused: already_subscribed')
  })

  it('starts a trial, once', async () => {
    const start = () => run(['startTrial', world.url, PLATFORM_KEY, `${language} é/5`, 'pro'])
    expect(JSON.parse(await start())).toMatchObject({ plan: 'pro', status: 'active', payment_method: null })
    expect(await start()).toBe('refused: conflict')
  })

  it('asks, sends a file, and gets one, a list or what a person may', async () => {
    const call = async (method: string, ...args: readonly unknown[]) =>
      run([method, world.url, PLATFORM_KEY, ...(args as string[])])
    const { data } = JSON.parse(await call('payments', 'user-é 1', { status: 'paid' }))
    const [{ id }] = data
    const noted = await call('setMetadata', 'user-é 1', id, { order: 'A-1' })
    expect(JSON.parse(noted)).toMatchObject({ id, metadata: { order: 'A-1' } })
    expect(JSON.parse(await call('receipt', 'user-é 1', id, { lang: 'fr' }))).toBe('%PDF-')
    expect(JSON.parse(await call('documentsOf', 'user-é 1', id))).toMatchObject([{ kind: 'receipt' }])
    expect(JSON.parse(await call('offers'))[0]).toMatchObject({ plan: 'pro' })
    expect(await call('uploadProof', 'user-é 1', id, 'no picture')).toBe('refused: conflict')
    const profile = { email: 'a@b.dz', name: 'Amina' }
    expect(JSON.parse(await call('updateUser', 'u-2', profile))).toMatchObject(profile)
    expect(JSON.parse(await call('updateUser', 'u-2', { name: null }))).toMatchObject({
      ...profile,
      name: null,
    })
    expect(await call('as reader', 'upgrade', 'u-2', 'pro')).toBe('refused: forbidden')
  })

  it('reads the lists of all users, payments and events', async () => {
    const list = (name: string, ...args: readonly unknown[]) =>
      run([name, world.url, PLATFORM_KEY, ...(args as string[])])
    for (const name of ['listUsers', 'listPayments', 'listEvents'])
      expect(JSON.parse(await list(name, { limit: 1 })).data).toHaveLength(1)
    const { data, next_cursor } = JSON.parse(await list('listUsers', 'active', 'pro', '2026-01-01'))
    expect([JSON.stringify(data), next_cursor]).toEqual([expect.stringContaining('user-é 1'), null])
    expect(JSON.parse(await list('listPayments', 'paid')).data).toMatchObject([{ user_id: 'user-é 1' }])
    const events = JSON.parse(await list('listEvents'))
    expect(events.data).toContainEqual({ id: event.id, ...JSON.parse(event.raw) })
    expect(JSON.parse(await list('listEvents', events.next_cursor)).data).toEqual([])
    expect(await list('listEvents', 'x')).toBe('refused: invalid_cursor')
    expect(await run(['listEvents', answering.url, '410'])).toBe('refused: of_the_test')
  })

  it('gives back what was consumed, and knows a conflict', async () => {
    const call = (method: string, limit: string) =>
      run([method, world.url, PLATFORM_KEY, `${language} é/4`, limit, 'project-1'])
    expect(JSON.parse(await call('consume', 'projects'))).toMatchObject({ allowed: true, used: 1 })
    expect(await call('consume', 'deploys_per_day')).toBe('refused: conflict')
    expect(JSON.parse(await call('release', 'projects'))).toMatchObject({ allowed: true, used: 0 })
  })
})
