// Lists of users and payments by what is asked of them: days and instants that they lie between, and the walk
// that reads a page where not every row is one of the list.
import type { TObject } from 'typebox'
import { wrongField } from '../core/error.js'
import { type Instant, LAST_INSTANT } from '../core/instant.js'
import type { WallClock } from '../runtime/calendar.js'
import { readInstant } from './day.js'

/** Half open. */
export interface TimeSpan {
  readonly from: Instant
  readonly to: Instant
}

type Ends<Name extends string> = { readonly [End in `${Name}_from` | `${Name}_until`]?: string | undefined }

/**
 * `<name>_from` and `<name>_until`; a day counts whole. One that is absent is no bound; null: both are.
 * Throws `validation_failed`.
 */
export function spanIn<Name extends string>(
  wallClock: WallClock,
  filter: Ends<Name>,
  name: Name,
): TimeSpan | null {
  const first: string | undefined = filter[`${name}_from`]
  const last: string | undefined = filter[`${name}_until`]
  if (first === undefined && last === undefined) return null
  const from = first === undefined ? 0 : readInstant(wallClock, `${name}_from`, first)
  const end = last === undefined ? LAST_INSTANT : readInstant(wallClock, `${name}_until`, last)
  const to = (last !== undefined && wallClock.dayOf(last)?.to) || end
  if (to <= from) throw wrongField(`${name}_until`, 'too_small', first)
  return { from, to }
}

/** Null: everything is. */
export function isWithin(span: TimeSpan | null, at: Instant | null): boolean {
  return span === null || (at !== null && at >= span.from && at < span.to)
}

/** Whether they have an instant in common. */
export function meets(span: TimeSpan, start: Instant | null, end: Instant | null): boolean {
  return start !== null && end !== null && start < span.to && end > span.from
}

/** Rows that are read at a time where only some are of the list, and that one page looks at. */
const ROWS = 1_000
const LOOKED_AT_MAX = 20_000

/**
 * Up to `limit` rows of the list, and the row behind which it goes on; null: nothing is behind it. A page may
 * have fewer where few of those that it looked at are of the list.
 */
export async function pageOfList<Row>(of: {
  /** Up to `limit` behind a row; null: the first. */
  readonly read: (last: Row | null, limit: number) => Promise<readonly Row[]>
  /** Null: all are of the list. */
  readonly choose: ((rows: readonly Row[]) => Promise<readonly Row[]>) | null
  readonly limit: number
}): Promise<{ readonly items: readonly Row[]; readonly last: Row | null }> {
  const { read, choose, limit } = of
  const size = choose ? ROWS : limit + 1
  const found: Row[] = []
  let last: Row | null = null
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; lookedAt += size) {
    const rows: readonly Row[] = await read(last, size)
    found.push(...(choose ? await choose(rows) : rows))
    const items = found.slice(0, limit)
    if (found.length > limit) return { items, last: items.at(-1) ?? null }
    if (rows.length < size) return { items, last: null }
    last = rows.at(-1) ?? null
  }
  return { items: found, last }
}

/** The members of the filter that were typed into a form, or stand in an address. */
export function filterIn(
  { properties }: TObject,
  typed: (name: string) => string,
): Readonly<Record<string, string>> {
  const given = Object.keys(properties).map((name) => [name, typed(name).trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}
