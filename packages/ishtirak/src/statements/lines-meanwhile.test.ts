// Lines of bank statements that change while others are withdrawn or decided. On PostgreSQL: the embedded
// database does one after the other.
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { anEntry, NOON } from '../../../../test/support/fixtures.js'
import { oneWaits } from '../../../../test/support/lock-wait.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { settleBy } from './bank-matches.sql.js'
import { alone, deleteStatement, linesOfStatement } from './bank-statements.sql.js'

const FILES = `
  insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day,
                               last_day)
  values ('stm_1', 'ccp', now(), 'karim', '{}', '{lin_1,lin_2,lin_3}', '2026-11-20', '2026-11-20'),
         ('stm_2', 'ccp', now(), 'karim', '{}', '{lin_3}', '2026-11-20', '2026-11-20');
  insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs)
  select 'lin_' || n, 'stm_1', 'ccp', '2026-11-20', 200000, 'VIR', 'vir', n, '{}'
    from generate_series(1, 3) n`
const approve = (id: string) =>
  statement(
    `test.meanwhile.approve_${id}`,
    `update bank_lines set state = 'approved', payment_ids = '{pay_1}', decided_at = now()
      where id = '${id}'`,
  )
const AUDIT = anEntry('act_1', 'statement.withdraw')

const touch = statement('test.meanwhile.touch', 'update bank_lines set refs = refs')
const pay = statement(
  'test.meanwhile.pay',
  `update bank_lines set payment_ids = '{pay_9}' where id = 'lin_1'`,
)
const setAside = statement(
  'test.meanwhile.set_aside',
  `update bank_lines set state = 'set_aside', decided_at = now(), reason = 'x' where id = 'lin_2'`,
)
const approvedLines = statement(
  'test.meanwhile.approved',
  `select id from bank_lines where state = 'approved' order by id`,
)

let database: Database
beforeEach(async () => {
  database = await emptyDatabase('postgres')
})

/** Begins `work` after `change`, and ends `change` when `work` waits for it. */
async function meanwhile<Result>(
  change: (held: Queryable) => Promise<unknown>,
  work: () => Promise<Result>,
  hold: typeof alone = (of, run) => of.transaction(run),
): Promise<Result> {
  let working: Promise<Result> | undefined
  await hold(database, async (held) => {
    await change(held)
    working = work()
    await oneWaits(database)
  })
  return working as Promise<Result>
}

describe('a withdrawal', () => {
  it.each([
    ['of one file', 'lin_1', ['lin_1']],
    ['of two files', 'lin_3', ['lin_3']],
  ])('keeps a line %s that is approved meanwhile', async (_, line, kept) => {
    await database.script(FILES)
    const withdraw = () => deleteStatement(database, 'stm_1', AUDIT, NOON)
    const counts = await meanwhile((held) => held.query(approve(line)), withdraw)
    expect(counts).toEqual({ withdrawn: 2, kept: 1 })
    const lines = async (id: string) => (await linesOfStatement(database, id)).map(({ id }) => id)
    expect([await lines('stm_1'), await lines('stm_2')]).toEqual([kept, ['lin_3']])
  })
})

describe('what decides lines', () => {
  const fact = (n: number) => ({
    ...{ payment_id: `pay_${n}`, reference: `ref_${n}`, amount: 2000 },
    ...{ state: 'approved', status: 'paid', approved_by: 'karim' },
  })

  it('decides those too that changed meanwhile', async () => {
    await database.script(`${FILES};
      insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs)
      select 'lin_' || n, 'stm_1', 'ccp', '2026-11-20', 200000, 'VIR', 'vir', n, array['ref_' || n]
        from generate_series(11, 70) n`)
    const facts = Array.from({ length: 60 }, (_, n) => fact(n + 11))
    const settle = () => settleBy(database, facts, NOON)
    expect(await meanwhile((held) => held.query(touch), settle)).toBe(60)
  })

  it('leaves a line that is about to pay another payment by then, or was set aside', async () => {
    await database.script(`${FILES}; update bank_lines set refs = array['ref_' || nth]`)
    const settle = () => settleBy(database, [fact(1), fact(2), fact(3)], NOON)
    const change = (held: Queryable) => Promise.all([held.query(pay), held.query(setAside)])
    expect(await meanwhile(change, settle)).toBe(1)
    expect(await database.query(approvedLines)).toEqual([{ id: 'lin_3' }])
  })

  it('says of one line alone that it pays a payment, where two runs meet', async () => {
    await database.script(`${FILES}; update bank_lines set refs = '{ref_1}' where id in ('lin_1', 'lin_2')`)
    const settle = () => settleBy(database, [fact(1)], NOON)
    expect(await meanwhile((held) => held.query(approve('lin_2')), settle, alone)).toBe(0)
    expect(await database.query(approvedLines)).toEqual([{ id: 'lin_2' }])
  })
})
