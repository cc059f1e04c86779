// In which order the database has texts, and whether it answers.
import { type Queryable, statement } from './database.js'
import { text } from './rows.js'

const inOrder = statement('whole_shop.texts', 'select given from unnest($1::text[]) t(given) order by given')

export async function texts(database: Queryable, found: readonly string[]): Promise<readonly string[]> {
  return (await database.query(inOrder, [found])).map((row) => text(row, 'given'))
}

const answers = statement('whole_shop.answers', 'select 1 as answers', {})

/** What is asked of one cell, to know whether it answers. */
export const DOES_ANSWER = { name: answers.name, parameters: [] }

/** For a reading that asks them nothing else: which cells are missing. */
export async function askWhichAnswer(database: Queryable): Promise<void> {
  await database.query(answers)
}
