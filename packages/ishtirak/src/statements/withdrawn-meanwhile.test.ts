// A line that is approved while its file is withdrawn stays. On PostgreSQL: the embedded database does one
// after the other.
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { NOON } from '../../../../test/support/fixtures.js'
import { type Statement, statement } from '../database/database.js'
import { deleteStatement, linesOfStatement } from './bank-statements.sql.js'

const FILES = `
  insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day,
                               last_day)
  values ('stm_1', 'ccp', now(), 'karim', '{}', '{lin_1,lin_2,lin_3}', '2026-11-20', '2026-11-20'),
         ('stm_2', 'ccp', now(), 'karim', '{}', '{lin_3}', '2026-11-20', '2026-11-20');
  insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs)
  select 'lin_' || n, 'stm_1', 'ccp', '2026-11-20', 200000, 'VIR', 'vir', n, '{}'
    from generate_series(1, 3) n`
const waiting = statement(
  'test.withdrawn.waiting',
  `select count(*)::int as count from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock'`,
)
const approve = (id: string) =>
  statement(
    `test.withdrawn.approve_${id}`,
    `update bank_lines set state = 'approved', payment_ids = '{pay_1}', decided_at = now()
      where id = '${id}'`,
  )
const AUDIT = {
  ...{ id: 'act_1', actor: 'karim', act: 'statement.withdraw', reason: 'twice', payment_id: null },
  ...{ before: {}, after: {}, asked: null, operation_id: null },
}

async function withdrawWhile(change: Statement) {
  const database = await emptyDatabase('postgres')
  await database.script(FILES)
  let withdrawal: ReturnType<typeof deleteStatement> | undefined
  await database.transaction(async (transaction) => {
    await transaction.query(change)
    withdrawal = deleteStatement(database, 'stm_1', AUDIT, NOON)
    await expect.poll(() => database.query(waiting)).toEqual([{ count: 1 }])
  })
  const counts = await withdrawal
  const lines = async (id: string) => (await linesOfStatement(database, id)).map((line) => line.id)
  const left = { counts, first: await lines('stm_1'), second: await lines('stm_2') }
  return left
}

it('a line of one file', async () => {
  const counts = { withdrawn: 2, kept: 1 }
  expect(await withdrawWhile(approve('lin_1'))).toEqual({ counts, first: ['lin_1'], second: ['lin_3'] })
})

it('a line of two files', async () => {
  const counts = { withdrawn: 2, kept: 1 }
  expect(await withdrawWhile(approve('lin_3'))).toEqual({ counts, first: ['lin_3'], second: ['lin_3'] })
})
