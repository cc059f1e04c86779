// Input of the platform API: refused with a field and a code, never with a 500.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { PLATFORM_KEY, platformFor, WITH_PLATFORM } from '../../../../test/support/platform.js'
import { createWorld, type World } from '../../../../test/support/world.js'

let world: World
beforeAll(async () => {
  world = await createWorld(await emptyDatabase('pglite'), { env: WITH_PLATFORM })
})
afterAll(async () => {
  await world.stop()
})

const platform = () => platformFor(world, 'user-1')
const problemsOf = async (answer: ReturnType<ReturnType<typeof platform>['read']>) => {
  const { status, body } = await answer
  return [
    status,
    ...(body.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
  ]
}

describe('consume', () => {
  it.each([
    [{}, '/operation_id required'],
    [{ operation_id: '' }, '/operation_id wrong_format'],
    [{ operation_id: 'x'.repeat(129) }, '/operation_id wrong_format'],
    [{ operation_id: 'a\nb' }, '/operation_id wrong_format'],
    [{ operation_id: 7 }, '/operation_id wrong_type'],
    [{ operation_id: 'a', amount: 0 }, '/amount too_small'],
    [{ operation_id: 'a', amount: -1 }, '/amount too_small'],
    [{ operation_id: 'a', amount: 1_000_001 }, '/amount too_large'],
    [{ operation_id: 'a', amount: 1.5 }, '/amount wrong_type'],
    [{ operation_id: 'a', amount: '1' }, '/amount wrong_type'],
    [{ operation_id: 'a', amount: null }, '/amount wrong_type'],
    [{ operation_id: 'a', project_id: '' }, '/project_id wrong_format'],
    [{ operation_id: 'a', projectId: 'shop' }, '/projectId unknown_field'],
    [[], ' wrong_type'],
  ])('refuses %j', async (body, problem) => {
    expect(await problemsOf(platform().consume('projects', body))).toEqual([422, problem])
  })

  it('takes 128 characters of any script as an operation id', async () => {
    const { status } = await platform().consume('storage_mb', { operation_id: `نشر ${'x'.repeat(124)}` })
    expect(status).toBe(200)
  })

  it('does not know other limits', async () => {
    for (const limit of ['nothing', '__proto__', 'constructor', 'projects%20', 'PROJECTS']) {
      const { status, body } = await platform().consume(limit, { operation_id: 'a' })
      expect([status, body.code]).toEqual([404, 'unknown_limit'])
    }
  })
})

describe('a report', () => {
  it.each([
    [{}, '/used required'],
    [{ used: -1 }, '/used too_small'],
    [{ used: 1_000_000_000_001 }, '/used too_large'],
    [{ used: 1, operation_id: 'a' }, '/operation_id unknown_field'],
  ])('refuses %j', async (body, problem) => {
    expect(await problemsOf(platform().report('projects', body))).toEqual([422, problem])
  })
})

describe('the profile that the platform sets', () => {
  it.each([
    [{ email: 'no-at-sign' }, '/email'],
    [{ email: `${'x'.repeat(250)}@b.dz` }, '/email'],
    [{ email: 'a\u0007@b.dz' }, '/email'],
    [{ name: 'two\nlines' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ locale: 'de' }, '/locale'],
    [{ locale: 1 }, '/locale'],
    [{ phone: '0550' }, '/phone'],
  ])('refuses %j', async (body, pointer) => {
    const { status, body: answer } = await platform().update(body)
    expect([status, answer.errors[0].pointer]).toEqual([422, pointer])
  })
})

describe('a user id', () => {
  it.each(['a/b', 'é', '#?%', 'a b', '__proto__', 'x'.repeat(255)])('may be %s', async (userId) => {
    const { status, body } = await platformFor(world, userId).read()
    expect([status, body.user_id]).toEqual([200, userId])
  })

  it.each([
    ['x'.repeat(256), 422],
    ['a\u0001b', 422],
    ['a\u0085b', 422],
    ['a\0b', 400],
  ])('may not be %j', async (userId, status) => {
    expect((await platformFor(world, userId).read()).status).toBe(status)
  })
})

it('answers nothing with an error of ours, whatever comes', async () => {
  const paths = ['', '/limits/projects/consume', '/limits/domains_per_project/release', '/limits/x/usage']
  const field = fc.constantFrom(
    'operation_id',
    'amount',
    'project_id',
    'used',
    'consume_operation_id',
    'email',
  )
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.jsonValue())
  const body = fc.oneof(
    fc.dictionary(field, value),
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constant(undefined),
  )
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
    path: fc.constantFrom(...paths),
    user: fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    body,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, user, body: sent }) => {
      const isBare = method === 'GET' || sent === undefined
      const { status } = await world.call(method, `/api/v1/platform/users/${escapeAny(user)}${path}`, {
        headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
        ...(isBare ? {} : { body: sent }),
      })
      expect(status).toBeLessThan(500)
    }),
    { numRuns: 300 },
  )
})

/** Halves of surrogate pairs have no percent form: they go as the bytes that a careless client would send. */
function escapeAny(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
