// The router as HAProxy runs it, before servers that say which cell they are: each kind of request reaches
// the cell of its user.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { freePort } from '../../../../test/support/free-port.js'
import { type Listening, listen } from '../../../../test/support/listen.js'
import { OPERATOR_ENV } from '../../../../test/support/operator.js'
import { WITH_PLATFORM } from '../../../../test/support/platform.js'
import { type Router, startRouter, writeRouterFiles } from '../../../../test/support/router.js'
import { requireTool } from '../../../../test/support/system-tools.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { waitFor } from '../../../../test/support/wait-for.js'
import { createWorld } from '../../../../test/support/world.js'
import { isUserId } from '../core/user-id.js'
import { markOf, PARTS, partOf } from '../runtime/cells.js'

beforeAll(() => {
  requireTool('haproxy')
})

/** 256 names: `aa`, `ab` and so on. */
const nameOf = (part: number) => String.fromCharCode(97 + (part >> 4), 97 + (part & 15))

interface Asked {
  readonly headers: IncomingMessage['headers']
  readonly cell: string
}

/** A server that is a cell, and says so; `asked` gets each of its requests. */
function cellServer(cell: string, asked: Asked[] = [], isReady = () => true): Server {
  const server = createServer((request, response) => {
    if (request.url !== '/readyz') asked.push({ headers: request.headers, cell })
    else if (!isReady()) response.statusCode = 503
    request.resume().once('end', () => response.setHeader('cell', cell).end(cell))
  })
  // As the service: the router closes an idle connection first.
  server.keepAliveTimeout = 65_000
  return server
}

type Sent = readonly [address: string, init: RequestInit]

const addressOf = ({ url }: Listening) => url.replace('http://', '')

/** As PHP writes it: `json_encode` escapes slashes, and all that is not ASCII. */
function escaped(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const base64 = (text: string) => Buffer.from(text).toString('base64url')
const bearer = (claims: string) => ({
  authorization: `Bearer ${base64('{"alg":"HS256"}')}.${base64(claims)}.c2lnbmF0dXJl`,
})
const paymentOf = (userId: string) => `pay_01jd4hz5qk8x2m3n4p5q6r7s${markOf(partOf(userId))}`

describe('before 256 cells', () => {
  const servers: Listening[] = []
  let router: Router
  beforeAll(async () => {
    for (let part = 0; part < PARTS; part++) servers.push(await listen(cellServer(nameOf(part))))
    router = await startRouter(
      servers.map((server, part) => ({
        name: nameOf(part),
        parts: [`${part}`],
        servers: [addressOf(server)],
      })),
    )
  })
  afterAll(async () => {
    await router[Symbol.asyncDispose]()
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
  })

  const cellFor = async (address: string, init: RequestInit = {}) =>
    (await fetch(`${router.url}${address}`, init)).headers.get('cell')

  it('computes the part of any user as the service does', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'شركة/ "\\\\+%?#&=éü😀𝄞\u2028'),
        fc.constantFrom(...'abc123-_.:@'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      minLength: 1,
      maxLength: 40,
    })
    const users = text.filter(isUserId)
    await fc.assert(
      fc.asyncProperty(users, users, async (user, person) => {
        const metadata = { note: person, user_id: user, payment_id: paymentOf(user) }
        const event = { id: 'evt', entity: 'event', data: { note: person, metadata, url: 'https://x/y' } }
        const post = (body: string) => cellFor('/api/v1/billing/webhook', { method: 'POST', body })
        const status = (claims: string) => cellFor('/api/v1/billing/status', { headers: bearer(claims) })
        const reached = await Promise.all([
          status(JSON.stringify({ sub: user, exp: 1 })),
          status(escaped({ exp: 1, name: person, sub: user })),
          status(JSON.stringify({ sub: person, account: user })),
          status(escaped({ account: user, sub: person })),
          cellFor(`/api/v1/platform/users/${encodeURIComponent(user)}/status?of=${person.length}`),
          post(JSON.stringify(event)),
          post(escaped({ ...event, data: { ...event.data, metadata: [metadata] } })),
        ])
        expect(reached).toEqual(reached.map(() => nameOf(partOf(user))))
      }),
      { numRuns: 2_000 },
    )
  })
})

const ENV = { ...WITH_PLATFORM, ...OPERATOR_ENV, ...CODE_ENV, TRANSFER_FILE }

