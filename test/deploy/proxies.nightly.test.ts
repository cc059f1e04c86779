// Behind nginx and Caddy a user stays the same user, and what a client claims of itself is not believed.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { request } from 'node:https'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { BODY_LIMIT_BYTES } from '../../packages/ishtirak/src/http/request.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { launchChromium } from '../support/chromium.js'
import { emptyDatabase } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { anEvent } from '../support/provider-events.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, createWorld, tokenOf, type World } from '../support/world.js'
import { caddyWith, imageOf, makeCertificate, nginxWith, PATH, read, replaced } from './files.js'

const exec = promisify(execFile)
const NAME = 'billing.example.dz'
const QUOTA = 12
const STATUS = '/api/v1/billing/status'
/** docs/operations.md: a request is answered within 5.8 s of its last byte. */
const ANSWERED_SECONDS = 5.8

type Ports = { http: number; https: number; service: number }

type Proxy = (folder: string, ports: Ports) => readonly string[]

const nginx: Proxy = (folder, ports) => {
  requireTool('nginx')
  const site = replaced(read('deploy/nginx.conf'), {
    'listen 80;': `listen 127.0.0.1:${ports.http};`,
    '    listen [::]:80;\n': '',
    'listen 443 ssl': `listen 127.0.0.1:${ports.https} ssl`,
    '    listen [::]:443 ssl http2;\n': '',
    '127.0.0.1:3000': `127.0.0.1:${ports.service}`,
    [`/etc/letsencrypt/live/${NAME}`]: folder,
    '/var/log/nginx/ishtirak.log': `${folder}/access.log`,
  })
  return nginxWith(folder, site)
}

