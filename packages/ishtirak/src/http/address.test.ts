// Addresses, methods and bytes that are no HTTP: the answer is always ours, and never 5xx.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

describe('an address', () => {
  it('that is unknown is 404', async () => {
    await expectProblem(await fetch(`${example.base}/nowhere`), 404, 'not_found')
    await expectProblem(await example.post('/nowhere', '{"plan":"pro"}'), 404, 'not_found')
  })

  it.each([
    ['PUT', '/orders', 'GET, HEAD, POST'],
    ['DELETE', '/orders/7', 'GET, HEAD'],
    ['OPTIONS', '/orders', 'GET, HEAD, POST'],
    ['GET', '/raw', 'POST'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    const response = await fetch(example.base + path, { method })
    await expectProblem(response, 405, 'method_not_allowed')
    expect(response.headers.get('allow')).toBe(allow)
  })

  it('answers HEAD without a body', async () => {
    const response = await fetch(`${example.base}/healthz`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const missing = await fetch(`${example.base}/nowhere`, { method: 'HEAD' })
    expect([missing.status, await missing.text()]).toEqual([404, ''])
  })

  it.each(['PROPFIND', 'LINK', 'QUERY', 'TRACE', 'NONSENSE'])(
    'with the method %s is refused as the client’s fault',
    async (method) => {
      const answer = await example.sendRaw(
        `${method} /orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1.1 4\d\d /)
      expect(answer).toContain('application/problem+json')
    },
  )

  it.each([
    ['half an escape', '/orders/%', 400, 'invalid_request'],
    ['escapes that are no UTF-8', '/orders/%c3%28', 400, 'invalid_request'],
    ['a NUL in the path', '/orders/a%00b', 400, 'invalid_request'],
    ['a NUL in the query', '/orders?limit=%00', 400, 'invalid_request'],
    ['a long parameter', `/orders/${'x'.repeat(3_061)}`, 414, 'uri_too_long'],
    ['a long query', `/orders?limit=${'1'.repeat(7_000)}`, 414, 'uri_too_long'],
  ])('with %s is refused', async (_what, path, status, code) => {
    const answer = await example.sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
    expect(answer).toMatch(/x-request-id: [\w-]+/i)
    expect(answer).toContain('content-type: application/problem+json')
  })

  it('of a user id of 255 characters of any alphabet is read', async () => {
    const id = '😀'.repeat(127)
    expect(await (await fetch(`${example.base}/orders/${encodeURIComponent(id)}`)).json()).toEqual({
      params: { id },
    })
  })
})

describe('bytes that are no HTTP', () => {
  it.each([
    ['nonsense', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['TLS', Buffer.from('1603010200010001', 'hex'), 400, 'invalid_request'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      '20 kB of headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('(%s) get a problem and a closed connection', async (_what, bytes, status, code) => {
    const answer = await example.sendRaw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain(`"code":"${code}"`)
  })

  it('get no body where they begin with HEAD', async () => {
    const answer = await example.sendRaw(`HEAD /?a=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 431 [^{]*\r\n\r\n$/)
  })

  it('sent after a good request on one connection do not spoil its answer', async () => {
    const answer = await example.sendRaw('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('and headers given twice are read without a crash', async () => {
    const twice = [
      'Authorization: a',
      'Authorization: b',
      'X-Request-Id: one',
      'X-Request-Id: two',
      'Accept-Language: ar',
      'Accept-Language: fr',
    ]
    const answer = await example.sendRaw(
      `GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${twice.join('\r\n')}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
  })
})
