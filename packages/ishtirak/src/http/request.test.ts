// Bodies and queries over real sockets: whatever comes in is read exactly, or refused as the client’s fault;
// never 5xx.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

describe('a body', () => {
  it('that fits reaches the route as it was sent', async () => {
    const response = await example.post('/orders', '{"plan":"pro","amount":3}')
    expect(await response.json()).toEqual({ received: { plan: 'pro', amount: 3 } })
  })

  it.each([
    ['a wrong type', '{"plan":1}', [{ pointer: '/plan', code: 'wrong_type' }]],
    ['a number as text', '{"plan":"pro","amount":"3"}', [{ pointer: '/amount', code: 'wrong_type' }]],
    ['a fraction', '{"plan":"pro","amount":1.5}', [{ pointer: '/amount', code: 'wrong_type' }]],
    ['a number too small', '{"plan":"pro","amount":0}', [{ pointer: '/amount', code: 'too_small' }]],
    ['nothing of what is needed', '{}', [{ pointer: '/plan', code: 'required' }]],
    ['an empty text', '{"plan":""}', [{ pointer: '/plan', code: 'too_short' }]],
    ['a long text', JSON.stringify({ plan: 'x'.repeat(65) }), [{ pointer: '/plan', code: 'too_long' }]],
    ['an unknown field', '{"plan":"pro","x/~y":1}', [{ pointer: '/x~1~0y', code: 'unknown_field' }]],
    ['null', 'null', [{ pointer: '', code: 'wrong_type' }]],
    ['a list', '[]', [{ pointer: '', code: 'wrong_type' }]],
    [
      'several faults at once',
      '{"amount":"x","more":1}',
      [
        { pointer: '/plan', code: 'required' },
        { pointer: '/more', code: 'unknown_field' },
        { pointer: '/amount', code: 'wrong_type' },
      ],
    ],
  ])('with %s is 422 and says where', async (_what, body, errors) => {
    const problem = await expectProblem(await example.post('/orders', body), 422, 'validation_failed')
    expect(
      new Set(
        problem.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
      ),
    ).toEqual(new Set(errors.map(({ pointer, code }) => `${pointer} ${code}`)))
    for (const error of problem.errors) expect(error.detail).not.toBe('')
  })

  it('with thousands of unknown fields gets a short answer', async () => {
    const body = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`field${index}`, 1]))
    const response = await example.post('/orders', JSON.stringify(body))
    const problem = await expectProblem(response, 422, 'validation_failed')
    expect(problem.errors.length).toBeGreaterThan(20)
    expect(problem.errors.length).toBeLessThanOrEqual(32)
  })

  it('with a field whose name is long gets a short answer', async () => {
    const response = await example.post('/orders', JSON.stringify({ plan: 'pro', ['x'.repeat(60_000)]: 1 }))
    expect(response.status).toBe(422)
    expect((await response.text()).length).toBeLessThan(2_048)
  })

  it.each([
    ['broken JSON', '{"plan":'],
    ['no JSON at all', 'plan=pro'],
    ['nothing', ''],
    ['a __proto__', '{"__proto__":{"plan":"pro"}}'],
    ['a constructor with a prototype', '{"plan":"pro","constructor":{"prototype":{"admin":true}}}'],
  ])('of %s is 400 malformed_json', async (_what, body) => {
    await expectProblem(await example.post('/orders', body), 400, 'malformed_json')
  })

  it.each([
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ['an escaped NUL', '{"plan":"pro\\u0000"}'],
    ['an escaped NUL in a name', '{"plan":"pro","\\u0000":1}'],
    ['half a surrogate pair', '{"plan":"\\ud800"}'],
  ])('with %s is 400 invalid_request', async (_what, body) => {
    await expectProblem(await example.post('/orders', body), 400, 'invalid_request')
  })

  it('with escapes that are good text is taken', async () => {
    const response = await example.post('/orders', '{"plan":"\\u0645\\\\u0000\\ud83d\\ude00"}')
    expect(await response.json()).toEqual({ received: { plan: 'م\\u0000😀' } })
  })

  it('nested 30,000 deep is refused, not a crash', async () => {
    const body = `{"plan":${'['.repeat(30_000)}"\\u0041"${']'.repeat(30_000)}}`
    await expectProblem(await example.post('/orders', body), 422, 'validation_failed')
  })

  it('of more than 64 KiB is 413', async () => {
    await expectProblem(
      await example.post('/orders', JSON.stringify({ plan: 'x'.repeat(65_536) })),
      413,
      'payload_too_large',
    )
  })

  it('of more than 64 KiB without a length is 413', async () => {
    const stream = new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent < 70; sent++) controller.enqueue(new Uint8Array(1_024).fill(120))
        controller.close()
      },
    })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    }
    await expectProblem(await fetch(`${example.base}/orders`, init), 413, 'payload_too_large')
  })

  it.each([
    ['Content-Length: 1048576', 'x'.repeat(1_048_576)],
    ['Transfer-Encoding: chunked', `100000\r\n${'x'.repeat(1_048_576)}\r\n0\r\n\r\n`],
  ])(
    'that is refused is read to its end: who still sends it would lose the answer (%s)',
    async (length, body) => {
      const head = `Host: x\r\nContent-Type: application/json\r\n${length}`
      const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const answers = await example.sendRaw(`POST /orders HTTP/1.1\r\n${head}\r\n\r\n${body}${next}`)
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    },
  )

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense'])(
    'of type %s is 415',
    async (type) => {
      await expectProblem(
        await example.post('/orders', '{"plan":"pro"}', { 'content-type': type }),
        415,
        'unsupported_media_type',
      )
    },
  )

  it('without a type is 415', async () => {
    const answer = await example.sendRaw(
      'POST /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    )
    expect(answer).toMatch(/^HTTP\/1.1 415 /)
    expect(answer).toContain('"code":"unsupported_media_type"')
  })

  it('that is compressed is 415', async () => {
    const response = await example.post('/orders', '{"plan":"pro"}', { 'content-encoding': 'gzip' })
    await expectProblem(response, 415, 'unsupported_media_type')
  })

  it('that is missing is 422', async () => {
    const response = await fetch(`${example.base}/orders`, { method: 'POST' })
    await expectProblem(response, 422, 'validation_failed')
  })
})

