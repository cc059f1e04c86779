import type { PGlite } from '@electric-sql/pglite'
import { emptyDatabase } from '../../../../../test/support/databases.js'
import { sql } from '../../../../../test/support/sql.js'
import { DatabaseUnavailable, givenUpAfter } from '../database.js'
import { runTransaction } from '../session.js'
import { StatementQueue } from './pglite.js'
import { EmbeddedSession } from './wire-protocol.js'

const insert = sql('insert into kept (value) values ($1)')
const count = sql('select count(*) as count from kept')

it('a transaction that awaits something else is rolled back; a statement waits for its slice', async () => {
  // A second session on the database of this worker: another one takes two seconds to open.
  const database = await emptyDatabase('pglite')
  const { pglite } = database as unknown as { readonly pglite: PGlite }
  await database.script('create table kept (value integer)')
  let slices = 0
  const session = new EmbeddedSession(pglite, {
    pauseWhenDue: () => {
      slices += 1
      return undefined
    },
  })
  const forgotten = runTransaction(
    session,
    async (transaction) => {
      for (let value = 0; value < 5; value++) await transaction.query(insert, [value])
      expect(slices).toBeGreaterThanOrEqual(5)
      await new Promise(() => {})
    },
    20,
  )
  await expect(forgotten).rejects.toMatchObject({ code: '25P04' })
  expect(await session.query(count, [])).toEqual([{ count: 0 }])
  // The database's own session prepares its queries under the same names.
  await session.script('deallocate all')
  await database.script('drop table kept')
})

function held(): { readonly work: () => Promise<string>; letGo(): void } {
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  return { work: () => gate.then(() => 'done'), letGo: () => letGo() }
}

it('what has waited too long is refused and never begun; what comes after it is done', async () => {
  const queue = new StatementQueue()
  const first = held()
  const begun: string[] = []
  const work = (name: string) => async () => void begun.push(name)
  const done = queue.run(first.work)
  const late = queue.run(work('late'), givenUpAfter(0))
  const patient = queue.run(work('patient'))
  first.letGo()
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable)
  await patient
  expect([await done, begun]).toEqual(['done', ['patient']])
})

it('5,000 may wait: the next one is refused at once, and there is room when they are done', async () => {
  const queue = new StatementQueue()
  const first = held()
  const waiting = [first.work, ...Array.from({ length: 4_999 }, () => async () => 'done')]
  const answers = waiting.map((work) => queue.run(work))
  await expect(queue.run(async () => 'done')).rejects.toBeInstanceOf(DatabaseUnavailable)
  first.letGo()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']))
  expect(await queue.run(async () => 'again')).toBe('again')
})

it('a caller who sends one statement after the other lets the event loop turn', async () => {
  let time = 0
  const queue = new StatementQueue(() => time)
  let turns = 0
  const turning = setInterval(() => {
    turns += 1
  }, 0)
  const eachTakes3Ms = async () => {
    await queue.pauseWhenDue()
    time += 3
  }
  // The loop ends when the timer has run. If no statement let the event loop turn, it would never end.
  for (let sent = 0; sent < 100_000 && turns === 0; sent++) await queue.run(eachTakes3Ms)
  clearInterval(turning)
  expect(turns).toBe(1)
})
