import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import {
  type Database,
  declaredStatements,
  statement,
} from '../../packages/ishtirak/src/database/database.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { createInbox } from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { once, textOf } from '../plans/explain.js'
import { fill } from '../plans/tables.js'
import { freshDatabase } from '../support/databases.js'
import { KEPT_ONCE, NEEDED_BY } from './indexes.js'

const SOURCES = path.resolve(import.meta.dirname, '../../packages/ishtirak/src')

const all = statement(
  'test.costs.indexes',
  'select indexname as name from pg_indexes where schemaname = current_schema() order by 1',
)

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => path.join(SOURCES, file))
const declaring = files.filter((file) => /\bstatement\(/.test(readFileSync(file, 'utf8')))
/** What the comment above a statement says: `// Uses the index mails_due.` */
const USES = /^\/\/ .*\bUses the index (\w+)\.$[\s\S]*?\bstatement\(\s*'([\w.]+)'/gm
const needed = [
  ...NEEDED_BY,
  ...declaring.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(USES),
      ([, index = '', name = '']) => [index, name] as const,
    ),
  ),
]

let database: Database
beforeAll(async () => {
  await Promise.all(declaring.map((file) => import(file)))
  createInbox(inboxOf(CAPABILITIES))
  database = await freshDatabase('postgres')
  await fill(database, 2_000)
  return () => database.close()
})

it('every index is listed with a query that needs it, and that query’s plan uses it', async () => {
  const names = (await database.query(all)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    [...new Set([...needed.map(([index]) => index), ...Object.keys(KEPT_ONCE)])].sort(),
  )
  const unused = []
  for (const [index, name] of needed) {
    const plan = await planOf(declaredStatements.get(name) ?? '')
    if (!new RegExp(`\\b${index}\\b`).test(plan)) unused.push([index, name])
  }
  expect(unused).toEqual([])
})

/** For any values, and for tables that are too large to be scanned. */
async function planOf(text: string): Promise<string> {
  const places = Array.from(text.matchAll(/\$(\d+)/g), ([, place]) => Number(place))
  const values = Array.from({ length: Math.max(0, ...places) }, () => 'null').join(', ')
  return await database.transaction(async (transaction) => {
    const run = (sql: string) => transaction.query(once(sql))
    await run('set local plan_cache_mode = force_generic_plan')
    await run('set local enable_seqscan = off')
    await run(`prepare asked as ${text}`)
    const plan = textOf(await run(`explain execute asked${values && `(${values})`}`))
    await run('deallocate asked')
    return plan
  })
}