const caddy: Proxy = (folder, ports) => {
  requireTool('caddy')
  const site = replaced(read('deploy/Caddyfile'), {
    [`\n${NAME} {`]: `\n${NAME} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    '127.0.0.1:3000': `127.0.0.1:${ports.service}`,
    '/var/log/caddy/ishtirak.log': `${folder}/access.log`,
  })
  const listens = [`http_port ${ports.http}`, `https_port ${ports.https}`, 'default_bind 127.0.0.1']
  return caddyWith(folder, site, listens)
}

type Answer = { status: number; headers: IncomingHttpHeaders; text: string }

/** Over TLS from an address of the loopback network: each stands for a user of its own. */
function ask(port: number, from: string, target: string, options: Asked = {}): Promise<Answer> {
  const { body, headers } = options
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, localAddress: from, path: target, agent: false },
        ...{ servername: NAME, rejectUnauthorized: false },
        ...{ method: body === undefined ? 'GET' : 'POST', headers: { host: NAME, ...headers } },
      },
      async (response) => {
        const { statusCode: status = 0, headers: received } = response
        resolve({ status, headers: received, text: await text(response) })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

type Asked = { body?: string | Buffer; headers?: Readonly<Record<string, string>> }

/** Until its end, requests to `path` get no answer, and the bytes of their bodies are counted. */
function countInsteadOfAnswering({ service: { app } }: World, path: string) {
  const answering = app.server.listeners('request') as RequestListener[]
  let bytes = 0
  const counting: RequestListener = (incoming, outgoing) => {
    if (incoming.url !== path) return void answering.map((answer) => answer(incoming, outgoing))
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    incoming.on('error', () => undefined)
  }
  app.server.removeAllListeners('request').on('request', counting)
  const end = () => {
    app.server.off('request', counting)
    for (const answer of answering) app.server.on('request', answer)
  }
  return { end, bytes: () => bytes }
}

describe.each([
  ['nginx.conf', nginx],
  ['Caddyfile', caddy],
] as const)('behind %s', (sample, proxy) => {
  const folder = temporaryFolder()
  let ports: Ports
  let world: World
  let child: ChildProcess | undefined
  const get = (from: string, target: string, headers = {}) => ask(ports.https, from, target, { headers })

  beforeAll(async () => {
    world = await createWorld(await emptyDatabase('postgres'), {
      env: {
        PUBLIC_URL: `https://${NAME}`,
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_PER_MINUTE: String(QUOTA),
        TRANSFER_FILE,
      },
      isNew: true,
    })
    // The workers of a proxy that root starts are another user.
    chmodSync(folder, 0o755)
    makeCertificate(folder, NAME)
    ports = { http: await freePort(), https: await freePort(), service: Number(new URL(world.url).port) }
    const [program = '', ...parameters] = proxy(folder, ports)
    // Caddy keeps state in its home.
    const env = { PATH, HOME: folder }
    const started = spawn(program, parameters, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let said = ''
    started.stderr.on('data', (chunk: Buffer) => {
      said += chunk
    })
    const isUp = async () => (await get('127.0.0.9', '/healthz')).status === 200
    await waitFor(
      () => started.exitCode !== null || isUp().catch(() => false),
      () => said,
    )
    if (started.exitCode !== null) throw new Error(said)
  })
  afterAll(async () => {
    child?.kill('SIGTERM')
    if (child?.exitCode === null) await once(child, 'exit')
    await world.stop()
  })

  it('http leads to https, which is to be used from then on, also after a refusal', async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${ports.http}/portal?lang=fr`, {
      redirect: 'manual',
      headers: { host: NAME },
    })
    expect([301, 308]).toContain(status)
    expect(headers.get('location')).toMatch(/^https:\/\/.+\/portal\?lang=fr$/)
    const answers = [await get('127.0.0.2', '/healthz'), await get('127.0.0.2', '/nothing')]
    expect(answers.map((answer) => [answer.status, answer.headers['strict-transport-security']])).toEqual([
      [200, 'max-age=31536000'],
      [404, 'max-age=31536000'],
    ])
  })

  it('a user is counted by their own address, whatever they claim it to be', async () => {
    const claims = Array.from({ length: QUOTA + 1 }, (_, index) => ({
      'x-forwarded-for': `198.51.100.${index}`,
      forwarded: `for=198.51.100.${index}`,
      'x-real-ip': `198.51.100.${index}`,
    }))
    const statuses: number[] = []
    for (const claim of claims) statuses.push((await get('127.0.0.3', STATUS, claim)).status)
    expect(statuses).toEqual([...Array(QUOTA).fill(401), 429])
    expect((await get('127.0.0.4', STATUS)).status).toBe(401)
  })

  it('the portal opens with a cookie for this host only, and the log holds no token', async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
    const opened = await ask(ports.https, '127.0.0.5', '/api/v1/billing/portal-sessions', {
      body: '{}',
      headers: { authorization, 'content-type': 'application/json' },
    })
    const { origin, pathname, search } = new URL(JSON.parse(opened.text).url)
    expect(origin).toBe(`https://${NAME}`)
    const entered = await get('127.0.0.5', pathname + search)
    const [cookie = ''] = entered.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^__Host-ishtirak=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const [session = ''] = cookie.split(';')
    const page = await get('127.0.0.5', '/portal', { cookie: session })
    expect(page.status).toBe(200)
    expect(page.text.includes('action="/portal/leave"')).toBe(true)
    const log = () => readFileSync(path.join(folder, 'access.log'), 'utf8')
    await waitFor(() => (log().match(/\/portal\b/g)?.length ?? 0) >= 2)
    const secrets = [search.replace('?token=', ''), session.replace('__Host-ishtirak=', '')]
    expect(secrets.filter((secret) => log().includes(secret))).toEqual([])
  })

  it('a webhook arrives byte for byte', async () => {
    const { paymentId, checkoutId } = await world.as('user-2').upgrade()
    // Spaces, an escape and letters of two bytes: reading and writing it again breaks the signature.
    const body = ` ${anEvent(world, checkoutId, 'paid').replace('{', '{ "note" : "\\u0061é" ,')}\n`
    const signature = createHmac('sha256', CHARGILY_KEY).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', signature }
    const post = (sent: string) =>
      ask(ports.https, '127.0.0.6', '/api/v1/billing/webhook', { body: sent, headers })
    expect((await post(body.replace('note', 'nota'))).status).toBe(401)
    expect((await post(body)).status).toBe(200)
    const { body: payments } = await world.as('user-2').get('/api/v1/billing/payments')
    expect(payments.data ?? payments).toEqual([expect.objectContaining({ id: paymentId, status: 'paid' })])
  })

  it('the service refuses a body that is too large for it, the proxy one that is far too large', async () => {
    const post = (bytes: number) =>
      ask(ports.https, '127.0.0.7', '/api/v1/billing/webhook', { body: Buffer.alloc(bytes, 32) })
    const tooLarge = await post(BODY_LIMIT_BYTES + 1)
    expect(tooLarge.status).toBe(413)
    expect(tooLarge.headers['content-type']).toContain('application/problem+json')
    // The service would refuse it by its length, perhaps before the proxy does: it only counts.
    const counted = countInsteadOfAnswering(world, '/api/v1/billing/webhook')
    const farTooLarge = await post(4 * BODY_LIMIT_BYTES).finally(counted.end)
    // Caddy up to 2.6 says 502 where a later one says 413.
    expect([413, 502]).toContain(farTooLarge.status)
    expect(counted.bytes()).toBeLessThanOrEqual(2 * BODY_LIMIT_BYTES)
  })

  describe('a file of a transfer', () => {
    let browser: Browser
    beforeAll(async () => {
      requireTool('curl')
      // The browser uses the name of PUBLIC_URL and HTTP/2, as a user's does.
      browser = await launchChromium(`--host-resolver-rules=MAP ${NAME} 127.0.0.1:${ports.https}`)
    })
    afterAll(() => browser.close())

    async function openTransfer(userId: string) {
      const { body } = await world
        .as(userId)
        .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
      const file = `/payments/${body.id}/proof`
      const user = `/api/v1/platform/users/${encodeURIComponent(userId)}`
      return [
        { address: `/api/v1/billing${file}`, bearer: await tokenOf({ sub: userId }) },
        { address: user + file, bearer: PLATFORM_KEY },
      ]
    }

    /** Over HTTP/1.1: Caddy resets a refused stream of HTTP/2, and curl 7.88 then gives up its body. */
    async function put({ address, bearer }: { address: string; bearer: string }, file: string) {
      const { stdout } = await exec('curl', [
        ...['--silent', '--insecure', '--http1.1', '--resolve', `${NAME}:${ports.https}:127.0.0.1`],
        ...['--header', `authorization: Bearer ${bearer}`, '--upload-file', file],
        ...['--write-out', '\n%{http_code} %{content_type}', `https://${NAME}:${ports.https}${address}`],
      ])
      const [body = '', answer = ''] = stdout.split(/\n(?=.*$)/)
      return { answer: answer.replace(/;.*/, ''), problem: JSON.parse(body) }
    }

    async function submit(userId: string, file: string) {
      const context = await browser.newContext({
        locale: 'fr',
        ignoreHTTPSErrors: true,
        javaScriptEnabled: false,
      })
      const page = await context.newPage()
      await page.goto((await world.as(userId).post('/api/v1/billing/portal-sessions', {})).body.url)
      await page.setInputFiles('input[type="file"]', file)
      // The form is answered by a redirect, unless the proxy refuses it.
      const statuses: number[] = []
      page.on('response', (response) => {
        if (response.request().isNavigationRequest()) statuses.push(response.status())
      })
      const followed = page.waitForEvent('load')
      await page.click('form[enctype] button')
      await followed
      const seen = {
        statuses,
        text: (await page.textContent('body')) ?? '',
        way: page.locator('a[href="/portal"]'),
      }
      return { ...seen, close: () => context.close() }
    }

    it('of 8 MiB passes, from the user, from the platform and from a form', async () => {
      const file = imageOf(folder, 8)
      for (const caller of await openTransfer('team/sender 1'))
        expect((await put(caller, file)).answer).toBe('200 application/json')
      await openTransfer('sender-2')
      const { statuses, close } = await submit('sender-2', file)
      expect(statuses).toEqual([303, 200])
      await close()
    })

    it.each([
      ['the service', 9, [303, 413]],
      ['the proxy', 20, [413]],
    ])('that is too large is refused by %s in words of the user', async (_who, mib, refused) => {
      const userId = `sender-${mib}`
      for (const caller of await openTransfer(userId)) {
        const { answer, problem } = await put(caller, imageOf(folder, mib))
        expect([answer, problem.code]).toEqual(['413 application/problem+json', 'payload_too_large'])
      }
      const { statuses, text: words, way, close } = await submit(userId, imageOf(folder, mib))
      expect([statuses, words.replaceAll('\u00a0', ' ')]).toEqual([
        refused,
        expect.stringContaining(sayIn('fr')('proof_too_large').replaceAll('\u00a0', ' ')),
      ])
      await way.first().click()
      await close()
    })
  })

  it.each(['/api/v1/billing', '/api/v1/platform/users/user-1'])(
    'a file is passed on as it comes: the service refuses an unknown sender before they have sent it, to %s',
    async (api) => {
      const target = `${api}/payments/pay_1/proof`
      const outgoing = request({
        ...{ host: '127.0.0.1', port: ports.https, path: target, agent: false, method: 'PUT' },
        ...{ servername: NAME, rejectUnauthorized: false },
        headers: { host: NAME, 'content-length': 8 * 1024 * 1024 },
      })
      outgoing.write('the first bytes of 8 MiB')
      const [{ statusCode }] = await once(outgoing, 'response')
      outgoing.on('error', () => undefined).destroy()
      expect(statusCode).toBe(401)
    },
  )

  it('the proxy closes an idle connection first, and waits longer for an answer', () => {
    const config = read(`deploy/${sample}`)
    const seconds = (pattern: RegExp) => Number(pattern.exec(config)?.[1])
    expect(seconds(/keepalive(?:_timeout)? (\d+)s/) * 1_000).toBeLessThan(
      world.service.app.server.keepAliveTimeout,
    )
    expect(seconds(/(?:proxy_read|response_header)_timeout (\d+)s/)).toBeGreaterThan(ANSWERED_SECONDS)
  })
})
