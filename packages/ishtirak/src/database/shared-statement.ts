// Calls of one kind that arrive together, as one statement: what every use of `coalesce` has in common where a database
// stands behind it.
import { type Coalesced, coalesce } from './coalesce.js'
import { CALL_LIMIT_MS, DatabaseUnavailable, isUnavailable, type Queryable, withLimit } from './database.js'

/** `one` and `many` are handed the database with the limit of their batch. */
export function shareStatements<Item, Result>(
  database: Queryable,
  statements: {
    readonly keyOf?: (item: Item) => string
    one(database: Queryable, item: Item): Promise<Result>
    many(database: Queryable, items: readonly Item[]): Promise<readonly Result[]>
  },
): Coalesced<Item, Result> {
  const { keyOf, one, many } = statements
  return coalesce<Item, Result>({
    ...(keyOf && { keyOf }),
    one: (item, giveUpAt) => one(withLimit(database, giveUpAt), item),
    many: (items, giveUpAt) => many(withLimit(database, giveUpAt), items),
    concernsAll: isUnavailable,
    refusal: () => new DatabaseUnavailable('given up while waiting for the database'),
    limitMs: CALL_LIMIT_MS,
  })
}
