// Users of a shop with a year behind it move to another cell and back, on two databases of a server: each row
// is in the tables of the cell that has its user, and what is of no user stays.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../../test/support/databases.js'
import { fillDemo } from '../../../../test/support/demo.js'
import { createWorld, START } from '../../../../test/support/world.js'
import { writeBackup } from '../backup/backup.sql.js'
import { lockClosing } from '../books/closed.sql.js'
import { countReceiptsIn } from '../books/figures.sql.js'
import { markUsers } from '../books/paid-months.sql.js'
import { type Database, statement } from '../database/database.js'
import { cellsFor, parseCells, partOf } from '../runtime/cells.js'
import { claimDatabase } from './claim.sql.js'
import { giveUpMove, MOVE_STEPS, type MoveDeps, type MoveStep, moveParts } from './move.js'

const ZONE = 'Africa/Algiers'
const LEAVES = Array.from({ length: 128 }, (_, part) => part)
const CELLS = parseCells(
  JSON.stringify({
    cells: [
      { name: 'a', parts: ['0-255'], servers: ['127.0.0.1:1'] },
      { name: 'b', parts: [], servers: ['127.0.0.1:2'] },
    ],
  }),
)

const closeMonth = statement(
  'test.move.close_month',
  `insert into closed_months (month, sequence, ends_at, figures, counted, closed_at, closed_by)
   values ('2026-01', 1, '2026-02-01', '{}', '{}', '2026-02-02', 'amina')`,
)
const openMonths = statement('test.move.open_months', 'delete from closed_months')
const addPart = statement('test.move.add_part', 'insert into cell_parts values ($1)')
const dropParts = statement('test.move.drop_parts', 'delete from cell_parts')
const addUser = statement('test.move.add_user', 'insert into users (user_id, created_at) values ($1, now())')
const dropUsers = statement('test.move.drop_users', 'delete from users')

let a: Database
let b: Database
/** Every row of users as it was, by its table. */
let before: readonly string[] = []
beforeAll(async () => {
  ;[a, b] = [await freshDatabase('postgres'), await freshDatabase('postgres')]
  const world = await createWorld(a)
  await fillDemo(world, 40)
  await world[Symbol.asyncDispose]()
  await a.query(refusals)
  await a.transaction(async (transaction) => {
    await depsOf(a, b).countReceipts(transaction)
    await markUsers(transaction, [...new Set((await rowsIn(a)).map(userOf))], ZONE)
  })
  await claimDatabase(a, cellsFor('a', CELLS).own)
  await claimDatabase(b, cellsFor('b', CELLS).own)
  before = await rowsIn(a)
})
afterAll(async () => {
  await a.close()
  await b.close()
})

const refusals = statement(
  'test.move.refusals',
  `insert into usage_refusals
   select user_id, 'builds', '', '2026-01-01Z', 1, 1, 1, 1, '2026-01-01Z', '2026-01-01Z' from users`,
)

async function rowsIn(database: Database): Promise<string[]> {
  const lines: string[] = []
  await writeBackup(database, START, (line) => void lines.push(line))
  return lines.filter((line) => /^\w+\t\{.*"user_id":"[^"]/.test(line)).sort()
}

const userOf = (line: string): string => JSON.parse(line.split('\t')[1] ?? '').user_id

function depsOf(source: Database, target: Database, onStep: MoveDeps['onStep'] = () => {}): MoveDeps {
  return {
    source,
    target,
    mover: crypto.randomUUID(),
    countReceipts: async (s) => {
      await lockClosing(s)
      while ((await countReceiptsIn(s, 500, ZONE)) > 0);
    },
    countMonths: (t, userIds) => markUsers(t, userIds, ZONE),
    route: async () => {},
    onStep,
    sleep: (ms) => sleep(ms),
    waitMs: 20_000,
  }
}
const there = (onStep?: MoveDeps['onStep']) =>
  moveParts(depsOf(a, b, onStep), { from: 'a', to: 'b', parts: LEAVES })
const back = () => moveParts(depsOf(b, a), { from: 'b', to: 'a', parts: LEAVES })

async function expectMoved(): Promise<void> {
  const [here, gone] = [await rowsIn(a), await rowsIn(b)]
  expect([...here, ...gone].sort()).toEqual(before)
  expect(here.filter((line) => partOf(userOf(line)) < 128)).toEqual([])
  expect(gone.filter((line) => partOf(userOf(line)) >= 128)).toEqual([])
  expect(gone.length).toBeGreaterThan(100)
}

const leftOvers = statement(
  'test.move.left_overs',
  `select (select count(*) from cell_moves) as moves,
          (select count(*) from pg_trigger where tgname = 'user_moves') as triggers,
          (select count(*) from pg_namespace where nspname like '%\\_move') as schemas`,
)
async function expectNothingLeft(): Promise<void> {
  for (const database of [a, b])
    expect(await database.query(leftOvers)).toEqual([{ moves: 0, triggers: 0, schemas: 0 }])
}

it('the shop has rows in most tables of users', () => {
  const tables = new Set(before.map((line) => line.split('\t')[0]))
  expect(tables.size).toBeGreaterThan(12)
  // With the reference in the place of a user.
  expect(tables).toContain('shop_claims')
})

it('there and back', async () => {
  await there()
  await expectMoved()
  await expectNothingLeft()
  await back()
  expect(await rowsIn(a)).toEqual(before)
  expect(await rowsIn(b)).toEqual([])
  await expectNothingLeft()
})

it('a cell that has rows of such a user already says so, and nobody has moved', async () => {
  const userId = before.map(userOf).find((id) => partOf(id) < 128) ?? ''
  await b.query(addPart, [partOf(userId)])
  await b.query(addUser, [userId])
  await b.query(dropParts)
  await expect(there()).rejects.toThrow('the users have stayed: cell b cannot take them: duplicate key value')
  await giveUpMove(depsOf(a, b), { from: 'a', to: 'b', parts: LEAVES })
  await b.query(dropUsers)
  expect(await rowsIn(a)).toEqual(before)
  await expectNothingLeft()
})

it('cells that have not closed the same months say so, and nothing has begun', async () => {
  await a.query(closeMonth)
  await expect(there()).rejects.toThrow('the two cells have not closed the same months')
  await expectNothingLeft()
  await b.query(closeMonth)
  await there()
  await back()
  for (const database of [a, b]) await database.query(openMonths)
  expect(await rowsIn(a)).toEqual(before)
  await expectNothingLeft()
})

describe.each(MOVE_STEPS)('ended after the step %s', (last: MoveStep) => {
  const stop = (step: MoveStep) => {
    if (MOVE_STEPS.indexOf(step) >= MOVE_STEPS.indexOf(last)) throw new Error('stopped')
  }
  it('a second run finishes', async () => {
    await expect(there(stop)).rejects.toThrow('stopped')
    await there()
    await expectMoved()
    await expectNothingLeft()
    await back()
    expect(await rowsIn(a)).toEqual(before)
  })
  it('--back leaves all as it was, or says what has moved', async () => {
    await expect(there(stop)).rejects.toThrow('stopped')
    const giveUp = giveUpMove(depsOf(a, b), { from: 'a', to: 'b', parts: LEAVES })
    const isBefore = MOVE_STEPS.indexOf(last) < MOVE_STEPS.indexOf('switched')
    if (isBefore) {
      await giveUp
      expect(await rowsIn(a)).toEqual(before)
    } else {
      await giveUp.catch((error: Error) => expect(error.message).toContain('have left a'))
      await there()
      await expectMoved()
      await back()
    }
    await expectNothingLeft()
  })
})
