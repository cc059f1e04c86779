import { readFileSync } from 'node:fs'

const DAY_MS = 86_400_000
const OLD_DAYS = 14

/** A line for the person who runs the tests, or null. `record` is the text of docs/internals/nightly.md. */
export function nightlyReminder(record: string, now: number): string | null {
  const rows = record.split('\n').filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| part '))
  const oldest = rows.flatMap((row) => {
    const [, part = '', , date = '', , result] = row.split('|').map((cell) => cell.trim())
    const days = Math.floor((now - Date.parse(date)) / DAY_MS)
    return result === 'passed' && days <= OLD_DAYS ? [] : [`${part} (${result}, ${days} days ago)`]
  })
  if (rows.length > 0 && oldest.length === 0) return null
  const what = rows.length === 0 ? 'it has never run' : oldest.join(', ')
  return `The nightly run is old: ${what}. Run it with npm run nightly.`
}

export const readNightlyRecord = () =>
  readFileSync(new URL('../../docs/internals/nightly.md', import.meta.url), 'utf8')
