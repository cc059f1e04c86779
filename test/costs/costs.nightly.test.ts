// Costs that noise cannot blur: pages, rows and bytes of the log. Each has its number in costs.ts.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { type Database, type Row, statement } from '../../packages/ishtirak/src/database/database.js'
import { saveSettlements } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { heard, literal, once, type Run } from '../plans/explain.js'
import { booking, consume, fill, ids } from '../plans/tables.js'
import { freshDatabase } from '../support/databases.js'
import { buildOnce } from '../support/process.js'
import { CALLS, type CallCosts, CHANGES, type ChangeCosts, DISK } from './costs.js'
import { expectCost } from './expect-cost.js'
import { payMonths } from './paid-months.js'

const CHANGED = Object.entries(CHANGES) as [keyof typeof CHANGES, ChangeCosts][]

describe('beside 2,000 users', () => {
  let database: Database
  beforeAll(async () => {
    database = await freshDatabase('postgres')
    await fill(database, 2_000)
    // Room on the first page: whether an update finds some there would be up to what else the server does.
    await database.script(`delete from usage where user_id = any('{${ids(120).slice(80)}}')`)
    await database.query(once('vacuum usage'))
    // The first document of a seller writes the seller too.
    await saveSettlements(database, [booking('user-9')])
    return () => database.close()
  })

  const changes: Readonly<Record<keyof typeof CHANGES, (userId: string) => Run>> = {
    booking: (userId) => (database) => saveSettlements(database, [booking(userId)]),
    consume: (userId) => (database) => consumeWhereUsual(database, [{ ...consume, userId }]),
  }

  // Each its own: a booking moves the version that a consume names.
  const usersOf = (name: keyof typeof CHANGES) => (name === 'booking' ? ids(40).slice(9) : ids(80).slice(49))

  it.each(CHANGED)('a %s costs its pages, rows and bytes of the log, and no more', async (name, costs) => {
    const found = await settled(database, usersOf(name).map(changes[name]))
    const looks = (figure: keyof ChangeCosts) => found.map((look) => look[figure])
    expectCost('buffers', looks('buffers'), costs.buffers)
    for (const rows of looks('rows')) expect.soft(rows, 'rows').toBe(costs.rows)
    expectCost('bytes of the log', looks('walBytes'), costs.walBytes)
  })
})

/** Looks without an image of a whole page. Some cost more: the first plans, and a full page that is split. */
async function settled(database: Database, runs: readonly Run[]): Promise<readonly ChangeCosts[]> {
  const found = []
  for (const run of runs) found.push(await explainWithRows(database, run))
  const looks = found.filter(({ images }) => images === 0)
  if (looks.length === 0) throw new Error('each wrote images of whole pages')
  return looks
}

async function explainWithRows(database: Database, run: Run): Promise<ChangeCosts & { images: number }> {
  const { statement: asked, parameters } = await heard(run)
  return database.transaction(async (transaction) => {
    const values = parameters.map(literal).join(', ')
    await transaction.query(once(`set local plan_cache_mode = force_generic_plan`))
    await transaction.query(once(`prepare costed as ${asked.text}`))
    const before = await transaction.query(rowsWritten)
    const [explained] = await transaction.query(
      once(`explain (analyze, buffers, wal, format json) execute costed(${values})`),
    )
    await transaction.query(once('deallocate costed'))
    const after = await transaction.query(rowsWritten)
    const [{ Plan: plan }] = (explained as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN']
    return {
      buffers: sumOf(plan, 'Shared Hit Blocks') + sumOf(plan, 'Shared Read Blocks'),
      rows: Number(after[0]?.rows) - Number(before[0]?.rows),
      walBytes: sumOf(plan, 'WAL Bytes'),
      images: sumOf(plan, 'WAL FPI'),
    }
  })
}

/** PostgreSQL counts the rows of this connection since its last report. */
const rowsWritten = statement(
  'test.costs.rows',
  'select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int as rows from pg_stat_xact_user_tables',
)

type Node = { Plans?: readonly Node[]; [figure: string]: unknown }

/** A node's figure contains those of the nodes below it, except for changes that are made at the end. */
function sumOf(node: Node, name: string): number {
  const figure = (of: Node) => Number(of[name] ?? 0)
  const below = node.Plans ?? []
  const own = figure(node) - below.reduce((sum, each) => sum + figure(each), 0)
  return Math.max(0, own) + below.reduce((sum, each) => sum + sumOf(each, name), 0)
}

const BENCHMARK = path.resolve(import.meta.dirname, '../../bench/calls.mjs')

/** The tolerance of `promoted` for calls that leave next to nothing. */
const CHANCE = 30

type Heap = Pick<CallCosts, 'allocated' | 'promoted'>

describe('a call', () => {
  let found: Readonly<Record<string, CallCosts & { slices: readonly Heap[] }>> = {}
  beforeAll(async () => {
    buildOnce()
    const env = { PATH: process.env.PATH, BENCH_DATABASE_URL: inject('serverUrl') }
    const { stdout } = await promisify(execFile)(process.execPath, [BENCHMARK], { env })
    found = JSON.parse(stdout)
  })

  it.each(Object.entries(CALLS))('%s costs its statements and bytes, and no more', (name, costs) => {
    const measured = found[name]
    if (!measured) throw new Error(`${name} was not measured`)
    expect.soft(measured.statements, 'statements').toBe(costs.statements)
    expect.soft(measured.roundTrips, 'round trips').toBe(costs.roundTrips)
    const slices = (figure: keyof Heap) => measured.slices.map((slice) => slice[figure])
    expectCost('bytes allocated', slices('allocated'), costs.allocated)
    expectCost('bytes promoted', slices('promoted'), costs.promoted, CHANCE)
  })
})

const USERS = 500
const MONTHS = 10

const sizes = statement(
  'test.costs.sizes',
  `select c.relname as "table", coalesce(i.relname, 'rows') as part,
          round(pg_relation_size(coalesce(i.oid, c.oid))
                + case when i.oid is null then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)
                  else 0 end)::int as bytes
     from pg_class c
     left join lateral (
       select oid, relname from pg_class x join pg_index on indexrelid = oid where indrelid = c.oid
        union all select null, null
     ) i on true
    where c.relkind = 'r' and c.relname = any($1::text[])
    order by 1, i.oid is not null, 3 desc`,
)

describe(`${USERS} users who paid ${MONTHS} months`, () => {
  let parts: readonly Row[] = []
  beforeAll(async () => {
    const database: Database = await freshDatabase('postgres')
    await payMonths(database, USERS, MONTHS)
    parts = await database.query(sizes, [Object.keys(DISK)])
    console.table(
      parts.map(({ table, part, bytes }) => ({
        table,
        part,
        bytes: Math.round(Number(bytes) / USERS / MONTHS),
      })),
    )
    return () => database.close()
  })

  it.each(Object.entries(DISK))(
    '%s: rows and indexes take their bytes a payment, and no more',
    (table, most) => {
      const own = parts.filter((part) => part.table === table)
      const bytes = own.reduce((sum, part) => sum + Number(part.bytes), 0) / USERS / MONTHS
      expectCost(table, [bytes], most)
    },
  )
})
