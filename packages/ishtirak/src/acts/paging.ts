// Pages of lists for operators. A cursor is opaque: one that the service did not write is refused.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import { LAST_INSTANT } from '../core/instant.js'
import { nullable } from '../http/schemas.js'

/** The cursor of a page (null: the first page) and its length. */
export interface PageRequest {
  readonly cursor: string | null
  readonly limit: number
}

export interface ReadPage<Item, Cursor = string> {
  readonly items: readonly Item[]
  readonly nextCursor: Cursor | null
  readonly beside?: object
}

type Parts = readonly (string | number)[]

/** `read` returns null if the parts are no position. An instant is a number from 0 to `LAST_INSTANT`. */
export function pageCursor<Position>(
  write: (position: Position) => Parts,
  read: (parts: Parts) => Position | null,
) {
  const encode = (position: Position) => Buffer.from(JSON.stringify(write(position))).toString('base64url')
  /** `found` has one item more than `limit` if there is a next page. */
  const pageBy = <Item>(found: readonly Item[], limit: number, positionOf: (item: Item) => Position) => {
    const items = found.slice(0, limit)
    const last = found.length > limit ? items.at(-1) : undefined
    return { items, nextCursor: last === undefined ? null : encode(positionOf(last)) }
  }
  return {
    encode,
    pageBy,
    /** Does the same for items that contain their position. */
    pageOf: <Item extends Position>(found: readonly Item[], limit: number) =>
      pageBy(found, limit, (item) => item),
    /** Throws `invalid_cursor`. */
    decode: (cursor: string): Position => {
      const parts = partsIn(cursor)
      const position = parts && read(parts)
      // A cursor of another list may have these parts and more.
      if (!position || encode(position) !== cursor) throw new BillingError('invalid_cursor')
      return position
    },
  }
}

type Member = 'number' | 'string'
type PositionOf<Members extends Readonly<Record<string, Member>>> = {
  readonly [Name in keyof Members]: Members[Name] extends 'number' ? number : string
}

/** The cursor of positions with these members: `cursorOf({ at: 'number', id: 'string' })`. */
export function cursorOf<const Members extends Readonly<Record<string, Member>>>(members: Members) {
  const names = Object.keys(members)
  return pageCursor<PositionOf<Members>>(
    (position) => names.map((name) => position[name] ?? ''),
    (parts) => {
      const isOne = names.every((name, place) => typeof parts[place] === members[name])
      const position = Object.fromEntries(names.map((name, place) => [name, parts[place]]))
      // Each part has the type that `members` names.
      return isOne ? (position as PositionOf<Members>) : null
    },
  )
}

export const byInstant = cursorOf({ at: 'number', id: 'string' })

function partsIn(cursor: string): Parts | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) && parts.every(isPart) ? parts : null
  } catch {
    return null
  }
}

function isPart(part: unknown): part is string | number {
  // Databases know no NUL in a text.
  if (typeof part === 'string') return !part.includes('\0')
  return typeof part === 'number' && Number.isSafeInteger(part) && part >= 0 && part <= LAST_INSTANT
}

export const pageQuery = {
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_000, description: 'Opaque, from `next_cursor`' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
}
export const nextCursor = nullable(Type.String({ description: 'Null on the last page' }))

/** Yields the pages of a list that have items. */
export async function* pagesBehind<Item, Cursor = string>(
  read: (cursor: Cursor | null) => Promise<ReadPage<Item, Cursor>>,
): AsyncGenerator<readonly Item[], undefined> {
  for (let cursor: Cursor | null = null; ; ) {
    const { items, nextCursor } = await read(cursor)
    if (items.length > 0) yield items
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

/** The rows of a file that are in memory at a time. */
const PAGE_ROWS = 1_000

/** Yields all rows in pages. `read` returns up to `limit` rows after `last`; null: the first rows. */
export function allPages<Row>(read: (last: Row | null, limit: number) => Promise<readonly Row[]>) {
  return pagesBehind(async (last: Row | null) => {
    const items = await read(last, PAGE_ROWS)
    return { items, nextCursor: items.length < PAGE_ROWS ? null : (items.at(-1) ?? null) }
  })
}

/** If only some rows belong to a list: the rows of one query, and the most rows examined for one page. */
const QUERY_ROWS = 1_000
const EXAMINED_MAX = 20_000

/**
 * Reads up to `limit` rows of a list, and returns the row after which the next page starts (null: it is the
 * last page). A page is shorter if few of the examined rows belong to the list.
 */
export async function pageOfList<Row>(of: {
  /** Returns up to `limit` rows after a row; null: the first rows. */
  readonly read: (last: Row | null, limit: number) => Promise<readonly Row[]>
  /** Returns the rows that belong to the list; null: all do. */
  readonly choose: ((rows: readonly Row[]) => Promise<readonly Row[]>) | null
  readonly limit: number
}): Promise<{ readonly items: readonly Row[]; readonly last: Row | null }> {
  const { read, choose, limit } = of
  const size = choose ? QUERY_ROWS : limit + 1
  const found: Row[] = []
  let last: Row | null = null
  for (let examined = 0; examined < EXAMINED_MAX; examined += size) {
    const rows: readonly Row[] = await read(last, size)
    found.push(...(choose ? await choose(rows) : rows))
    const items = found.slice(0, limit)
    if (found.length > limit) return { items, last: items.at(-1) ?? null }
    if (rows.length < size) return { items, last: null }
    last = rows.at(-1) ?? null
  }
  return { items: found, last }
}
