import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

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
