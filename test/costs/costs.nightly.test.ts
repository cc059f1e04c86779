// Costs that noise cannot blur: pages, rows and bytes of the log. Each has its number in costs.ts.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { saveSettlements } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { heard, literal, once, type Run } from '../plans/explain.js'
import { booking, consume, fill, ids } from '../plans/tables.js'
import { freshDatabase } from '../support/databases.js'
import { CHANGES, type ChangeCosts } from './costs.js'
import { expectCost } from './expect-cost.js'

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

/** Of this connection, since it last reported. */
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
