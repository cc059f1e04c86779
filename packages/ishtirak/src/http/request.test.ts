// Bodies and queries over real sockets: each is read exactly or refused as the client's fault, never with
// 5xx.
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
  const names = ['x'.repeat(58_000), ...[1, 2, 3].map((end) => `${'x'.repeat(1_000)}${end}`)]
  const unknown = Object.fromEntries(names.map((name) => [name, 1]))
  const long = await example.post('/orders', JSON.stringify({ plan: 'pro', ...unknown }))
  expect((await long.clone().json()).errors).toHaveLength(1)
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

const HOST = ' HTTP/1.1\r\nHost: x\r\n'
const CLOSE = `${HOST}Connection: close\r\n\r\n`

it('a method that an address does not have is 405 with Allow', async () => {
  const ALLOWED = {
    'PUT /orders': 'GET, HEAD, POST',
    'DELETE /orders/7': 'GET, HEAD',
    'OPTIONS /orders': 'GET, HEAD, POST',
    'GET /raw': 'POST',
  }
  for (const [line, allow] of Object.entries(ALLOWED)) {
    const [method = '', path = ''] = line.split(' ')
    const response = await fetch(example.base + path, { method })
    await expectProblem(response, 405, 'method_not_allowed')
    expect([line, response.headers.get('allow')]).toEqual([line, allow])
  }
})

it('what cannot be read is refused with a problem, as the client’s fault', async () => {
  const length = (line: string) => `POST /orders${HOST}Content-Length: 2\r\n${line}\r\n\r\n`
  const WRONG: readonly (readonly [string | Buffer, string, string])[] = [
    ...['PROPFIND', 'LINK', 'QUERY', 'TRACE', 'NONSENSE'].map(
      (method) => [`${method} /orders${CLOSE}`, '4..', ''] as const,
    ),
    // Half an escape, escapes that are not UTF-8, a NUL.
    ...['%', '%c3%28', 'a%00b'].map((id) => [`GET /orders/${id}${CLOSE}`, '400', 'invalid_request'] as const),
    [`GET /orders?limit=%00${CLOSE}`, '400', 'invalid_request'],
    [`GET /orders/${'x'.repeat(3_061)}${CLOSE}`, '414', 'uri_too_long'],
    [`GET /orders?limit=${'1'.repeat(7_000)}${CLOSE}`, '414', 'uri_too_long'],
    ['hello\r\n\r\n', '400', 'invalid_request'],
    [Buffer.from('1603010200010001', 'hex'), '400', 'invalid_request'],
    [`GET /${HOST}X: a\0b\r\n\r\n`, '400', 'invalid_request'],
    [`${length('Content-Length: 3')}{}`, '400', 'invalid_request'],
    [`${length('Transfer-Encoding: chunked')}0\r\n\r\n`, '400', 'invalid_request'],
    [`GET /${HOST}X: ${'a'.repeat(20_000)}\r\n\r\n`, '431', 'headers_too_large'],
  ]
  for (const [sent, status, code] of WRONG) {
    const answer = await example.sendRaw(sent)
    const what = String(sent).slice(0, 40)
    expect(answer, what).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer, what).toContain(`"code":"${code}`)
    expect(answer, what).toMatch(/content-type: application\/problem\+json/i)
    expect(answer, what).toMatch(/x-request-id: [\w-]+/i)
  }
  const head = await example.sendRaw(`HEAD /?a=${'a'.repeat(20_000)}${HOST}\r\n`)
  expect(head).toMatch(/^HTTP\/1.1 431 [^{]*\r\n\r\n$/)
})

it('HEAD answers as GET does, without a body', async () => {
  const [get, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => fetch(`${example.base}/orders/7`, { method })),
  )
  expect([head?.status, await head?.text()]).toEqual([200, ''])
  for (const name of ['content-type', 'content-length'])
    expect(head?.headers.get(name)).toBe(get?.headers.get(name))
})

