// What becomes of each line of a file that is withdrawn.

import { describeScenario } from '../../../../test/support/databases.js'
import { anEntry, NOON } from '../../../../test/support/fixtures.js'
import { sql } from '../../../../test/support/sql.js'
import type { Database, Queryable } from '../database/database.js'
import { findBankStatement, withdrawStatementRow } from './bank-statements.sql.js'

/** `stm_3` came first. Each line says which file brought it. */
const ROWS = `
  insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
  values ('stm_1', 'ccp', timestamptz '2026-11-27', 'karim', '{}', 5, '2026-11-18', '2026-11-23'),
         ('stm_2', 'ccp', timestamptz '2026-11-26', 'karim', '{}', 3, '2026-11-19', '2026-11-23'),
         ('stm_3', 'ccp', timestamptz '2026-11-25', 'karim', '{}', 2, '2026-11-19', '2026-11-20');
  insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                          doubts, payment_ids)
  values ('free', 'stm_1', 'ccp', '2026-11-18', 100, 'x', 'x', 1, '{}', '{}', '{}'),
         ('shared', 'stm_1', 'ccp', '2026-11-19', 100, 'x', 'x', 2, '{}', '{}', '{}'),
         ('brought_by_2', 'stm_2', 'ccp', '2026-11-20', 100, 'x', 'x', 3, '{}', '{}', '{}'),
         ('pays', 'stm_1', 'ccp', '2026-11-21', 100, 'x', 'x', 4, '{}', '{}', '{pay_1}'),
         ('pays_shared', 'stm_1', 'ccp', '2026-11-23', 100, 'x', 'x', 6, '{}', '{}', '{pay_3}');
  insert into bank_statement_lines (statement_id, place, line_id)
  select file, row_number() over (partition by file), line
    from (values ('stm_1', '{shared,pays_shared,free,pays,brought_by_2}'::text[]),
                 ('stm_2', '{shared,pays_shared,brought_by_2}'), ('stm_3', '{shared,brought_by_2}'))
         as files (file, lines)
   cross join lateral unnest(lines) with ordinality as l (line, at)
   order by file, at`

const AUDIT = anEntry('act_1', 'statement.withdraw')
const select = sql('select id, statement_id from bank_lines order by day')
const selectIds = sql('select line_id as id from bank_statement_lines where statement_id = $1 order by place')
const selectAudit = sql(`select after from audit where id = 'act_1'`)

const brought = async (database: Queryable) =>
  Object.fromEntries((await database.query(select)).map(({ id, statement_id }) => [id, statement_id]))

const withdraw = (database: Database, id: string) => withdrawStatementRow(database, id, AUDIT, NOON)

describeScenario('a file that is withdrawn', ({ database }) => {
  it('keeps what pays, leaves shared lines to another file, loses the rest', async () => {
    await database().script(ROWS)
    const counts = { withdrawn: 3, kept: 2 }
    expect(await withdraw(database(), 'stm_1')).toEqual(counts)
    expect(await brought(database())).toEqual({
      ...{ shared: 'stm_3', brought_by_2: 'stm_2' },
      ...{ pays: 'stm_1', pays_shared: 'stm_1' },
    })
    expect(await findBankStatement(database(), 'stm_1')).toMatchObject({
      ...{ firstDay: '2026-11-21', lastDay: '2026-11-23', lines: 2 },
    })
    const ids = await database().query(selectIds, ['stm_1'])
    expect(ids).toEqual([{ id: 'pays_shared' }, { id: 'pays' }])
    expect(await database().query(selectAudit)).toEqual([{ after: { withdrawn: 3, left: 2 } }])
  })

  it('goes with its last line', async () => {
    await database().script(ROWS)
    expect(await withdraw(database(), 'stm_3')).toEqual({ withdrawn: 2, kept: 0 })
    expect(await findBankStatement(database(), 'stm_3')).toBeNull()
    expect(await brought(database())).toMatchObject({ shared: 'stm_1', brought_by_2: 'stm_2' })
  })
})
