import { emptyDatabase } from '../../../../test/support/databases.js'
import { platformFor } from '../../../../test/support/platform.js'
import { type Answer, createWorld } from '../../../../test/support/world.js'

const world = await createWorld(await emptyDatabase('pglite'))
afterAll(() => world.stop())

const platform = () => platformFor(world, 'user-1')
/** Returns the rows whose body is not refused with exactly its problem. */
async function notRefused(
  rows: readonly (readonly [unknown, string])[],
  ask: (body: unknown) => Promise<Answer>,
): Promise<readonly unknown[]> {
  const wrong: unknown[] = []
  for (const [sent, problem] of rows) {
    const { status, body } = await ask(sent)
    const errors: readonly Record<string, string>[] = body.errors ?? []
    const found = errors.map(({ pointer, code }) => `${pointer} ${code}`).join()
    if (status !== 422 || !found.startsWith(problem)) wrong.push([sent, status, found])
  }
  return wrong
}

it('refuses an operation that is none, with its field and a code', async () => {
  const bodies = [
    [{}, '/operation_id required'],
    [{ operation_id: 'x'.repeat(129) }, '/operation_id wrong_format'],
    [{ operation_id: 'a\nb' }, '/operation_id wrong_format'],
    [{ operation_id: 'a', amount: 0 }, '/amount too_small'],
    [{ operation_id: 'a', amount: 1_000_001 }, '/amount too_large'],
    [{ operation_id: 'a', amount: 1.5 }, '/amount wrong_type'],
    [{ operation_id: 'a', projectId: 'shop' }, '/projectId unknown_field'],
  ] as const
  expect(await notRefused(bodies, (body) => platform().consume('projects', body))).toEqual([])
})

it('takes 128 characters of any script as an operation id, and knows no other limits', async () => {
  const { status } = await platform().consume('storage_mb', { operation_id: `نشر ${'x'.repeat(124)}` })
  expect(status).toBe(200)
  for (const limit of ['nothing', '__proto__', 'constructor', 'projects%20', 'PROJECTS']) {
    const { status, body } = await platform().consume(limit, { operation_id: 'a' })
    expect([limit, status, body.code]).toEqual([limit, 404, 'unknown_limit'])
  }
})

it('refuses a report and a profile that are none, with their field', async () => {
  const reports = [
    [{}, '/used required'],
    [{ used: -1 }, '/used too_small'],
    [{ used: 1, operation_id: 'a' }, '/operation_id unknown_field'],
  ] as const
  expect(await notRefused(reports, (body) => platform().report('projects', body))).toEqual([])
  const profiles = [
    [{ email: 'no-at-sign' }, '/email'],
    [{ name: 'two\nlines' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ locale: 'de' }, '/locale'],
    [{ phone: '0550' }, '/phone'],
  ] as const
  expect(await notRefused(profiles, (body) => platform().update(body))).toEqual([])
})
