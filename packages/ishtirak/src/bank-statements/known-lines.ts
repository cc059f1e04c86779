// Which lines of a file are known from earlier files of the account. Files overlap, so a line that stands in
// two of them is one line. But a bank also writes two equal lines: then the later one is another line.
import type { AccountKind } from '../core/account.js'
import type { Database } from '../database/database.js'
import { inSlices } from '../runtime/async.js'
import type { ReadLine } from './bank-file.js'
import { earlierDays, overlappingStatements, storeSlices } from './bank-statements.sql.js'

/** A line of a file, and what tells it from the others. */
export interface FileRow extends Omit<ReadLine, 'row' | 'line'> {
  /** A digest of the account and the whole row. */
  readonly key: string
  readonly references: readonly string[]
}

/**
 * Numbers the equal lines of each day. A line is the one of an earlier statement if the file holds all lines
 * that the statement has of this day. If it holds only some of them, an equal line is new and doubted: the
 * two files may hold different parts of the day, or the bank may write the same line anew. Gives the earlier
 * statements, too: with another one, lines are to be numbered again.
 */
export async function knownLines(
  database: Database,
  of: { readonly account: AccountKind; readonly firstDay: string; readonly lastDay: string },
  rows: readonly FileRow[],
): Promise<{ readonly numbers: Numbers; readonly statements: readonly string[] }> {
  const statements = await overlappingStatements(database, of)
  // Lines of earlier files that are still being stored are not known yet.
  if (statements.length > 0) await storeSlices(database, null, Number.POSITIVE_INFINITY)
  const inFile = await inSlices(counted(statements.length > 0 ? rows : []))
  const known = new Map<string, number[]>()
  const highest = new Map<string, number>()
  for await (const lines of earlierDays(database, statements)) {
    const earlier = await inSlices(counted(lines))
    const isWhole = [...earlier].every(([key, count]) => (inFile.get(key) ?? 0) >= count)
    for (const { key, nth } of lines) {
      highest.set(key, Math.max(highest.get(key) ?? 0, nth))
      if (!isWhole) continue
      const numbers = known.get(key)
      if (numbers) numbers.push(nth)
      else known.set(key, [nth])
    }
  }
  return { numbers: await inSlices(numbered(rows, known, highest)), statements }
}

/** Rows of one `yield` are handled without a pause. */
const AT_ONCE = 2_000

/** Of each row its number among the equal lines of its day; of some, that it is doubted for that. */
export interface Numbers {
  readonly nth: Uint32Array
  readonly equal: ReadonlySet<number>
}

function* numbered(
  rows: readonly FileRow[],
  known: ReadonlyMap<string, readonly number[]>,
  highest: ReadonlyMap<string, number>,
): Generator<void, Numbers> {
  const used = new Map<string, number>()
  const lists = new Map<string, readonly number[]>()
  const nth = new Uint32Array(rows.length)
  const equal = new Set<number>()
  for (const [index, { key }] of rows.entries()) {
    const place = used.get(key) ?? 0
    used.set(key, place + 1)
    // Two earlier statements may have the same line.
    if (place === 0 && known.has(key)) lists.set(key, [...new Set(known.get(key))])
    const numbers = lists.get(key) ?? []
    const last = highest.get(key) ?? 0
    nth[index] = numbers[place] ?? last + place - numbers.length + 1
    if (last > 0 && numbers.length === 0) equal.add(index)
    if (index % AT_ONCE === AT_ONCE - 1) yield
  }
  return { nth, equal }
}

/** How often each key stands. */
function* counted(rows: readonly { readonly key: string }[]): Generator<void, ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const [index, { key }] of rows.entries()) {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (index % AT_ONCE === AT_ONCE - 1) yield
  }
  return counts
}
