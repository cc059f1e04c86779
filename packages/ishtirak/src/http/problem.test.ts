// What every error has in common: RFC 9457, three languages, nothing of the inside, one request id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

describe('a problem', () => {
  it('has exactly the members of the specification, and what the error adds overwrites none', async () => {
    const response = await fetch(`${example.base}/refusal?x=1`)
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

  it.each([
    ['nothing named', undefined, 'en', 'Not found'],
    ['Arabic', 'ar', 'ar', 'غير موجود'],
    ['French of Algeria', 'fr-DZ,fr;q=0.9,en;q=0.8', 'fr', 'Introuvable'],
    ['German, else Arabic', 'de, en;q=0.3, ar;q=0.7', 'ar', 'غير موجود'],
    ['anything', '*', 'en', 'Not found'],
    ['anything but Arabic', 'ar;q=0, fr;q=nonsense', 'en', 'Not found'],
    ['more languages than anyone reads', `${'de,'.repeat(100)}ar`, 'en', 'Not found'],
    ['nonsense', `${'x,'.repeat(5_000)}`, 'en', 'Not found'],
  ])('for readers of %s is in their language', async (_what, header, locale, title) => {
    const response = await fetch(`${example.base}/nowhere`, {
      headers: header ? { 'accept-language': header } : {},
    })
    expect(response.headers.get('content-language')).toBe(locale)
    expect(response.headers.get('vary')).toBe('Accept-Language')
    expect(await response.json()).toMatchObject({ title, code: 'not_found' })
  })

  it.each([
    ['nothing', undefined, 'Bearer'],
    ['a token', 'bearer x.y.z', 'Bearer error="invalid_token"'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'Bearer'],
  ])('of who could not be known, having sent %s, says how to', async (_what, authorization, challenge) => {
    const response = await fetch(`${example.base}/private`, {
      headers: authorization ? { authorization } : {},
    })
    await expectProblem(response, 401, 'unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe(challenge)
  })

  it('is never kept by a cache', async () => {
    const { headers } = await fetch(`${example.base}/cached`)
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
  })

  it.each(['/bug', '/thrown-text'])(
    'of a bug (%s) says nothing of the inside, and the log says it all',
    async (path) => {
      const response = await fetch(example.base + path, {
        headers: { 'x-request-id': `bug-${path.slice(1)}` },
      })
      const body = await expectProblem(response, 500, 'internal_error')
      expect(JSON.stringify(body)).not.toMatch(/hush|secret\.ts|stack/)
      const line = example.lines.find(
        (text) => text.includes('a bug') && text.includes(`bug-${path.slice(1)}`),
      )
      expect(line).toContain('hush')
      if (path === '/bug') expect(JSON.parse(line ?? '').error.stack).toContain('example-app.ts')
    },
  )

  it('while the database is away is 503 with the time to come back', async () => {
    const response = await fetch(`${example.base}/database`)
    const body = await expectProblem(response, 503, 'database_unavailable')
    expect(response.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(body)).not.toContain('db.internal')
  })
})

describe('the request id', () => {
  it('of the caller is taken and echoed', async () => {
    const { headers } = await fetch(`${example.base}/healthz`, {
      headers: { 'x-request-id': 'deploy-42.a_b' },
    })
    expect(headers.get('x-request-id')).toBe('deploy-42.a_b')
  })

  it.each(['', 'two words', 'x'.repeat(65), '"quoted"', 'é'])('%j is not taken', async (id) => {
    const { headers } = await fetch(`${example.base}/healthz`, { headers: { 'x-request-id': id } })
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{12}-[0-9a-z]+$/)
  })
})
