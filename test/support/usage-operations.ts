import fc from 'fast-check'
import { DAY } from '../../packages/ishtirak/src/core/instant.js'
import type { UsageOperation } from '../../packages/ishtirak/src/limits/decide-usage.js'
import { instantOf, NOON } from './fixtures.js'

const MIDNIGHT = instantOf('2026-11-21T23:00:00Z')
/** The ends of November to February in Algiers. */
const MONTHS = ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28'].map((day) =>
  instantOf(`${day}T23:00:00Z`),
)
export const monthly = (from: number) => ({
  limit: 'build_minutes',
  countsAs: 'month',
  resetsAt: MONTHS[from] ?? MIDNIGHT,
})
const daily = (day: number) => ({ limit: 'deploys_per_day', countsAs: 'day', resetsAt: MIDNIGHT + day * DAY })
export const DAILY = daily(0)
export const gauge = (limit: string) => ({ limit, countsAs: 'gauge', resetsAt: null })
export const gaugeOf = (per: string) => ({ ...gauge(`things_per_${per}`), countsAs: `gauge/${per}` })
export function operation(changes: Partial<UsageOperation> = {}): UsageOperation {
  return {
    kind: 'consume',
    userId: 'user-1',
    ...DAILY,
    scopeId: '',
    amount: 1,
    operationId: 'deploy-1',
    consumeOperationId: null,
    maximum: 10,
    version: null,
    isUserRead: true,
    now: NOON,
    ...changes,
  }
}

/** Few ids, limits and windows make conflicts the rule. `changed` is counted otherwise each time. */
export function anOperation(): fc.Arbitrary<UsageOperation> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const window = fc.oneof(
    fc.constantFrom(0, 1, 2).map(daily),
    fc.constantFrom(0, 1, 2).map(monthly),
    // The last day of a month ends with it.
    fc.constant({ ...DAILY, resetsAt: MONTHS[0] ?? 0 }),
  )
  const scoped = fc
    .tuple(fc.constantFrom('project', 'region'), fc.constantFrom('p1', 'p2'))
    .map(([per, scopeId]) => ({ ...gaugeOf(per), scopeId }))
  const kindOfLimit = fc.oneof(window, window, fc.constant(gauge('projects')), scoped)
  const place = fc
    .tuple(kindOfLimit, fc.nat({ max: 3 }))
    .map(([chosen, n]) => (n === 0 ? { ...chosen, limit: 'changed' } : chosen))
  const base = fc.record({ place, id, maximum: fc.constantFrom(3, 10), amount: fc.nat({ max: 4 }) })
  const kind = fc.constantFrom('consume', 'consume', 'release', 'report')
  return fc.tuple(base, kind, fc.option(id)).map(([given, chosen, consumeOperationId]) => {
    const amount = chosen === 'report' ? given.amount : given.amount || 1
    return operation({
      ...given.place,
      kind: chosen,
      operationId: chosen === 'report' ? '' : given.id,
      amount: chosen === 'release' && given.amount === 0 ? null : amount,
      consumeOperationId: chosen === 'release' ? consumeOperationId : null,
      maximum: given.maximum,
    })
  })
}
