// The operator's commands beside a running service, and on the database of a stopped one: as processes where
// files, streams and the way they end are looked at, and where only their words are, one after the other in
// one process.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { freePort } from '../support/free-port.js'
import {
  buildOnce,
  type CommandHost,
  hostCommands,
  PROGRAM,
  runCommand,
  type ServiceProcess,
  startService,
} from '../support/process.js'
import { png } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { CHARGILY_KEY, checkoutIdOf, tokenOf } from '../support/world.js'

const KEY = 'a-key-of-the-operator-0123'
const SECRET = 'a secret of the tests that is longer than 32 bytes'

let folder: string
let env: Record<string, string>
let emulator: Emulator
let service: ServiceProcess
let commands: CommandHost
let paymentId: string

// One purchase for both tests: the first beside the running service, the second after it has stopped.
beforeAll(async () => {
  buildOnce()
  folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  env = {
    PORT: String(await freePort()),
    DATA_DIR: folder,
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: emulator.url,
    AUTH_JWT_SECRET: SECRET,
    OPERATOR_KEYS: `amina:${KEY}`,
    CODE_KEYS: 'a-key-for-the-codes-of-the-tests',
    TRANSFER_FILE,
  }
  commands = hostCommands()
  service = await startService(env)
  paymentId = await buy()
})
afterAll(async () => {
  commands.close()
  await service.kill('SIGKILL')
  await emulator.close()
  await rm(folder, { recursive: true, force: true })
})

