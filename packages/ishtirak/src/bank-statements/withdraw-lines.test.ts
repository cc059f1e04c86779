// What becomes of each line of a file that is withdrawn.
import { describeScenario } from '../../../../test/support/databases.js'
import { anEntry, NOON } from '../../../../test/support/fixtures.js'
import { sql } from '../../../../test/support/sql.js'
import type { Database } from '../database/database.js'
import { findBankStatement, withdrawStatementRow } from './bank-statements.sql.js'

const ROWS = `
  insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
  values ('stm_1', 'ccp', timestamptz '2026-11-27', 'karim', '{}', 4, '2026-11-18', '2026-11-23'),
         ('stm_2', 'ccp', timestamptz '2026-11-26', 'karim', '{}', 1, '2026-11-20', '2026-11-20'),
         ('stm_3', 'ccp', timestamptz '2026-11-25', 'karim', '{}', 1, '2026-11-20', '2026-11-20');
  insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs, payment_id)
  values ('free', 'stm_1', 1, 'ccp', '2026-11-18', 100, 'x', '{}', null),
         ('other', 'stm_2', 1, 'ccp', '2026-11-20', 100, 'x', '{}', null),
         ('pays', 'stm_1', 3, 'ccp', '2026-11-21', 100, 'x', '{}', 'pay_1'),
         ('pays_too', 'stm_1', 2, 'ccp', '2026-11-23', 100, 'x', '{}', 'pay_3')`

const AUDIT = anEntry('act_1', 'statement.withdraw')
const selectIds = sql('select id from bank_lines order by statement_id, place')
const selectAudit = sql(`select after from audit where id = 'act_1'`)
const withdraw = (database: Database, id: string) => withdrawStatementRow(database, id, AUDIT, NOON)
const lines = async (database: Database) => (await database.query(selectIds)).map(({ id }) => id)

describeScenario('a file that is withdrawn', ({ database }) => {
  it('keeps what pays, and loses the rest', async () => {
    await database().script(ROWS)
    expect(await withdraw(database(), 'stm_1')).toEqual({ withdrawn: 1, kept: 2 })
    expect(await lines(database())).toEqual(['pays_too', 'pays', 'other'])
    expect(await findBankStatement(database(), 'stm_1')).toMatchObject({
      ...{ first_day: '2026-11-21', last_day: '2026-11-23', lines: 2 },
    })
    expect(await database().query(selectAudit)).toEqual([{ after: { withdrawn: 1, left: 2 } }])
  })

  it.each([
    ['stm_2', 1, ['pays_too', 'pays']],
    ['stm_3', 0, ['pays_too', 'pays', 'other']],
  ])('goes with its last line, or without any: %s', async (id, withdrawn, left) => {
    await database().script(`${ROWS}; delete from bank_lines where id = 'free'`)
    expect(await withdraw(database(), id)).toEqual({ withdrawn, kept: 0 })
    expect(await findBankStatement(database(), id)).toBeNull()
    expect(await lines(database())).toEqual(left)
  })
})
