import { FREE, instantOf, NOON, PRO } from '../../../../test/support/fixtures.js'
import { quotaWindowsIn } from '../runtime/calendar.js'
import { SEED_CATALOGUE } from '../runtime/plans-file.js'
import { describeAllowance, type LimitDefinition, overLimits, type UsageCount, usageAt } from './limit.js'
import { planInEffect } from './plan.js'

const allowance = { allowed: true, limit: 10, used: 3, resetsAt: null }
const count = (changes: Partial<UsageCount>): UsageCount => ({
  limit: 'projects',
  scopeId: '',
  used: 1,
  resetsAt: null,
  countsAs: changes.resetsAt ? 'day' : changes.scopeId ? 'gauge/project' : 'gauge',
  ...changes,
})

describe('an allowance', () => {
  it('says what remains, never less than nothing, and why it says no: full, or above the limit', () => {
    const of = (used: number, allowed = false) => describeAllowance({ ...allowance, used, allowed })
    expect([of(3, true).remaining, of(12, true).remaining]).toEqual([7, 0])
    const reasons = [of(3, true).reason, of(10).reason, of(11).reason]
    expect(reasons).toEqual([null, 'limit_reached', 'over_limit'])
  })
})

const quotaWindowAt = quotaWindowsIn('Africa/Algiers')
const MIDNIGHT = instantOf('2026-11-21T23:00:00Z')
const MONTH_END = instantOf('2026-11-30T23:00:00Z')
const limitOf = (changes: Partial<LimitDefinition>): LimitDefinition => ({
  ...{ name: 'builds', window: null, per: null, unit: null, perWords: null },
  words: { ar: 'بناء', fr: 'Builds', en: 'Builds' },
  ...changes,
})

describe('usage', () => {
  const usedAt = (counts: readonly UsageCount[], now: number, limits = SEED_CATALOGUE.limits) =>
    usageAt(limits, counts, { now, quotaWindowAt })

  it('leaves out the count of a day that is over, from its last instant on', () => {
    const counts = [count({ limit: 'deploys_per_day', used: 4, resetsAt: MIDNIGHT })]
    expect(usedAt(counts, MIDNIGHT - 1).deploys_per_day).toBe(4)
    expect(usedAt(counts, MIDNIGHT).deploys_per_day).toBe(0)
  })

  it('takes the count of a later day or month: another process has seen midnight already', () => {
    const next = (window: 'day' | 'month', resetsAt: number, now: number) =>
      usedAt([count({ limit: 'builds', used: 4, resetsAt, countsAs: window })], now, [limitOf({ window })])
        .builds
    const nextMonth = instantOf('2026-12-31T23:00:00Z')
    expect(next('day', instantOf('2026-11-22T23:00:00Z'), NOON)).toBe(4)
    expect(next('month', MONTH_END, NOON)).toBe(4)
    expect(next('month', nextMonth, MONTH_END - 1)).toBe(4)
    expect(next('month', MONTH_END, MONTH_END)).toBe(0)
  })

  it('keeps projects apart, whatever they are called', () => {
    const counts = ['shop', '__proto__'].map((scopeId) => count({ limit: 'domains_per_project', scopeId }))
    expect(Object.entries(usedAt(counts, NOON).domains_per_project ?? {})).toEqual([
      ['shop', 1],
      ['__proto__', 1],
    ])
  })

  it('takes none of another kind of count', () => {
    const cases: readonly (readonly [Partial<UsageCount>, Partial<LimitDefinition>])[] = [
      [{ countsAs: 'day', resetsAt: MONTH_END }, { window: 'month' }],
      [{ countsAs: 'month', resetsAt: MIDNIGHT }, { window: 'day' }],
      [{ countsAs: 'gauge' }, { window: 'day' }],
      [{ countsAs: 'day', resetsAt: MIDNIGHT }, {}],
    ]
    for (const [changes, limit] of cases) {
      const used = usedAt([count({ limit: 'builds', ...changes })], NOON, [limitOf(limit)])
      expect.soft(used).toEqual({ builds: 0 })
    }
  })

  it('takes no count of a project for one of a region, or for one of the user', () => {
    const counts = [count({ limit: 'builds', scopeId: 'shop', countsAs: 'gauge/project' })]
    expect(usedAt(counts, NOON, [limitOf({ per: 'project' })])).toEqual({ builds: { shop: 1 } })
    expect(usedAt(counts, NOON, [limitOf({ per: 'region' })])).toEqual({ builds: {} })
    expect(usedAt(counts, NOON, [limitOf({})])).toEqual({ builds: 0 })
  })
})

describe('a plan that was sold before the catalogue changed', () => {
  const limits = [limitOf({ name: 'projects' }), limitOf({ name: 'constructor' })]
  const free = { ...FREE, limits: { projects: 1, constructor: 10 } }
  const pro = { ...PRO, limits: { projects: 2, constructor: 20 } }
  const inEffect = (id: string) => planInEffect({ limits, plans: [free, pro], free }, { ...PRO, id })

  it('keeps its numbers; a limit that came later has that of the plan of today, or of the free plan', () => {
    expect(inEffect('pro')).toEqual({ ...PRO, limits: { projects: 10, constructor: 20 } })
    expect(inEffect('gone').limits).toEqual({ projects: 10, constructor: 10 })
    // An unchanged plan is the same object.
    expect(planInEffect({ limits: SEED_CATALOGUE.limits, plans: [FREE, PRO], free: FREE }, PRO)).toBe(PRO)
  })
})

it('over the limit is every limit with more in use than allowed, each project by itself', () => {
  const projects = { shop: 2, blog: 1 }
  const usage = { projects: 4, domains_per_project: projects, deploys_per_day: 10, storage_mb: 501 }
  const found = overLimits(SEED_CATALOGUE.limits, usage, FREE.limits)
  expect(found.map(({ limit, ...rest }) => [limit.name, rest])).toEqual([
    ['projects', { scopeId: null, used: 4, max: 3 }],
    ['domains_per_project', { scopeId: 'shop', used: 2, max: 1 }],
    ['storage_mb', { scopeId: null, used: 501, max: 500 }],
  ])
  expect(overLimits(SEED_CATALOGUE.limits, usage, PRO.limits)).toEqual([])
})
