import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describeOnEach } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { readPlans, SEED_CATALOGUE } from '../runtime/plans-file.js'

const DAY = 86_400
const words = (name: string) => ({ ar: `${name} بالعربية`, fr: `${name} en français`, en: name })
const DEFINITIONS = {
  build_minutes: { kind: 'counter', window: 'month', name: words('Builds'), unit: words('min') },
  deploys: { kind: 'counter', window: 'day', name: words('Deploys') },
  projects: { kind: 'gauge' },
  domains: { kind: 'gauge', per: 'project', name: words('Domains') },
  functions: { kind: 'gauge', per: 'region', name: words('Functions'), per_name: words('Region') },
}
const ALLOWED = { build_minutes: 10, deploys: 10, projects: 3, domains: 10, functions: 10 }

const folder = temporaryFolder()

function fileOf(name: string, content: unknown): string {
  const file = path.join(folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** A plans file with these limits. `pro` allows ten times what `free` does. */
function catalogueOf(name: string, limits: object, allowed: Readonly<Record<string, number>>): string {
  const tenfold = Object.fromEntries(Object.entries(allowed).map(([limit, count]) => [limit, count * 10]))
  const [free, pro] = SEED_CATALOGUE.plans
  return fileOf(name, {
    limits,
    plans: [
      { ...free, limits: allowed },
      { ...pro, limits: tenfold },
    ],
  })
}

describeOnEach('a catalogue with limits of its own', ({ database }) => {
  const worlds: World[] = []
  const open = async (PLANS_FILE: string, more: Partial<Parameters<typeof createWorld>[1] & object> = {}) => {
    const env = { PLANS_FILE, ...more.env }
    const world = await createWorld(database(), { ...more, env })
    worlds.push(world)
    return world
  }
  const openUsual = () => open(catalogueOf('usual.json', DEFINITIONS, ALLOWED))
  afterEach(async () => {
    for (const world of worlds.splice(0).reverse()) await world.stop()
  })

  it('counts a month to its end in the quota’s zone, and gives nothing of it back to the next', async () => {
    const world = await openUsual()
    const platform = platformFor(world, 'user-1')
    const consume = (operation_id: string, amount = 4) =>
      platform.consume('build_minutes', { operation_id, amount })
    const body = { limit: 10, resets_at: '2026-11-30T23:00:00Z' }
    const first = { ...body, allowed: true, used: 4, remaining: 6, reason: null }
    expect((await consume('one')).body).toEqual(first)
    world.clock.advance(9 * DAY * 1_000)
    expect((await consume('two', 7)).body).toMatchObject({ ...body, allowed: false, reason: 'limit_reached' })
    await consume('two')
    // 30 November, 12:00 UTC: the month ends in 11 hours.
    world.clock.advance(11 * 3_600_000)
    const next = { resets_at: '2026-12-31T23:00:00Z', limit: 10 }
    expect((await consume('three', 9)).body).toMatchObject({ ...next, allowed: true, used: 9 })
    const back = { operation_id: 'back', consume_operation_id: 'two' }
    expect((await platform.release('build_minutes', back)).body).toMatchObject({ ...next, used: 9 })
    // A repetition gets the same answer, of the month that is over.
    expect((await consume('two')).body).toMatchObject({ ...body, used: 8 })
  })

  it('wants a project as `project_id`, any other scope as `scope_id`, or neither', async () => {
    const platform = platformFor(await openUsual(), 'user-1')
    const problemsOf = async (limit: string, scope: object) => {
      const { status, body } = await platform.consume(limit, { operation_id: 'a', ...scope })
      const errors: readonly Record<string, string>[] = body.errors ?? []
      return [status, ...errors.map(({ pointer, code }) => `${pointer} ${code}`)]
    }
    expect(await problemsOf('domains', {})).toEqual([422, '/project_id required'])
    expect(await problemsOf('functions', {})).toEqual([422, '/scope_id required'])
    const wrong = [422, '/project_id not_allowed', '/scope_id required']
    expect(await problemsOf('functions', { project_id: 'shop' })).toEqual(wrong)
    expect(await problemsOf('build_minutes', { scope_id: 'eu-1' })).toEqual([422, '/scope_id not_allowed'])
    expect(await problemsOf('functions', { scope_id: 'eu-1' })).toEqual([200])
    expect((await platform.consume('storage_mb', { operation_id: 'a' })).body.code).toBe('unknown_limit')
  })

  it('shows usage, what is over and the end of the month, to platform, user and operator', async () => {
    const world = await openUsual()
    const platform = platformFor(world, 'user-1')
    await platform.report('functions', { used: 12, scope_id: 'eu-1' })
    await platform.report('functions', { used: 2, scope_id: 'af-1' })
    await platform.consume('build_minutes', { operation_id: 'a', amount: 10 })
    const { body } = await platform.read()
    expect(body).toMatchObject({
      limits: ALLOWED,
      resets_at: '2026-11-21T23:00:00Z',
      month_resets_at: '2026-11-30T23:00:00Z',
      over_limit: [{ limit: 'functions', scope_id: 'eu-1', used: 12, max: 10 }],
    })
    const functions = { 'eu-1': 12, 'af-1': 2 }
    expect(body.usage).toEqual({ build_minutes: 10, deploys: 0, projects: 0, domains: {}, functions })
    expect((await world.as('user-1').get('/api/v1/billing/overview')).body).toMatchObject(body)
    await world.as('user-1').buy()
    const { body: file } = await operatorOf(world).get('/users/user-1')
    expect(file.limits).toMatchObject({ build_minutes: 100, functions: 100 })
  })

  it('shows a count of the user, however many projects have more', async () => {
    const platform = platformFor(await openUsual(), 'user-1')
    await platform.consume('projects', { operation_id: 'a' })
    await database().script(`insert into usage (user_id, limit_name, scope, counts_as, used, revision)
      select 'user-1', 'domains', 'project-' || n, 'gauge/project', 9, 1 from generate_series(1, 1200) n`)
    const { usage } = (await platform.read()).body
    expect([usage.projects, Object.keys(usage.domains).length]).toEqual([1, 999])
  })

  it('is on the portal in its own words, with its unit, its month and its scope', async () => {
    const world = await openUsual()
    await platformFor(world, 'user-1').report('functions', { used: 12, scope_id: 'eu-1' })
    await platformFor(world, 'user-1').report('build_minutes', { used: 7 })
    const page = wordsOf((await (await enterPortal(world, 'user-1')).open('/portal?lang=fr')).text)
    for (const part of [
      ...['Builds en français', '7 min en français sur 10 min en français'],
      ...['Remise à zéro le 1er décembre 2026', 'Region en français : eu-1'],
    ])
      expect(page).toContain(part)
  })

  it('keeps what was sold when the file changes, and starts what is counted otherwise again', async () => {
    const before = await open(catalogueOf('usual.json', DEFINITIONS, ALLOWED), { withoutJobs: true })
    const platform = platformFor(before, 'user-1')
    await before.as('user-1').buy()
    await platform.report('projects', { used: 5 })
    await platform.consume('build_minutes', { operation_id: 'a', amount: 60 })
    await platform.consume('deploys', { operation_id: 'b', amount: 9 })
    await platform.report('functions', { used: 7, scope_id: 'shop' })
    const { deploys, domains, ...rest } = DEFINITIONS
    const changed = {
      ...rest,
      build_minutes: { ...rest.build_minutes, window: 'day' },
      deploys: { kind: 'gauge', name: words('Deploys') },
      functions: { ...rest.functions, per: 'project' },
      seats: { kind: 'gauge', name: words('Seats') },
    }
    const allowed = { build_minutes: 1, deploys: 1, functions: 1, projects: 1, seats: 2 }
    const { clock, emulator } = before
    const after = await open(catalogueOf('changed.json', changed, allowed), { clock, emulator })
    const now = platformFor(after, 'user-1')
    const { body } = await now.read()
    // Sold: ten times 10, and 3. `seats` was added later, so today's plan decides: 20. `domains` is no longer
    // counted.
    const limits = { build_minutes: 100, deploys: 100, functions: 100, projects: 30, seats: 20 }
    expect(body.limits).toEqual(limits)
    expect(body.usage).toEqual({ build_minutes: 0, deploys: 0, functions: {}, projects: 5, seats: 0 })
    expect((await now.consume('domains', { operation_id: 'c', project_id: 'shop' })).status).toBe(404)
    const { body: deployed } = await now.consume('deploys', { operation_id: 'deploys' })
    expect(deployed).toMatchObject({ used: 1, limit: 100, resets_at: null })
    // If the limit is counted in another way now, a release returns nothing.
    const back = { operation_id: 'd', consume_operation_id: 'b' }
    expect((await now.release('deploys', back)).body.used).toBe(1)
    // Users on the free plan have today's limits.
    expect((await platformFor(after, 'user-2').read()).body.limits).toEqual(allowed)
    await after.advance(24 * DAY)
    const last = (await writtenEvents(database(), 'user-1')).at(-1)
    expect([last?.type, last?.data.subscription.limits]).toEqual(['subscription.expiring', limits])
  })

  it('with the seed’s limits in either form of the file is exactly what it is without one', async () => {
    const definitions = SEED_CATALOGUE.limits.map(({ name, window, per }) => [
      name,
      { kind: window ? 'counter' : 'gauge', ...(window && { window }), ...(per && { per }) },
    ])
    const files = [
      fileOf('array.json', SEED_CATALOGUE.plans),
      fileOf('object.json', { limits: Object.fromEntries(definitions), plans: SEED_CATALOGUE.plans }),
    ]
    for (const file of files) expect(readPlans(file)).toEqual(readPlans(undefined))
    const world = await createWorld(database())
    worlds.push(world)
    expect((await world.call('GET', '/openapi.json')).text).not.toMatch(/month_resets_at|scope_id/)
  })
})
