// Bad input never gets a 5xx and never changes anything, whichever route it is thrown at.
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../support/databases.js'
import { createWorld, tokenOf, type World } from '../support/world.js'

const ROUTES = [
  ['GET', '/api/v1/billing/plans'],
  ['POST', '/api/v1/billing/upgrade'],
  ['GET', '/api/v1/billing/status'],
  ['GET', '/api/v1/billing/payments'],
  ['GET', '/api/v1/billing/payments/pay_00000000000000000000000000'],
  ['POST', '/api/v1/billing/webhook'],
  ['GET', '/billing/return/pay_00000000000000000000000000'],
  ['GET', '/healthz'],
  ['GET', '/nowhere'],
] as const

const BODIES: readonly [string, string | Uint8Array][] = [
  ['broken JSON', '{"plan":'],
  ['an empty body', ''],
  ['a bare word', 'pro'],
  ['broken UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
  ['a NUL', '{"plan":"pro\\u0000"}'],
  ['a raw NUL', '{"plan":"pro\u0000"}'],
  ['half a surrogate pair', '{"plan":"\\ud800"}'],
  ['a polluted prototype', '{"plan":"pro","__proto__":{"admin":true}}'],
  ['an unknown field', '{"plan":"pro","amount":1}'],
  ['the wrong type', '{"plan":["pro"]}'],
  ['a number', '1e400'],
  ['deep nesting', '['.repeat(20_000) + ']'.repeat(20_000)],
  ['70 kB', JSON.stringify({ plan: 'x'.repeat(70_000) })],
]

const cursorAt = (createdAt: number) =>
  Buffer.from(`${createdAt}.pay_00000000000000000000000000`).toString('base64url')

describeScenario('bad input', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database())
  })
  afterEach(() => world.stop())
  const unchanged = async () => {
    expect(world.emulator.checkouts()).toEqual([])
    const { body } = await world.as('user-1').get('/api/v1/billing/payments')
    expect(body.data).toEqual([])
  }

  it('in a body gets a 4xx problem, or is not looked at', async () => {
    for (const [method, path] of ROUTES) {
      const token = await tokenOf({ sub: 'user-1' })
      for (const [name, body] of BODIES) {
        for (const verb of [method, 'PUT', 'DELETE'] as const) {
          const isBodiless = verb === 'GET'
          const headers = {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            signature: 'x',
          }
          const answer = await world.call(verb, path, isBodiless ? { headers } : { headers, body })
          expect(answer.status, `${verb} ${path} with ${name}`).toBeLessThan(500)
          if (answer.status >= 400 && answer.text !== '') {
            expect(answer.headers.get('content-type'), name).toMatch(
              /^application\/problem\+json|^text\/html/,
            )
          }
        }
      }
      await unchanged()
      // With a quota for the next route.
      world.clock.advance(61_000)
    }
  })

  it('in a query is refused in words that a program can read', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=ten',
      'limit=1.5',
      'limit=-1',
      'limit=1&limit=2',
      'status=gone',
      'status=',
      'cursor=',
      'cursor=%00',
      'cursor=%ff%fe',
      'cursor=MTIzNDU2Nzg5MC5wYXlfeA',
      // The years 10,000 and 30,489, which no timestamp of a database takes.
      `cursor=${cursorAt(253_402_300_800_000)}`,
      `cursor=${cursorAt(900_000_000_000_000)}`,
      `cursor=${'a'.repeat(201)}`,
      'page=2',
      '__proto__=1',
    ] as const) {
      const answer = await world.as('user-1').get(`/api/v1/billing/payments?${query}`)
      expect.soft([400, 422], String(query)).toContain(answer.status)
      expect
        .soft(answer.body, String(query))
        .toMatchObject({ status: answer.status, code: expect.stringMatching(/^[a-z_]+$/) })
    }
  })

  it('in the id of a payment is no 5xx', async () => {
    for (const id of [
      '%00',
      '%ff',
      '..%2f..',
      'x'.repeat(4000),
      'pay_%F0%9F%92%B8',
      "';drop table payments;--",
    ] as const) {
      const answer = await world.as('user-1').get(`/api/v1/billing/payments/${id}`)
      expect.soft(answer.status, String(id)).toBeGreaterThanOrEqual(400)
      expect.soft(answer.status, String(id)).toBeLessThan(500)
    }
  })

  it('a wrong method names those that are allowed', async () => {
    const answer = await world.call('DELETE', '/api/v1/billing/upgrade')
    expect([answer.status, answer.body.code, answer.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'POST',
    ])
  })

  it('an unknown route is a problem like any other', async () => {
    const answer = await world.call('GET', '/api/v1/billing/nothing', {
      headers: { 'accept-language': 'fr' },
    })
    expect(answer.body).toMatchObject({
      status: 404,
      code: 'not_found',
      instance: `${world.base}/api/v1/billing/nothing`,
    })
    expect(Object.keys(answer.body)).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'instance',
      'code',
      'request_id',
    ])
    expect(answer.headers.get('content-language')).toBe('fr')
  })

  it('a body in another format is refused as such', async () => {
    const answer = await world
      .as('user-1')
      .post('/api/v1/billing/upgrade', 'plan=pro', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
  })

  it('duplicate and broken header lines are answered, not crashed on', async () => {
    const raw = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.end(head))
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
        })
        socket.on('end', () => resolve(text.slice(9, 12)))
        socket.on('error', reject)
      })
    const head = `GET ${world.base}/api/v1/billing/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
    expect(await raw(`${head}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`)).toBe('401')
    expect(await raw(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`)).toBe('400')
    expect(await raw(`${head}Bad Header: x\r\n\r\n`)).toBe('400')
    expect(await raw(`${head}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`)).toBe('431')
    expect((await world.call('GET', '/healthz')).status).toBe(200)
  })

  it('an anonymous request gets 401 with the scheme to use, and nothing else', async () => {
    for (const path of ['status', 'payments', 'payments/pay_1']) {
      const answer = await world.call('GET', `/api/v1/billing/${path}`)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
    // Before the body is validated.
    expect((await world.call('POST', '/api/v1/billing/upgrade', { body: { plan: 7 } })).status).toBe(401)
  })

  it('the three hundred and first call in a minute waits', async () => {
    const user = world.as('user-9')
    const answers = await Promise.all(Array.from({ length: 301 }, () => user.get('/api/v1/billing/status')))
    const refused = answers.filter((answer) => answer.status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers.get('retry-after')).toBe('60')
    expect(refused[0]?.headers.get('ratelimit-policy')).toContain('q=300;w=60')
    expect((await world.as('user-10').get('/api/v1/billing/status')).status).toBe(200)
  })
})
