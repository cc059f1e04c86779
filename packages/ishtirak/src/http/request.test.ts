// Bodies and queries over real sockets: each is read exactly, or refused as the client’s fault; never 5xx.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

it('a body that fits reaches the route as it was sent', async () => {
  const response = await example.post('/orders', '{"plan":"\\u0645\\\\u0000\\ud83d\\ude00","amount":3}')
  expect(await response.json()).toEqual({ received: { plan: 'م\\u0000😀', amount: 3 } })
})

it('a body that does not fit is 422 and says where', async () => {
  const WRONG = {
    '{"plan":1}': ['/plan wrong_type'],
    '{"plan":"pro","amount":"3"}': ['/amount wrong_type'],
    '{"plan":"pro","amount":1.5}': ['/amount wrong_type'],
    '{"plan":"pro","amount":0}': ['/amount too_small'],
    '{}': ['/plan required'],
    '{"plan":""}': ['/plan too_short'],
    [JSON.stringify({ plan: 'x'.repeat(65) })]: ['/plan too_long'],
    '{"plan":"pro","x/~y":1}': ['/x~1~0y unknown_field'],
    null: [' wrong_type'],
    '[]': [' wrong_type'],
    '{"amount":"x","more":1}': ['/amount wrong_type', '/more unknown_field', '/plan required'],
  }
  for (const [body, faults] of Object.entries(WRONG)) {
    const { errors } = await expectProblem(await example.post('/orders', body), 422, 'validation_failed')
    const found = errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)
    expect([body, ...new Set(found.toSorted())]).toEqual([body, ...faults])
    for (const { detail } of errors) expect(detail).not.toBe('')
  }
})

it('a body of thousands of unknown fields, or of a long one, gets a short answer', async () => {
  const body = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`field${index}`, 1]))
  const response = await example.post('/orders', JSON.stringify(body))
  const problem = await expectProblem(response, 422, 'validation_failed')
  expect(problem.errors.length).toBeGreaterThan(20)
  expect(problem.errors.length).toBeLessThanOrEqual(32)
  const long = await example.post('/orders', JSON.stringify({ plan: 'pro', ['x'.repeat(60_000)]: 1 }))
  expect(long.status).toBe(422)
  expect((await long.text()).length).toBeLessThan(2_048)
})

it('a body that cannot be read is refused', async () => {
  const MALFORMED = [
    ...['{"plan":', 'plan=pro', '', '{"__proto__":{"plan":"pro"}}'],
    '{"plan":"pro","constructor":{"prototype":{"admin":true}}}',
  ]
  for (const body of MALFORMED)
    await expectProblem(await example.post('/orders', body), 400, 'malformed_json')
  const INVALID = [
    // Broken UTF-8.
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    ...['{"plan":"pro\\u0000"}', '{"plan":"pro","\\u0000":1}', '{"plan":"\\ud800"}'],
  ]
  for (const body of INVALID) await expectProblem(await example.post('/orders', body), 400, 'invalid_request')
  const deep = `{"plan":${'['.repeat(30_000)}"\\u0041"${']'.repeat(30_000)}}`
  await expectProblem(await example.post('/orders', deep), 422, 'validation_failed')
  const none = await fetch(`${example.base}/orders`, { method: 'POST' })
  await expectProblem(none, 422, 'validation_failed')
})

it('a body of more than 64 KiB is 413, with or without a length', async () => {
  const large = JSON.stringify({ plan: 'x'.repeat(65_536) })
  await expectProblem(await example.post('/orders', large), 413, 'payload_too_large')
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: new Blob([large]).stream(), duplex: 'half' }
  await expectProblem(await fetch(`${example.base}/orders`, init), 413, 'payload_too_large')
})

it('a refused body is read to its end, since a caller who still sends it would lose the answer', async () => {
  const body = 'x'.repeat(1_048_576)
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  for (const sent of [
    `Content-Length: 1048576\r\n\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n100000\r\n${body}\r\n0\r\n\r\n`,
  ]) {
    const head = 'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json'
    const answers = await example.sendRaw(`${head}\r\n${sent}${next}`)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  }
})

it('a body of another type, or compressed, is 415', async () => {
  const types = ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense']
  const sent = [...types.map((type) => ({ 'content-type': type })), { 'content-encoding': 'gzip' }]
  for (const headers of sent) {
    const response = await example.post('/orders', '{"plan":"pro"}', headers)
    await expectProblem(response, 415, 'unsupported_media_type')
  }
})

it('a query gives whole numbers as numbers, and is 422 otherwise', async () => {
  expect(await (await fetch(`${example.base}/orders?limit=20`)).json()).toEqual({ query: { limit: 20 } })
  const unread = ['abc', '', '1.5', '1e1', '0x10', 'true', '1&limit=2', '99999999999999999999']
  const codes = { ...Object.fromEntries(unread.map((text) => [text, 'wrong_type'])), 101: 'too_large' }
  for (const [limit, code] of Object.entries({ ...codes, 0: 'too_small' })) {
    const response = await fetch(`${example.base}/orders?limit=${limit}`)
    const { errors } = await expectProblem(response, 422, 'validation_failed')
    expect([limit, ...errors]).toMatchObject([limit, { pointer: '/query/limit', code }])
  }
  for (const query of ['constructor=1', '__proto__=1', 'limit[]=1'])
    await expectProblem(await fetch(`${example.base}/orders?${query}`), 422, 'validation_failed')
})

it('raw bytes arrive untouched whatever their type, up to 64 KiB', async () => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    const bytes = Buffer.from([0xff, 0x00, 0x7b, 0x0a])
    const response = await example.post('/raw', bytes, { 'content-type': type })
    expect(await response.json()).toEqual({ hex: 'ff007b0a' })
  }
  expect(await (await fetch(`${example.base}/raw`, { method: 'POST' })).json()).toEqual({ hex: '' })
  expect((await example.post('/raw', new Uint8Array(65_536))).status).toBe(200)
  await expectProblem(await example.post('/raw', new Uint8Array(65_537)), 413, 'payload_too_large')
})