/** What any cell may answer. Operators ask any cell, which asks the others. */
const OF_ANY_CELL = [
  /^\/(healthz|readyz|openapi\.json|openapi-operator\.json|docs|docs\/.*)?$/,
  /^\/api\/v1\/billing\/(plans|offers)$/,
  // Whose address it is, the cells find out together.
  /^\/portal\/link$/,
  /^\/api\/v1\/operator\/(audit|backup|bank-lines|bulk|buyers|codes|drawer|events|exports|findings)(\/|$)/,
  /^\/api\/v1\/operator\/(health|inbox|months|operators|reconciliations|search|sessions|statements)(\/|$)/,
  /^\/api\/v1\/operator\/(years\/:until|users|payments)$/,
  /^\/console\/(bank-lines|bulk|codes|drawer|events|findings|health|months|operators|reconciliations)(\/|$)/,
  /^\/console\/(search|sessions|sign-in|sign-out|statements|trail|trail\.csv|year)(\/|$)/,
  /^\/console(\/users|\/payments|\/users\.csv|\/payments\.csv|\/counter)?$/,
]

describe('before three cells', () => {
  const asked: Asked[] = []
  const servers: Record<string, Listening> = {}
  const cells = () => [
    { name: 'a', parts: ['0-99'], servers: [addressOf(servers.a as Listening)] },
    { name: 'b', parts: ['100-199'], servers: [addressOf(servers.b as Listening)] },
    { name: 'c', parts: ['200-255'], servers: [addressOf(servers.c as Listening)] },
  ]
  /** Of each cell one, and one whose id an address must encode. */
  const users = { a: 'user-14', b: 'user-8', c: 'شركة/ 7' }
  let router: Router
  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) servers[name] = await listen(cellServer(name, asked))
    router = await startRouter(cells())
  })
  afterAll(async () => {
    await router[Symbol.asyncDispose]()
    await Promise.all(Object.values(servers).map((server) => server[Symbol.asyncDispose]()))
  })

  const cellFor = async (address: string, init: RequestInit = {}) =>
    (await fetch(`${router.url}${address}`, { redirect: 'manual', ...init })).headers.get('cell')

  /** A request of a route for this user; null: nothing of a user is in it. */
  function requestFor(url: string, method: string, userId: string): Sent | null {
    const secret = `${markOf(partOf(userId))}c2VjcmV0`
    const address = url
      .replace(':user_id', encodeURIComponent(userId))
      .replace(':payment_id', paymentOf(userId))
      .replace(/:[^/]+/g, 'x')
    const isLink = /^\/portal\/(open|sign-in)$/.test(url)
    if (url === '/api/v1/billing/webhook')
      return [
        address,
        { method, body: JSON.stringify({ data: { metadata: { payment_id: paymentOf(userId) } } }) },
      ]
    if (isLink && method === 'POST')
      return [address, { method, body: new URLSearchParams({ token: secret }) }]
    if (isLink) return [`${address}?token=${secret}`, { method }]
    if (url.startsWith('/portal'))
      return [address, { method, headers: { cookie: `x=1; ishtirak=${secret}` } }]
    if (url.startsWith('/api/v1/billing/'))
      return [address, { method, headers: bearer(`{"sub":"${userId}"}`) }]
    return /:(user|payment)_id/.test(url) ? [address, { method }] : null
  }

  it('asks for each route the cell of the user, or it is one that any cell may answer', async () => {
    await using world = await createWorld(await emptyDatabase('pglite'), { env: ENV })
    const routes = world.service.app.knownRoutes()
    const reached = { theirs: 0, any: 0 }
    const wrong: string[] = []
    for (const { method, url } of routes) {
      const isAny = OF_ANY_CELL.some((one) => one.test(url))
      reached[isAny ? 'any' : 'theirs'] += 1
      for (const [cell, userId] of Object.entries(users)) {
        const request: Sent | null = isAny ? [url, { method }] : requestFor(url, method, userId)
        const found = request && (await cellFor(...request))
        if (isAny ? found === null : found !== cell)
          wrong.push(`${method} ${url}: ${found} is asked, not ${cell}`)
      }
    }
    expect(wrong).toEqual([])
    expect(reached.theirs).toBeGreaterThan(150)
    expect(reached.any).toBeGreaterThan(150)
  })

  it('loses no request in ten reloads, of clients that keep their connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const state = { isOver: false, answers: 0 }
    const failures: string[] = []
    const client = async (method: string, userId: string, cell: string) => {
      while (!state.isOver) {
        const address = `${router.url}/api/v1/platform/users/${encodeURIComponent(userId)}/status`
        const { cell: found } = await ask(address, { method, agent }).catch(({ message }) => ({
          cell: message,
        }))
        if (found !== cell) failures.push(`${method}: ${found}`)
        state.answers += 1
      }
    }
    const clients = ['GET', 'POST', 'PUT'].flatMap((method) =>
      Object.entries(users).map(([cell, userId]) => client(method, userId, cell)),
    )
    const perReload: number[] = []
    for (let reload = 0; reload < 10; reload++) {
      const before = state.answers
      await router.reload()
      await waitFor(() => state.answers > before + 100)
      perReload.push(state.answers - before)
    }
    state.isOver = true
    await Promise.all(clients)
    agent.destroy()
    expect(failures).toEqual([])
    expect(Math.min(...perReload)).toBeGreaterThan(100)
  })

  it('a reload moves parts to another cell', async () => {
    const [a, b, c] = cells()
    if (!a || !b || !c) throw new Error('there are three')
    // The old process may accept one more connection, and answers one more request on each that is open.
    const isAskedSoon = (cell: string) =>
      waitFor(async () => {
        const agent = new Agent({ keepAlive: false })
        const address = `${router.url}/api/v1/platform/users/user-14/status`
        return (await ask(address, { method: 'GET', agent })).cell === cell
      })
    await router.reload([{ ...a, parts: ['4-99'] }, { ...b, parts: ['0-3', '100-199'] }, c])
    await isAskedSoon('b')
    await router.reload()
    await isAskedSoon('a')
  })

  it('passes on no address that a client claims, and steers by no header of theirs', async () => {
    asked.length = 0
    const claims = {
      ...{ 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4', cell: 'b', host: 'b' },
      'x-ishtirak-forwarded': '1',
    }
    const headers = { ...claims, cookie: `ishtirak=${markOf(176)}x`, 'ishtirak-person': 'user-8' }
    expect(await cellFor('/api/v1/platform/users/user-14/status?token=5hx', { headers })).toBe('a')
    expect(asked[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
    expect(asked[0]?.headers).not.toHaveProperty('forwarded')
    expect(asked[0]?.headers).not.toHaveProperty('x-ishtirak-forwarded')
  })

  it('reads a link that is written with escapes', async () => {
    const secret = `${markOf(partOf('user-8'))}c2VjcmV0`
    const token = [...secret].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (let time = 0; time < 3; time++) {
      expect(await cellFor(`/portal/open?from=mail&token=${token}`)).toBe('b')
      expect(await cellFor('/portal/open', { method: 'POST', headers, body: `token=${token}` })).toBe('b')
    }
  })

  it('passes on the address that a trusted proxy claims, and the proxy with it', async () => {
    await using behind = await startRouter(cells(), { trusted: ['127.0.0.0/8'] })
    asked.length = 0
    const headers = { 'x-forwarded-for': '1.2.3.4' }
    await fetch(`${behind.url}/api/v1/platform/users/user-14`, { headers })
    expect(asked[0]?.headers).toMatchObject({ 'x-forwarded-for': '1.2.3.4, 127.0.0.1' })
  })

  it('takes the first cell for an event that names no payment of ours, and one of 64 KiB whole', async () => {
    const post = (event: object) =>
      cellFor('/api/v1/billing/webhook', { method: 'POST', body: JSON.stringify(event) })
    expect(await post({ data: { metadata: null } })).toBe('a')
    expect(await post({})).toBe('a')
    const metadata = { payment_id: paymentOf('user-8') }
    expect(await post({ data: { note: 'x'.repeat(63_000), metadata } })).toBe('b')
  })

  it('waits for the body of an event, and of the form with a link', async () => {
    const event = JSON.stringify({ data: { metadata: { payment_id: paymentOf('user-8') } } })
    const link = `token=${markOf(partOf('user-8'))}c2VjcmV0`
    for (const [address, body] of Object.entries({
      '/api/v1/billing/webhook': event,
      '/portal/open': link,
      '/portal/sign-in': link,
    }))
      expect([address, await slowly(`${router.url}${address}`, body)]).toEqual([address, { cell: 'b' }])
  })
})

describe('a cell whose servers go away', () => {
  const STATUS = '/api/v1/platform/users/user-8/status'
  const READY = { name: 'a', parts: ['0-99', '200-255'] }

  it('stops its users alone, with 503 and when to try again', async () => {
    await using a = await listen(cellServer('a'))
    const gone = `127.0.0.1:${await freePort()}`
    const cells = [
      { ...READY, servers: [addressOf(a)] },
      { name: 'b', parts: ['100-199'], servers: [gone] },
    ]
    await using router = await startRouter(cells)
    const answer = await fetch(`${router.url}${STATUS}`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ status: 503, code: 'not_ready' })
    for (const address of ['/api/v1/platform/users/user-14/status', '/api/v1/billing/plans'])
      expect((await fetch(`${router.url}${address}`)).headers.get('cell')).toBe('a')
  })

  const withStandby = (a: Listening, b: Listening, standby: Listening) => [
    { ...READY, servers: [addressOf(a)] },
    { name: 'b', parts: ['100-199'], servers: [addressOf(b)], standbys: [addressOf(standby)] },
  ]
  const cellAt = async ({ url }: Router) => (await fetch(`${url}${STATUS}`)).headers.get('cell')
  const tenAt = (router: Router) => Promise.all(Array.from({ length: 10 }, () => cellAt(router)))

  it('is served by its standbys once its server drains as the service does, no request lost', async () => {
    await using a = await listen(cellServer('a'))
    await using standby = await listen(cellServer('standby'))
    let isReady = true
    const draining = await listen(cellServer('b', [], () => isReady))
    await using router = await startRouter(withStandby(a, draining, standby))
    expect(await tenAt(router)).toEqual(Array(10).fill('b'))
    isReady = false
    await waitFor(async () => (await cellAt(router)) === 'standby')
    await draining[Symbol.asyncDispose]()
    expect(await tenAt(router)).toEqual(Array(10).fill('standby'))
  })

  it('is served by its standbys once its only server is killed', async () => {
    await using a = await listen(cellServer('a'))
    await using standby = await listen(cellServer('standby'))
    const killed = await listen(cellServer('b'))
    await using router = await startRouter(withStandby(a, killed, standby))
    expect(await tenAt(router)).toEqual(Array(10).fill('b'))
    await killed[Symbol.asyncDispose]()
    // A request that is passed on by a connection which just ended gets no answer: its own is ended.
    await waitFor(async () => (await cellAt(router).catch(() => 'none')) === 'standby')
  })

  it('has what only reads asked again, and nothing else', async () => {
    const broken: string[] = []
    // Takes the request and ends the connection: whether it was done, nobody knows.
    const breaks = createServer((request, response) => {
      if (request.url === '/readyz') response.end()
      else request.socket.destroy(void broken.push(String(request.method)))
    })
    await using one = await listen(breaks)
    await using other = await listen(cellServer('b'))
    const servers = [addressOf(one), addressOf(other)]
    await using router = await startRouter([{ name: 'b', parts: ['0-255'], servers }])
    const statuses = async (method: string) => {
      const all: number[] = []
      for (let time = 0; time < 10; time++)
        all.push((await fetch(`${router.url}${STATUS}`, { method, headers: { connection: 'close' } })).status)
      return all
    }
    expect(await statuses('GET')).toEqual(Array(10).fill(200))
    broken.length = 0
    const ofPosts = await statuses('POST')
    expect(ofPosts.filter((status) => status === 502).length).toBe(broken.length)
    expect(ofPosts.filter((status) => status === 200).length).toBe(10 - broken.length)
    expect(broken.length).toBeGreaterThan(0)
  })
})