describe('a query', () => {
  it('gives whole numbers as numbers', async () => {
    expect(await (await fetch(`${example.base}/orders?limit=20`)).json()).toEqual({ query: { limit: 20 } })
  })

  it.each([
    ['limit=abc', 'wrong_type'],
    ['limit=', 'wrong_type'],
    ['limit=1.5', 'wrong_type'],
    ['limit=1e1', 'wrong_type'],
    ['limit=0x10', 'wrong_type'],
    ['limit=true', 'wrong_type'],
    ['limit=1&limit=2', 'wrong_type'],
    ['limit=0', 'too_small'],
    ['limit=101', 'too_large'],
    ['limit=99999999999999999999', 'wrong_type'],
  ])('%s is 422', async (query, code) => {
    const problem = await expectProblem(
      await fetch(`${example.base}/orders?${query}`),
      422,
      'validation_failed',
    )
    expect(problem.errors).toMatchObject([{ pointer: '/query/limit', code }])
  })

  it.each(['constructor=1', '__proto__=1', 'limit[]=1'])(
    'with the unknown name of %s is 422',
    async (query) => {
      await expectProblem(await fetch(`${example.base}/orders?${query}`), 422, 'validation_failed')
    },
  )

  it('never stands in the problem', async () => {
    const problem = await expectProblem(await fetch(`${example.base}/nowhere?token=hush`), 404, 'not_found')
    expect(problem.instance).toBe('/nowhere')
  })
})

describe('raw bytes', () => {
  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'of type %s arrive untouched',
    async (type) => {
      const bytes = Buffer.from([0xff, 0x00, 0x7b, 0x0a])
      const response = await example.post('/raw', bytes, { 'content-type': type })
      expect(await response.json()).toEqual({ hex: 'ff007b0a' })
    },
  )

  it('may be none at all', async () => {
    expect(await (await fetch(`${example.base}/raw`, { method: 'POST' })).json()).toEqual({ hex: '' })
  })

  it('are 64 KiB at most', async () => {
    expect((await example.post('/raw', new Uint8Array(65_536))).status).toBe(200)
    await expectProblem(await example.post('/raw', new Uint8Array(65_537)), 413, 'payload_too_large')
  })
})
