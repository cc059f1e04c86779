// What becomes of each line of a file that is withdrawn.
import { expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { anEntry, NOON } from '../../../../test/support/fixtures.js'
import { type Queryable, statement } from '../database/database.js'
import { deleteStatement, findBankStatement } from './bank-statements.sql.js'

/** `stm_3` came first. Each line says which file brought it. */
const ROWS = `
  insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day, last_day)
  values ('stm_1', 'ccp', timestamptz '2026-11-27', 'karim', '{}',
          '{shared,pays_shared,free,pays,brought_by_2}', '2026-11-18', '2026-11-23'),
         ('stm_2', 'ccp', timestamptz '2026-11-26', 'karim', '{}', '{shared,pays_shared,brought_by_2}',
          '2026-11-19', '2026-11-23'),
         ('stm_3', 'ccp', timestamptz '2026-11-25', 'karim', '{}', '{shared,brought_by_2}',
          '2026-11-19', '2026-11-20');
  insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                          payment_ids)
  values ('free', 'stm_1', 'ccp', '2026-11-18', 100, 'x', 'x', 1, '{}', '{}'),
         ('shared', 'stm_1', 'ccp', '2026-11-19', 100, 'x', 'x', 2, '{}', '{}'),
         ('brought_by_2', 'stm_2', 'ccp', '2026-11-20', 100, 'x', 'x', 3, '{}', '{}'),
         ('pays', 'stm_1', 'ccp', '2026-11-21', 100, 'x', 'x', 4, '{}', '{pay_1}'),
         ('pays_shared', 'stm_1', 'ccp', '2026-11-23', 100, 'x', 'x', 6, '{}', '{pay_3}')`

const AUDIT = anEntry('act_1', 'statement.withdraw')
const select = statement('test.withdraw_lines.lines', 'select id, statement_id from bank_lines order by day')
const selectIds = statement('test.withdraw_lines.ids', 'select line_ids from bank_statements where id = $1')
const selectAudit = statement('test.withdraw_lines.audit', `select after from audit where id = 'act_1'`)

const brought = async (database: Queryable) =>
  Object.fromEntries((await database.query(select)).map(({ id, statement_id }) => [id, statement_id]))

describeScenario('a file that is withdrawn', ({ database }) => {
  it('keeps what pays, leaves shared lines to another file, loses the rest', async () => {
    await database().script(ROWS)
    const counts = { withdrawn: 3, kept: 2 }
    expect(await deleteStatement(database(), 'stm_1', AUDIT, NOON)).toEqual(counts)
    expect(await brought(database())).toEqual({
      ...{ shared: 'stm_3', brought_by_2: 'stm_2' },
      ...{ pays: 'stm_1', pays_shared: 'stm_1' },
    })
    expect(await findBankStatement(database(), 'stm_1')).toMatchObject({
      ...{ firstDay: '2026-11-21', lastDay: '2026-11-23', lines: 2 },
    })
    const ids = await database().query(selectIds, ['stm_1'])
    expect(ids).toEqual([{ line_ids: ['pays_shared', 'pays'] }])
    expect(await database().query(selectAudit)).toEqual([{ after: { withdrawn: 3, left: 2 } }])
  })

  it('goes with its last line', async () => {
    await database().script(ROWS)
    expect(await deleteStatement(database(), 'stm_3', AUDIT, NOON)).toEqual({ withdrawn: 2, kept: 0 })
    expect(await findBankStatement(database(), 'stm_3')).toBeNull()
    expect(await brought(database())).toMatchObject({ shared: 'stm_1', brought_by_2: 'stm_2' })
  })
})
