// Costs that noise cannot blur: pages, rows and bytes of the log. Each has its number in costs.ts.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { saveSettlements } from '../../packages/ishtirak/src/payments/settle.sql.js'
import type { Run } from '../plans/console-statements.js'
import { heard, literal, once } from '../plans/explain.js'
import { booking, fill, ids } from '../plans/tables.js'
import { freshDatabase } from '../support/databases.js'
import { CHANGES, type ChangeCosts } from './costs.js'

/** What a cost may be below its number: more is a gain to be kept. */
const GAIN = 0.9

function expectCost(name: string, measured: number, most: number): void {
  expect.soft(measured, `${name}: more than its number in costs.ts`).toBeLessThanOrEqual(most)
  expect
    .soft(measured, `${name}: more than 10 % below its number; lower it in costs.ts`)
    .toBeGreaterThanOrEqual(most * GAIN)
}

describe('beside 2,000 users', () => {
  let database: Database
  beforeAll(async () => {
    database = await freshDatabase('postgres')
    await fill(database, 2_000)
    return () => database.close()
  })

  const bookings = ids(40).slice(9)
  it('a booking costs its pages, rows and bytes of the log, and no more', async () => {
    const costs = CHANGES.booking
    const runs = bookings.map(
      (userId): Run =>
        (door) =>
          saveSettlements(door, [booking(userId)]),
    )
    const found = await settled(database, runs)
    expectCost('buffers', found.buffers, costs.buffers)
    expect.soft(found.rows, 'rows').toBe(costs.rows)
    expectCost('bytes of the log', found.walBytes, costs.walBytes)
  })
})

/** Of the first that writes no image of a whole page: those come once for each page after a checkpoint. */
async function settled(database: Database, runs: readonly Run[]): Promise<ChangeCosts> {
  for (const run of runs.slice(0, 5)) await explainWithRows(database, run)
  for (const run of runs.slice(5)) {
    const { images, ...costs } = await explainWithRows(database, run)
    if (images === 0) return costs
  }
  throw new Error('each wrote images of whole pages')
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

interface Node {
  readonly Plans?: readonly Node[]
  readonly [figure: string]: unknown
}

/**
 * A node's figure has those of the nodes below it in it, but for changes beside the answer, which are carried out at the end:
 * so each counts with what is its own, and at least with nothing.
 */
function sumOf(node: Node, name: string): number {
  const figure = (of: Node) => Number(of[name] ?? 0)
  const below = node.Plans ?? []
  const own = figure(node) - below.reduce((sum, each) => sum + figure(each), 0)
  return Math.max(0, own) + below.reduce((sum, each) => sum + sumOf(each, name), 0)
}
