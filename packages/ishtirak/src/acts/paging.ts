// Where a page of an operator's list goes on. Opaque: anything that we did not write is refused.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import { type Instant, LAST_INSTANT } from '../core/instant.js'
import { nullable } from '../http/schemas.js'

type Parts = readonly (string | number)[]

/** `read` gives null for what is no position. An instant is a number from 0 to `LAST_INSTANT`. */
export function pageCursor<Position>(
  write: (position: Position) => Parts,
  read: (parts: Parts) => Position | null,
) {
  const encode = (position: Position) => Buffer.from(JSON.stringify(write(position))).toString('base64url')
  /** Of what was found, one more than `limit` where there are more. */
  const pageBy = <Item>(found: readonly Item[], limit: number, positionOf: (item: Item) => Position) => {
    const items = found.slice(0, limit)
    const last = found.length > limit ? items.at(-1) : undefined
    return { items, nextCursor: last === undefined ? null : encode(positionOf(last)) }
  }
  return {
    encode,
    pageBy,
    /** The same of items that have their position. */
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

/** Of what is listed by an instant and, at one instant, by its id. */
export const byInstant = pageCursor<{ readonly at: Instant; readonly id: string }>(
  ({ at, id }) => [at, id],
  ([at, id]) => (typeof at === 'number' && typeof id === 'string' ? { at, id } : null),
)

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

/** All pages of a list, as they are asked for. */
export async function* pagesBehind<Item>(
  read: (cursor: string | null) => Promise<{ readonly items: Item; readonly nextCursor: string | null }>,
): AsyncGenerator<Item, undefined> {
  for (let cursor: string | null = null; ; ) {
    const { items, nextCursor } = await read(cursor)
    yield items
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

/** Rows of a file that are held in memory at a time. */
const PAGE_ROWS = 1_000

/** All rows, in pages. `read` gives up to `limit` of them after the last one given; null: the first. */
export async function* allPages<Row>(
  read: (last: Row | null, limit: number) => Promise<readonly Row[]>,
): AsyncIterable<readonly Row[]> {
  let last: Row | null = null
  for (;;) {
    const page: readonly Row[] = await read(last, PAGE_ROWS)
    if (page.length > 0) yield page
    if (page.length < PAGE_ROWS) return
    last = page.at(-1) ?? null
  }
}