async function buy(): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/billing/upgrade`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf({ sub: 'user-1' })}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ plan: 'pro' }),
  })
  const opened: { checkout_url: string; payment_id: string } = await response.json()
  await emulator.pay(checkoutIdOf(opened.checkout_url), 'paid')
  await emulator.settled()
  return opened.payment_id
}

/** What a command says on stderr before it waits for the next round; it is ended there. */
async function firstLine(args: readonly string[], given: Record<string, string>): Promise<string> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH, ...given } })
  try {
    for await (const line of createInterface({ input: child.stderr })) return line
    return 'nothing'
  } finally {
    child.kill('SIGKILL')
  }
}

it('ask the running service with a key, and say what to do without one', async () => {
  const alone = await runCommand(['payments', 'list'], env)
  expect(alone.code).toBe(1)
  expect(alone.output).toContain('is in use by process')
  expect(alone.output).toContain('OPERATOR_KEY and ISHTIRAK_URL')

  const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  const list = await runCommand(['payments', 'list'], beside)
  expect(list.output).toMatch(
    new RegExp(`^ +${paymentId} +user-1 +pro +1 +2000 +DZD +paid +card +edahabia `, 'm'),
  )
  const shown = await runCommand(['payments', 'show', paymentId], beside)
  expect(shown.output).toMatch(/^settled_by +webhook$/m)
  expect(shown.output).toMatch(
    // With the day in Algiers where it is another one: in the last hour of a day in UTC.
    /^reports:\n.*\n.* webhook +paid +2000 +DZD +booked +20\S+ \((20\S+ )?\d\d:\d\d\) +true$/m,
  )
  for (const id of ['', '..']) {
    const none = await runCommand(['payments', 'show', id], beside)
    expect([none.code, none.errors]).toEqual([1, expect.stringContaining(`nothing can have the id '${id}'`)])
  }
  const granted = [
    'users',
    'grant',
    'user-1',
    '--days',
    '14',
    '--operation-id',
    'ticket-1',
    '--why',
    'an outage',
  ]
  const grant = await runCommand(granted, beside)
  expect(grant.output).toMatch(/^ +grt_\w+ +operator +pro +0 +14 /m)
  const end = await runCommand(['users', 'end', 'user-1', '--why', 'a stolen card'], beside)
  expect(end.output).toMatch(/amina +user\.end +- +a stolen card/)
  const accounts = ['export', 'accounts', '--month', '2026-10', '--format', 'excel']
  const excel = await runCommand(accounts, beside)
  expect(excel.output).toMatch(/^\ufefftype;date;/)
  const wrong = await runCommand(['payments', 'list'], {
    ...beside,
    OPERATOR_KEY: 'not-the-key-of-anybody',
  })
  expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining('The operator key is missing, or')])
})

it('say what is not there, what a word may be, and find what a customer names', async () => {
  const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  const refused = async (...args: string[]) => {
    const { code, output, errors } = await commands.run(args, beside)
    expect([code, output]).toEqual([1, errors])
    return errors
  }
  for (const command of ['show', 'recheck'])
    expect(await refused('payments', command, 'pay_nope')).toBe('no payment pay_nope\n')
  for (const command of ['recheck', 'accept', 'refund', 'resend-receipt'])
    expect(await refused('payments', command, 'pay_nope', '--preview')).toBe('no payment pay_nope\n')
  for (const command of ['accept', 'keep', 'refund', 'refuse', 'resend-receipt'])
    expect(await refused('payments', command, 'pay_nope', '--why', 'x')).toBe('no payment pay_nope\n')
  const proof = ['payments', 'proof', 'pay_nope', '--out', path.join(folder, 'none.png')]
  expect(await refused(...proof)).toBe('no payment pay_nope\n')
  expect(await refused('users', 'end', 'nope', '--why', 'fraud')).toBe('no user nope\n')
  expect(await refused('users', 'timeline', 'nope@example.dz')).toBe('no user nope@example.dz\n')
  expect(await refused('codes', 'show', 'nope')).toBe('no batch of codes nope\n')
  expect(await refused('events', 'resend', 'nope')).toBe('no event nope\n')
  expect(await refused('events', 'skip', 'nope', '--why', 'x')).toBe('no event nope\n')
  expect(await refused('operators', 'revoke', 'nope', '--why', 'x')).toBe('no session nope\n')
  expect(await refused('find', 'nope')).toBe('nothing is known as nope\n')
  expect(await refused('payments', 'list', '--status', 'payed')).toMatch(/Allowed choices are .*paid, failed/)
  expect(await refused('export', 'accounts', '--month', '2026-13')).toContain('A month such as 2026-11')
  expect(await refused('journal', '2026-13')).toBe('A month such as 2026-11, at least 1970-01\n')
  expect(await refused('reconcile', '--since', '2026-02-30')).toMatch(
    /--since .* A day such as 2026-11-01, or/,
  )
  expect(await refused('payments', 'refund', paymentId, '--why', ' ')).toContain(
    '/why: The value has the wrong form',
  )
  const taken = ['payments', 'record', 'amina', '--plan', 'pro', '--method', 'cash']
  const slip = [...taken, '--reference', '2026/0042 b', '--why', 'paid at the desk', '--amount']
  expect(await refused(...slip, '2020')).toBe(
    'no user amina: correct the user, or add --new-user where the service has not seen them yet\n',
  )
  expect(await refused(...slip, '2019.5', '--new-user')).toMatch(
    /price: 2000\n[\s\S]*stamp_duty: 20\n[\s\S]*amount: 2020/,
  )
  expect((await commands.run([...slip, '2020', '--new-user'], beside)).output).toMatch(
    /stamp_duty +20\n[\s\S]*payment\.record/,
  )
  expect(await refused(...taken, '--reference', '2026/0042 B', '--preview')).toMatch(
    /^conflict: [\s\S]*\nthe reference is that of a payment: ishtirak payments show pay_\w+\n$/,
  )
  const bounds = async (...args: string[]) => /invalid\. (.*)/.exec(await refused(...args))?.[1]
  expect(await bounds('payments', 'list', '--limit', '0')).toBe('A whole number, at least 1, at most 1000')
  expect(await bounds('users', 'timeline', 'amina', '--limit', '101')).toMatch(/at least 1, at most 100$/)
  expect(await bounds('users', 'grant', 'amina', '--days', '367')).toMatch(/at least 1, at most 366$/)
  expect(await bounds('codes', 'create', '--months', '37')).toMatch(/at least 1, at most 36$/)
  expect(await bounds('codes', 'create', '--percent', '101')).toMatch(/at least 1, at most 100$/)
  expect(await bounds('payments', 'record', '--months', '0')).toMatch(/at least 1, at most 36$/)
  expect(await bounds('payments', 'record', '--amount', '0')).toMatch(
    /A number, at least 0.01, at most 1000000000$/,
  )
  expect(await bounds('payments', 'approve', 'x', '--amount', '0')).toMatch(/at least 1, at most 2147483647$/)
  expect(await bounds('payments', 'approve', 'x', '--received-at', '1/1/2026')).toMatch(
    /at least 1970-01-01$/,
  )
  expect(await bounds('demo', '--users', '0')).toMatch(/at least 1, at most 5000$/)
  expect(await bounds('token', '--user', 'x', '--days', '0')).toMatch(/at least 1, at most 36500$/)
  const newest = await commands.run(['payments', 'list', '--limit', '1'], beside)
  const next = /^next_cursor +(\S+)$/m.exec(newest.output)?.[1] ?? ''
  const older = await commands.run(['payments', 'list', '--limit', '1', '--cursor', next], beside)
  expect([newest, older].map(({ output }) => output.includes(paymentId))).toEqual([false, true])
  expect(older.output).not.toContain('next_cursor')

  const help = (await commands.run(['codes', 'create', '--help'], beside)).output.replace(/\s+/g, ' ')
  expect(help).toContain('--count <count> Required. How many codes (at least 1, at most 10000)')
  const preview = await commands.run(['payments', 'refund', paymentId, '--preview'], beside)
  expect(preview.output).toMatch(/^events:\n {2}payment\.refunded$/m)

  expect(await refused('paymnets', 'list')).toBe(
    "error: no command is called 'paymnets'; ishtirak --help lists them\n",
  )

  const shown = await commands.run(['payments', 'show', paymentId, '--json'], beside)
  const { receipt } = JSON.parse(shown.output)
  expect((await commands.run(['find', receipt.number], beside)).output).toContain(paymentId)
  expect((await commands.run(['find', '2026/0042', 'b'], beside)).output).toMatch(/ cash +2026\/0042 B /)
  expect((await commands.run(['find', 'user-1'], beside)).output).toMatch(/^ +user-1 /m)
  const events = await commands.run(['events', 'list', '--undelivered'], beside)
  expect(events.output).toMatch(/user-1 +1 .*waiting /m)
  expect(events.output).not.toContain('1970')
})

it('make codes as CSV for the printer, show what is left of a batch, and revoke it', async () => {
  const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  const create = [
    'codes',
    'create',
    '--kind',
    'percent',
    '--percent',
    '20',
    '--count',
    '2',
    '--uses-per-user',
    '1',
  ]
  const made = await commands.run([...create, '--why', 'a fair', '--csv'], beside)
  expect(made.output).toMatch(/^code,batch_id\r\n(([0-9A-Z]{4}-){3}[0-9A-Z]{4},bat_\w+\r\n){2}$/)
  const batch = made.output.trim().split(',').at(-1) ?? ''
  expect((await commands.run(['codes', 'list'], beside)).output).toMatch(
    new RegExp(`^ +${batch} +percent +- +- +20 +- +2 +0 +2 `, 'm'),
  )
  expect((await commands.run(['codes', 'show', batch], beside)).output).toMatch(/^left +2$/m)
  const revoked = await commands.run(['codes', 'revoke', batch, '--why', 'lost'], beside)
  expect(revoked.output).toMatch(/^revoked_by +amina$/m)
  const twice = await commands.run(['codes', 'revoke', batch, '--why', 'lost'], beside)
  expect([twice.code, twice.errors]).toEqual([
    1,
    expect.stringMatching(/^already_revoked: It is revoked already[\s\S]*revoked_at: 20/),
  ])
  const wrong = await commands.run([...create.slice(0, -4), '--count', 'many', '--why', 'a fair'], beside)
  expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining('at least 1, at most 10000')])
})

it('put a proof of a transfer into a new file that only its owner may read', async () => {
  const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  const authorization = `Bearer ${await tokenOf({ sub: 'user-2' })}`
  const asked = await fetch(`${service.url}/api/v1/billing/payments`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'pro', method: 'transfer' }),
  })
  const { id, transfer } = (await asked.json()) as { id: string; transfer: { proof_url: string } }
  const content = png({ extra: 100_000 })
  const address = new URL(new URL(transfer.proof_url).pathname, service.url)
  const sent = await fetch(address, {
    method: 'PUT',
    headers: { authorization },
    body: new Uint8Array(content),
  })
  expect(sent.status).toBe(200)
  const out = path.join(folder, 'slip.png')
  const proof = (...args: string[]) => runCommand(['payments', 'proof', id, ...args, '--out', out], beside)
  expect((await proof()).output).toBe(`${out}: image/png, ${content.length} bytes\n`)
  expect((await readFile(out)).equals(content)).toBe(true)
  expect((await stat(out)).mode & 0o777).toBe(0o600)
  const again = await proof()
  expect([again.code, again.errors]).toEqual([1, `the file exists: ${out}; name another one\n`])
  const { output: trail } = await commands.run(['payments', 'show', id], beside)
  expect(trail.match(/payment\.read_proof/g)).toHaveLength(1)
  await rm(out)
  const none = await proof('--n', '2')
  expect([none.code, none.errors]).toEqual([1, expect.stringContaining('no proof 2 of payment pay_')])
  await expect(stat(out)).rejects.toThrow('ENOENT')
  const listed = await commands.run(['payments', 'list', '--method', 'transfer'], beside)
  expect(listed.output).toMatch(new RegExp(`^ +${id} .* pending +transfer +- `, 'm'))

  const why = ['--why', 'nothing came']
  const refused = await commands.run(['payments', 'refuse', id, ...why], beside)
  expect(refused.output).toMatch(/amina +payment\.refuse +pay_\w+ +nothing came/)
  const said = ['--amount', '2000', '--payment-method', 'ccp', '--why', 'it came after all']
  const approve = (day: string) =>
    commands.run(['payments', 'approve', id, ...said, '--received-at', day], beside)
  const old = await approve('2026-01-01')
  expect([old.code, old.errors]).toEqual([1, expect.stringMatching(/earliest: 20\d\d-.*\n.*latest: 20\d\d-/)])
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Algiers' }).format()
  expect((await approve(today)).output).toMatch(
    /^ +status +paid$[\s\S]*amina +payment\.approve +pay_\w+ +it came/m,
  )
  expect((await commands.run(['payments', 'refuse', id, ...why], beside)).errors).toContain(
    'payment_status: paid',
  )
})

it(
  'know payments and users by what people have at hand, and refuse what several things are ' + 'called',
  async () => {
    const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
    const run = (...args: string[]) => commands.run(args, beside)
    const email = 'leila@example.dz'
    const ask = async (sub: string) => {
      const asked = await fetch(`${service.url}/api/v1/billing/payments`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await tokenOf({ sub, email })}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ plan: 'pro', method: 'transfer' }),
      })
      return (await asked.json()) as { id: string; transfer: { reference: string } }
    }
    const { id, transfer } = await ask('user-3')
    const reference = transfer.reference.toLowerCase().replaceAll('-', ' ')
    for (const name of [id, transfer.reference, reference, email])
      expect([name, (await run('users', 'show', name)).output]).toEqual([
        name,
        expect.stringMatching(/^user_id +user-3$/m),
      ])
    expect((await run('payments', 'show', reference)).output).toContain(id)
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Algiers' }).format()
    const came = ['--amount', '2000', '--payment-method', 'ccp', '--received-at', today, '--why', 'it came']
    const other = await ask('user-4')
    const several = await run('payments', 'approve', email, ...came)
    expect([several.code, several.output]).toEqual([1, several.errors])
    expect(several.errors).toMatch(/^'leila@example\.dz' is the name of 2: say which by its id$/m)
    for (const one of [id, other.id]) expect(several.errors).toMatch(new RegExp(`^ +${one} +user-[34] `, 'm'))
    const shown = await run('users', 'show', email)
    expect([shown.code, shown.errors]).toEqual([1, expect.stringMatching(/^ +user-3 [\s\S]*^ +user-4 /m)])
    const approved = await run('payments', 'approve', transfer.reference, ...came)
    expect(approved.output).toMatch(new RegExp(`amina +payment\\.approve +${id} +it came`))
    // Of the two users with this address one transfer is left to decide.
    const last = await run('payments', 'approve', email, ...came)
    expect(last.output).toMatch(new RegExp(`amina +payment\\.approve +${other.id} +it came`))
    const { receipt } = JSON.parse((await run('payments', 'show', id, '--json')).output)
    expect((await run('payments', 'show', receipt.number)).output).toContain(id)

    const desk = ['payments', 'record', 'user-3', '--plan', 'pro', '--reference', '77', '--why', 'x']
    await run(...desk, '--method', 'cash', '--amount', '2020')
    await run(...desk, '--method', 'cheque', '--amount', '2000')
    const slips = await run('payments', 'refund', '77', '--why', 'x')
    expect([slips.code, slips.errors]).toEqual([1, expect.stringMatching(/^'77' is the name of 2: /)])
    expect(slips.errors).toMatch(/ cash +cash +77 [\s\S]* cheque +cheque +77 /)
  },
)

it('say within a round what the provider does, and where a check fails', async () => {
  const beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  emulator.setFaults({ api_5xx: {} })
  const health = await runCommand(['health'], beside)
  expect([health.code, health.errors]).toEqual([
    1,
    expect.stringMatching(/^provider fails: answers with an error of its own: HTTP 50\d/),
  ])
  // On a folder of its own: the service has its own folder to itself.
  const doctor = await runCommand(['doctor'], { ...env, DATA_DIR: path.join(folder, 'other') })
  expect(doctor.output).toMatch(/\[FAIL\] provider: answers with an error[^\n]*\n +-> nothing is wrong here/)
  expect(doctor.output).not.toContain('may reach')
  const said = await firstLine(['reconcile', '--since', '2026-01-01'], beside)
  expect(said).toMatch(/^the provider fails \(server_error\): HTTP 50\d.*; 0 checkouts so far/)
  emulator.clearFaults()
})

it('open the database of a stopped service, under the given name', async () => {
  await service.kill('SIGTERM')
  const books = await runCommand(['reconcile', '--since', '2026-01-01'], { ...env, ISHTIRAK_URL: '' })
  expect(books.errors).toBe('ISHTIRAK_URL is empty and counts as unset\n')
  expect(books.output).toMatch(/findings +0\n/)
  const refund = ['payments', 'refund', paymentId, '--why', 'asked for it']
  const refunded = await runCommand([...refund, '--as', 'karim'], env)
  expect(refunded.output).toMatch(/karim +payment\.refund +pay_\w+ +asked for it/)
  const again = await runCommand(refund, env)
  expect([again.code, again.errors]).toEqual([
    1,
    expect.stringMatching(/already recorded[\s\S]*refunded_at: 20/),
  ])
  const refused = await runCommand(['payments', 'list', '--as', 'karim; drop table'], env)
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('must be a name')])
  // The name that a command gives is no operator of the environment; those of the environment are known.
  const listed = await runCommand(['operators', 'list', '--as', 'karim'], env)
  expect(listed.output).toMatch(/^ +amina +owner +environment /m)
  expect(listed.output).not.toContain('karim')
  const taken = ['operators', 'create', '--name', 'Amina', '--role', 'viewer', '--why', 'x']
  const { code, errors } = await runCommand([...taken, '--as', 'karim'], env)
  expect([code, errors]).toEqual([1, expect.stringMatching(/source: environment/)])
})