it('a user id of 255 characters of any alphabet is read', async () => {
  const id = '😀'.repeat(127)
  const response = await fetch(`${example.base}/orders/${encodeURIComponent(id)}`)
  expect(await response.json()).toEqual({ params: { id } })
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(example.base + path, { headers })

it('a problem has the members of the specification, and what the error adds overwrites none', async () => {
  const response = await get('/refusal?x=1')
  expect(response.headers.get('retry-after')).toBe('7')
  expect(await response.json()).toEqual({
    type: 'https://billing.example/docs/errors#already_subscribed',
    title: 'Already subscribed',
    status: 409,
    detail: expect.stringContaining('cannot be renewed yet'),
    instance: '/refusal',
    code: 'already_subscribed',
    request_id: response.headers.get('x-request-id'),
    current_period_end: '2026-12-31T10:00:00Z',
  })
})

it('a problem is in the reader’s language', async () => {
  const TITLES = { en: 'Not found', fr: 'Introuvable', ar: 'غير موجود' }
  const READERS: readonly (readonly [string | undefined, keyof typeof TITLES])[] = [
    [undefined, 'en'],
    ['ar', 'ar'],
    ['fr-DZ,fr;q=0.9,en;q=0.8', 'fr'],
    ['de, en;q=0.3, ar;q=0.7', 'ar'],
    ['*', 'en'],
    ['ar;q=0, fr;q=nonsense', 'en'],
    [`${'de,'.repeat(100)}ar`, 'en'],
    ['x,'.repeat(5_000), 'en'],
  ]
  for (const [header, locale] of READERS) {
    const response = await get('/nowhere', header ? { 'accept-language': header } : {})
    const said = ['content-language', 'vary'].map((name) => response.headers.get(name))
    expect([header, ...said]).toEqual([header, locale, 'Accept-Language'])
    expect(await response.json()).toMatchObject({ title: TITLES[locale], code: 'not_found' })
  }
})

it('a caller who could not be identified is told how to sign in', async () => {
  for (const [authorization, challenge] of [
    [undefined, 'Bearer'],
    ['bearer x.y.z', 'Bearer error="invalid_token"'],
    ['Basic dXNlcjpwYXNz', 'Bearer'],
  ]) {
    const response = await get('/private', authorization ? { authorization } : {})
    await expectProblem(response, 401, 'unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe(challenge)
  }
})

it('no cache may store a problem', async () => {
  const { headers } = await get('/cached')
  expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
})

it('the problem of a bug says nothing of the inside, and the log says it all', async () => {
  for (const path of ['/bug', '/thrown-text']) {
    const id = `bug-${path.slice(1)}`
    const body = await expectProblem(await get(path, { 'x-request-id': id }), 500, 'internal_error')
    expect(JSON.stringify(body)).not.toMatch(/hush|secret\.ts|stack/)
    const line = example.lines.find((text) => text.includes('a bug') && text.includes(id))
    expect(line).toContain('hush')
    if (path === '/bug') expect(JSON.parse(line ?? '').error.stack).toContain('example-app.ts')
  }
})

it('while the database is away the answer is 503 with the time to come back', async () => {
  const response = await get('/database')
  const body = await expectProblem(response, 503, 'database_unavailable')
  expect(response.headers.get('retry-after')).toBe('5')
  expect(JSON.stringify(body)).not.toContain('db.internal')
})

it('the caller’s request id is echoed, unless it cannot be one', async () => {
  const echoOf = async (id: string) =>
    (await get('/healthz', { 'x-request-id': id })).headers.get('x-request-id')
  expect(await echoOf('deploy-42.a_b')).toBe('deploy-42.a_b')
  for (const id of ['', 'two words', 'x'.repeat(65), '"quoted"', 'é'])
    expect(await echoOf(id)).toMatch(/^[\w-]{12}-[0-9a-z]+$/)
})

const read = async (path: string) => (await fetch(example.base + path)).json()

it('/healthz is alive, and /readyz says what is not ready', async () => {
  expect(await read('/healthz')).toEqual({ status: 'ok' })
  expect(await read('/readyz')).toEqual({ status: 'ready', checks: { database: 'ok' } })
  example.readiness = { ready: false, checks: { database: 'unreachable' } }
  const problem = await expectProblem(await fetch(`${example.base}/readyz`), 503, 'not_ready')
  expect(problem.checks).toEqual({ database: 'unreachable' })
})

it('the metrics count requests by route pattern and status, and are not on the public port', async () => {
  await fetch(`${example.base}/orders/order-of-amina`)
  await fetch(`${example.base}/nowhere/order-of-amina`)
  expect((await fetch(`${example.base}/metrics`)).status).toBe(404)
  const { text } = await example.metrics.render()
  expect(text).toMatch(/_seconds_count\{method="GET",route="\/orders\/:id",status="200"\} \d+/)
  expect(text).toContain('route="unknown",status="404"')
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).not.toContain('order-of-amina')
})

it('/docs shows it, and /docs/errors has every code in three languages', async () => {
  const TYPES = { '/docs': 'html', '/docs/swagger-ui-start.js': 'javascript', '/docs/swagger-ui.css': 'css' }
  for (const [path, type] of Object.entries(TYPES)) {
    const { status, headers } = await fetch(`${example.base}${path}`)
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, `text/${type}; charset=utf-8`])
  }
  const page = await (await fetch(`${example.base}/docs/errors`)).text()
  expect(page).toContain('<section id="unknown_plan">')
  expect(page).toContain('<p lang="ar" dir="rtl"><strong>باقة غير معروفة</strong>')
})
