// How the tables could be spread over servers by user, as docs/internals/spreading.md says: which statements
// find their rows by the user, and which look across users. Read from the plans, so that the page stays true.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import {
  type Database,
  type DatabaseError,
  declaredStatements,
  type Row,
  statement,
} from '../../packages/ishtirak/src/database/database.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { createInbox } from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { freshDatabase } from '../support/databases.js'

const root = path.resolve(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/internals/spreading.md'), 'utf8')

/** Those of tests, and those about whole tables. */
const OTHERS = /^(test|faults|fuzz|simulation|migrate|pglite|backup)\./

const tablesOfUsers = statement(
  'test.shards.tables',
  `select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'user_id' order by 1`,
)
const uniqueWithoutUser = statement(
  'test.shards.unique',
  `select indexrelid::regclass::text as name
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'user_id'
    where i.indisunique and not a.attnum = any(i.indkey::int2[]) order by 1`,
)

let database: Database
let sharded: readonly unknown[]
beforeAll(async () => {
  await Promise.all(sources().map((file) => import(file)))
  createInbox(inboxOf(CAPABILITIES))
  database = await freshDatabase('pglite')
  sharded = (await database.query(tablesOfUsers)).map((row) => row.name)
  return () => database.close()
})

it('every statement that looks across users is on the page, and no other', async () => {
  const own = [...declaredStatements].filter(([name]) => !OTHERS.test(name))
  const across = []
  // A service with other capabilities, as another test may have built one, puts its texts together anew.
  for (const [name, text] of own) {
    const isAcross = await looksAcross(name, text).catch((error: DatabaseError) => {
      // With too few of them a text has no use for a value, so that its type is not known.
      if (error.code === '42P18') return false
      throw error
    })
    if (isAcross) across.push(name.replace(/_\d+$/, ''))
  }
  expect([...new Set(across)].sort()).toEqual(namedIn('What looks across users', 1).sort())
})

it('a hot statement finds its rows by the user, but for whose checkout an event is about', async () => {
  const hot = namedIn('Step 4: spreading the users', 2)
  expect(hot.filter((name) => !declaredStatements.has(name))).toEqual([])
  const across = []
  for (const name of hot) if (await looksAcross(name, declaredStatements.get(name) ?? '')) across.push(name)
  expect(across).toEqual(['settlements.load'])
})

it('every unique index has the user in it, but for references of the desk and numbers', async () => {
  const names = (await database.query(uniqueWithoutUser)).map(({ name }) => name)
  expect(names).toEqual([
    'papers_number_once',
    'payments_desk_reference',
    'proformas_number_once',
    'receipts_number_once',
  ])
})

/**
 * Whether it reads a table of users' rows in another way than by `user_id`, with a plan that knows no values.
 */
async function looksAcross(name: string, text: string): Promise<boolean> {
  const places = [...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place))
  const values = Array.from({ length: Math.max(0, ...places) }, () => 'null').join(', ')
  const explain = `explain (verbose, format json) execute asked${values && `(${values})`}`
  return await database.transaction(async (transaction) => {
    const run = (part: string, sql: string) => transaction.query(statement(`test.shards.${part}`, sql))
    await run('generic', 'set local plan_cache_mode = force_generic_plan')
    await run(`prepare.${name}`, `prepare asked as ${text}`)
    const rows = await run(`explain.${name}`, explain)
    await run('deallocate', 'deallocate asked')
    return rows.flatMap((row) => scansOf(planOf(row), [])).some((isByUser) => !isByUser)
  })
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly Plans?: readonly Plan[]
  readonly [property: string]: unknown
}

const CONDITIONS = ['Index Cond', 'Recheck Cond', 'Filter', 'Join Filter', 'Hash Cond', 'Merge Cond']

/** Of each scan of a table with users' rows, whether it or a join above it compares `user_id`. */
function scansOf(plan: Plan, above: readonly string[]): readonly boolean[] {
  const own = CONDITIONS.flatMap((property) => partsOf(String(plan[property] ?? '')))
  const conditions = [...above, ...own]
  const below = (plan.Plans ?? []).flatMap((part) => scansOf(part, conditions))
  const { 'Relation Name': relation, Alias: alias = relation } = plan
  if (plan['Node Type'] === 'ModifyTable' || !sharded.includes(relation)) return below
  const isByUser = new RegExp(`^${alias}\\.user_id = |= ${alias}\\.user_id$`)
  return [conditions.some((condition) => isByUser.test(condition)), ...below]
}

/** What a condition joins by `and`. An alternative (`or`) stays in its parentheses. */
function partsOf(condition: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const word of condition.replace(/^\((.*)\)$/, '$1').split(/(?<=[()])|(?=[()])|( AND )/)) {
    if (word === '(') depth += 1
    if (word === ')') depth -= 1
    if (word === ' AND ' && depth === 0) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${word ?? ''}`)
  }
  return parts.map((part) => part.replace(/^\((.*)\)$/, '$1'))
}

/** The embedded database gives JSON parsed. */
function planOf(row: Row): Plan {
  const [explained] = row['QUERY PLAN'] as readonly { readonly Plan: Plan }[]
  if (!explained) throw new Error('there is no plan')
  return explained.Plan
}

/** The names of statements in a column of the table in this section. */
function namedIn(section: string, column: number): string[] {
  const text = page.split(`## ${section}`)[1]?.split('\n## ')[0] ?? ''
  const cells = text.split('\n').flatMap((line) => line.split('|')[column] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+\.[a-z_.]+)`/g)].map(([, name = '']) => name))
}

function sources(): string[] {
  const folder = path.join(root, 'packages/ishtirak/src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(folder, file))
    .filter((file) => /\bstatement\(/.test(readFileSync(file, 'utf8')))
}