it.each([1, 3, 100])('HAProxy takes the files of %i cells without a warning', async (count) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'router-'))
  const cells = Array.from({ length: count }, (_, place) => {
    const [from, until] = [place, place + 1].map((one) => Math.floor((one * PARTS) / count))
    const servers = [1, 2].map((server) => `127.0.${place}.${server}:3000`)
    return {
      name: nameOf(place),
      parts: [`${from}-${Number(until) - 1}`],
      servers,
      standbys: ['127.1.0.1:3000'],
    }
  })
  const file = await writeRouterFiles(folder, cells)
  expect(requireTool('haproxy')).toMatch(/version 2\.[6-9]|version 3/)
  const PATH = `${process.env.PATH}:/usr/sbin`
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', file], { env: { PATH } })
  expect([status, `${stdout}${stderr}`.trim()]).toEqual([0, 'Configuration file is valid'])
  await rm(folder, { recursive: true })
})

interface Answered {
  readonly cell: string
}

/** By an agent, which `fetch` does not take. */
function ask(
  address: string,
  options: { readonly method: string; readonly agent: Agent },
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(address, options, (response) => {
      response.resume().once('end', () => resolve({ cell: String(response.headers.cell) }))
    })
    sent.once('error', reject).end()
  })
}

/** The head, and the body when the other side has had time to answer without it. */
function slowly(address: string, body: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(address, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve({ cell: String(response.headers.cell) }))
    })
    sent.once('error', reject).flushHeaders()
    setTimeout(() => sent.end(body), 100)
  })
}
