import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
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

it('each nightly test is in a part of the run, and each name in a part finds a test', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const script = readFileSync(path.join(root, 'scripts/nightly.mjs'), 'utf8')
  const calls = [...script.matchAll(/\btests\(([^)]*)\)/g)].map(([, given = '']) => given)
  const names = calls.flatMap((given) => [...given.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))
  const files = ['packages', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.nightly.test.ts') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  )
  expect(files.filter((file) => !names.some((name) => file.includes(name)))).toEqual([])
  expect(names.filter((name) => !files.some((file) => file.includes(name)))).toEqual([])
})
