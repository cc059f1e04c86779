import { expect, it } from 'vitest'
import { nightlyReminder } from './nightly-age.js'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const record = (...rows: readonly (readonly [part: string, date: string, result: string])[]) =>
  rows.map(([part, date, result]) => `| ${part} | abc | ${date} | 2 cores | ${result} | 9 |`).join('\n')

it('npm test says which parts of the nightly run are old or failed, and is silent otherwise', () => {
  const fresh = ['mutate', '2026-11-27', 'passed'] as const
  expect(nightlyReminder(record(fresh), NOW)).toBeNull()
  expect(nightlyReminder(record(), NOW)).toContain('it has never run')
  const others = [
    ['costs', '2026-11-01', 'passed'],
    ['looks', '2026-11-28', 'failed'],
  ] as const
  expect(nightlyReminder(record(fresh, ...others), NOW)).toContain(
    ': costs (passed, 27 days ago), looks (failed, 0 days ago).',
  )
})
