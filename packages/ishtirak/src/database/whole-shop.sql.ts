// In which order the database has texts.
import { type Queryable, statement } from './database.js'
import { text } from './rows.js'

const inOrder = statement('whole_shop.texts', 'select given from unnest($1::text[]) t(given) order by given')

export async function texts(database: Queryable, found: readonly string[]): Promise<readonly string[]> {
  return (await database.query(inOrder, [found])).map((row) => text(row, 'given'))
}
