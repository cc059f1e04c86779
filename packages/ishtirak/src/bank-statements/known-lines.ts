// Which lines of a file are known from earlier files of the account. Files overlap, so a line that stands in
// two of them is one line. But a bank also writes two equal lines: then the later one is another line. Pure.
import type { EarlierLine } from './bank-statements.sql.js'

/** The number of a row among the equal lines of its day, and whether the row is doubted for that. */
export interface LineNumber {
  readonly nth: number
  readonly isEqual: boolean
}

/**
 * Numbers the equal lines of each day. A line is the one of an earlier statement if the file holds all lines
 * that the statement has of this day. If it holds only some of them, an equal line is new and doubted: the
 * two files may hold different parts of the day, or the bank may write the same line anew.
 */
export function numbersOf(keys: readonly string[], earlier: readonly EarlierLine[]): readonly LineNumber[] {
  const inFile = countsOf(keys)
  const known = new Map<string, Set<number>>()
  const highest = new Map<string, number>()
  const days = new Map<string, EarlierLine[]>()
  for (const line of earlier) {
    const day = `${line.statementId} ${line.day}`
    days.set(day, [...(days.get(day) ?? []), line])
  }
  for (const lines of days.values()) {
    const counts = countsOf(lines.map(({ key }) => key))
    const isWhole = [...counts].every(([key, count]) => (inFile.get(key) ?? 0) >= count)
    for (const { key, nth } of lines) {
      highest.set(key, Math.max(highest.get(key) ?? 0, nth))
      if (!isWhole) continue
      known.set(key, (known.get(key) ?? new Set()).add(nth))
    }
  }
  const used = new Map<string, number>()
  return keys.map((key) => {
    const place = used.get(key) ?? 0
    used.set(key, place + 1)
    const numbers = [...(known.get(key) ?? [])]
    const last = highest.get(key) ?? 0
    const nth = numbers[place] ?? last + place - numbers.length + 1
    return { nth, isEqual: last > 0 && numbers.length === 0 }
  })
}

/** How often each key stands. */
function countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
