import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

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

it('a user id of 255 characters of any alphabet is read', async () => {
  const id = '😀'.repeat(127)
  const response = await fetch(`${example.base}/orders/${encodeURIComponent(id)}`)
  expect(await response.json()).toEqual({ params: { id } })
})
