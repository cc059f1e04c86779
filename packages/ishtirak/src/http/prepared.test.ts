// What is answered before the router is asked is what the router would have answered.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { captureLog, expectProblem } from '../../../../test/support/example-app.js'
import { movableClock } from '../runtime/clock.js'
import { type App, createApp } from './app.js'
import { createMetrics } from './metrics.js'
import { createCallCount, limitBy } from './rate-limit.js'

const QUOTA = 5
const clock = movableClock(Date.UTC(2026, 10, 21))
const metrics = createMetrics({ processMetrics: false })
const apps: App[] = []
let direct = ''
let behindProxy = ''
let routed = 0

async function startApp(trustedProxies: readonly string[]): Promise<string> {
  const app = createApp({
    log: captureLog().log,
    publicUrl: 'https://billing.example',
    metrics,
    trustedProxies,
  })
  const countCall = createCallCount({ clock, quota: QUOTA })
  const limit = limitBy(countCall)
  const body = '{"price":2000,"name":"سعر"}'
  const headers = { etag: '"1"', 'content-type': 'application/json; charset=utf-8' }
  app.get('/price', (request, reply) => {
    routed += 1
    limit(request.ip, reply)
    return reply.headers(headers).send(body)
  })
  app.prepareAnswer({ path: '/price', body, headers, countCall })
  apps.push(app)
  return app.listen({ host: '127.0.0.1', port: 0 })
}
beforeAll(async () => {
  direct = await startApp([])
  behindProxy = await startApp(['127.0.0.1'])
})
afterAll(() => Promise.all(apps.map((app) => app.close())))

const get = async (base: string, path: string, headers: Record<string, string> = {}) => {
  clock.advance(60_000)
  const before = routed
  const answer = await fetch(base + path, { headers })
  return { answer, text: await answer.text(), isRouted: routed > before }
}
const fieldsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)))

describe('an answer that is ready', () => {
  it('is the router’s, byte for byte and header for header', async () => {
    const prepared = await get(direct, '/price')
    const byRouter = await get(direct, '/price', { 'if-none-match': '"2"' })
    expect([prepared.isRouted, byRouter.isRouted]).toEqual([false, true])
    expect(prepared.text).toBe(byRouter.text)
    expect(prepared.answer.status).toBe(200)
    expect(fieldsOf(prepared.answer)).toEqual(fieldsOf(byRouter.answer))
  })

  it('has the caller’s request id, or one of its own', async () => {
    const named = await get(direct, '/price', { 'x-request-id': 'mine-1' })
    expect(named.answer.headers.get('x-request-id')).toBe('mine-1')
    const ids = [await get(direct, '/price'), await get(direct, '/price')].map(({ answer }) =>
      answer.headers.get('x-request-id'),
    )
    for (const id of ids) expect(id).toMatch(/^[\w-]{12}-[0-9a-z]+$/)
    expect(new Set(ids).size).toBe(2)
  })

  it('is given for no other path, query or method', async () => {
    expect((await get(direct, '/price?a=1')).isRouted).toBe(true)
    expect((await get(direct, '/prices')).answer.status).toBe(404)
    expect((await fetch(`${direct}/price`, { method: 'POST' })).status).toBe(405)
    const head = await fetch(`${direct}/price`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('counts as a call: one too many is refused', async () => {
    clock.advance(60_000)
    const statuses: number[] = []
    for (let calls = 0; calls < QUOTA; calls++) statuses.push((await fetch(`${direct}/price`)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    await expectProblem(await fetch(`${direct}/price`), 429, 'rate_limited')
  })

  it('counts the caller behind a proxy that we trust, not the proxy', async () => {
    clock.advance(60_000)
    const from = (address: string) =>
      fetch(`${behindProxy}/price`, { headers: { 'x-forwarded-for': address } })
    for (let calls = 0; calls < QUOTA; calls++) expect((await from('192.0.2.1')).status).toBe(200)
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.2')).status).toBe(200)
  })

  it('is measured like any other', async () => {
    const seen = async () =>
      Number(
        /_count\{method="GET",route="\/price",status="200"\} (\d+)/.exec((await metrics.render()).text)?.[1],
      )
    const before = await seen()
    await get(direct, '/price')
    expect(await seen()).toBe(before + 1)
  })
})
