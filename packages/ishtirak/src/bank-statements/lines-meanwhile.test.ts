// Lines of bank statements that change while a file is read in or withdrawn, or while lines are settled. On
// PostgreSQL alone: the embedded database runs one transaction after the other.
import { emptyDatabase } from '../../../../test/support/databases.js'
import { anEntry, NOON } from '../../../../test/support/fixtures.js'
import { bookedByKarim, insertTransfers } from '../../../../test/support/known-transfers.js'
import { oneWaits, soManyWait } from '../../../../test/support/lock-wait.js'
import { sql } from '../../../../test/support/sql.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import {
  findBankStatement,
  insertStatement,
  linesOfStatement,
  settleLines,
  withdrawStatementRow,
} from './bank-statements.sql.js'

const FILES = `
  insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
  values ('stm_1', 'ccp', now(), 'karim', '{}', 3, '2026-11-20', '2026-11-20'),
         ('stm_2', 'ccp', now(), 'karim', '{}', 1, '2026-11-20', '2026-11-20');
  insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs)
  select 'lin_' || n, 'stm_1', n, 'ccp', '2026-11-20', 200000, 'VIR', '{}'
    from generate_series(1, 3) n`
const linesOf = async (id: string) => (await linesOfStatement(database, id)).map((line) => line.id)
const approve = (id: string) =>
  statement(
    `test.meanwhile.approve_${id}`,
    `update bank_lines set state = 'approved', payment_id = 'pay_1', decided_at = now()
      where id = '${id}'`,
  )
const AUDIT = anEntry('act_1', 'statement.withdraw')

const touch = sql('update bank_lines set refs = refs')
const touchOne = sql('update bank_lines set refs = refs where id = $1')
const pay = sql(`update bank_lines set payment_id = 'pay_9' where id = 'lin_1'`)
const setAside = sql(
  `update bank_lines set state = 'set_aside', decided_at = now(), reason = 'x' where id = 'lin_2'`,
)
const approvedLines = sql(`select id from bank_lines where state = 'approved' order by id`)

let database: Database
beforeEach(async () => {
  database = await emptyDatabase('postgres')
})

/** Begins `work` after `change`, and ends `change` when `work` waits for it. */
async function meanwhile<Result>(
  change: (held: Queryable) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  let working: Promise<Result> | undefined
  await database.transaction(async (held) => {
    await change(held)
    working = work()
    await oneWaits(database)
  })
  return working as Promise<Result>
}

/** Withdraws the first file. */
const withdraw = () => withdrawStatementRow(database, 'stm_1', AUDIT, NOON)

describe('a withdrawal', () => {
  it('keeps a line that is approved meanwhile', async () => {
    await database.script(FILES)
    const counts = await meanwhile((held) => held.query(approve('lin_1')), withdraw)
    expect(counts).toEqual({ withdrawn: 2, kept: 1 })
    expect(await linesOf('stm_1')).toEqual(['lin_1'])
    expect(await findBankStatement(database, 'stm_1')).toMatchObject({ lines: 1 })
  })
})

/** Begins `first`, which a held row stops in its middle, and then `second`; ends both. */
async function bothAtOnce(row: string, first: () => Promise<unknown>, second: () => Promise<unknown>) {
  const working: Promise<unknown>[] = []
  await database.transaction(async (held) => {
    await held.query(touchOne, [row])
    working.push(first())
    await oneWaits(database)
    working.push(second())
    await Promise.race([working[1], soManyWait(database, 2)])
  })
  await Promise.all(working)
}

/** Reads in a file of one line. */
const readIn = async (id: string, refs: readonly string[] = []) => {
  const of = { day: '2026-11-20', centimes: 200_000, text: 'VIR' }
  const file = { statement_id: 'stm_new', account: 'ccp' } as const
  const line = { ...file, ...of, id, place: 1, references: refs, doubts: [], state: 'open' } as const
  const made = { ...file, form: {} as never, lines: 1 }
  const said = { imported_at: NOON, imported_by: 'karim', first_day: of.day, last_day: of.day }
  const audit = anEntry('act_2', 'statement.import')
  await insertStatement(database, { ...made, ...said }, [line], audit)
}

describe('settling', () => {
  const settle = () => settleLines(database, NOON)

  it('approves lines too that changed meanwhile', async () => {
    await database.script(`${FILES};
      insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs)
      select 'lin_' || n, 'stm_1', n, 'ccp', '2026-11-20', 200000, 'VIR', array['ref_' || n]
        from generate_series(11, 70) n`)
    const transfers = Array.from({ length: 60 }, (_, n) => bookedByKarim(n + 11))
    await insertTransfers(database, transfers)
    expect(await meanwhile((held) => held.query(touch), settle)).toBe(60)
  })

  it('leaves a line that is about to pay another payment by then, or was set aside', async () => {
    await database.script(`${FILES}; update bank_lines set refs = array['ref_' || place]`)
    await insertTransfers(
      database,
      [1, 2, 3].map((n) => bookedByKarim(n)),
    )
    const change = (held: Queryable) => Promise.all([held.query(pay), held.query(setAside)])
    expect(await meanwhile(change, settle)).toBe(1)
    expect(await database.query(approvedLines)).toEqual([{ id: 'lin_3' }])
  })

  it('approves one line alone for a payment, where a file with an earlier line comes meanwhile', async () => {
    await database.script(`${FILES}; update bank_lines set refs = array['ref_' || place]`)
    await insertTransfers(database, [bookedByKarim(2), bookedByKarim(3)])
    const readInAndSettle = async () => {
      await readIn('lin_0', ['ref_2'])
      await settle()
    }
    await bothAtOnce('lin_3', settle, readInAndSettle)
    expect(await database.query(approvedLines)).toEqual([{ id: 'lin_2' }, { id: 'lin_3' }])
  })
})

describe('a file that is read in', () => {
  it('has its lines, also if another file that has them is withdrawn meanwhile', async () => {
    await database.script(FILES)
    await bothAtOnce('lin_1', withdraw, () => readIn('lin_2'))
    expect(await linesOf('stm_new')).toEqual(['lin_2'])
  })
})
