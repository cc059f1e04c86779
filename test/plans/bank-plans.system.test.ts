// What the transfers that a bank statement is compared with cost to read, just after a large file came.
import { expect, it } from 'vitest'
import { payableTransfers } from '../../packages/ishtirak/src/statements/bank-matches.sql.js'
import { describeScenario } from '../support/databases.js'
import { days, NOON } from '../support/fixtures.js'
import { buffersOf, explain, heard } from './explain.js'

const TRANSFERS = 500

describeScenario('beside 10,000 new lines of a bank statement', ({ database }) => {
  it('each open transfer is read by some pages of its own', async () => {
    await database().script(`
      insert into users (user_id, created_at)
      select 'user-' || n, now() from generate_series(1, ${TRANSFERS}) n;
      insert into payments (user_id, id, plan, amount, currency, live, method, status, method_reference,
        created_at, expires_at, attempt_ends_at)
      select 'user-' || n, 'pay_' || n, '{}', 2000, 'DZD', false, 'transfer', 'pending', 'slip-' || n, t,
             t + interval '7 days', t
        from generate_series(1, ${TRANSFERS}) n, lateral (select timestamptz '2026-11-20' as t) s;
      insert into transfers (user_id, payment_id, reference)
      select user_id, id, method_reference from payments;
      -- Known for long; the lines came just now. Figures of tests before this one may be left.
      analyze users, payments, transfers;
      insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day, last_day)
      values ('stm', 'ccp', now(), 'karim', '{}', '{lin_1}', '2026-11-20', '2026-11-20');
      insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs)
      select 'lin_' || n, 'stm', 'ccp', '2026-11-20', 200000, 'VIR', 'vir', n, '{}'
        from generate_series(1, 10000) n`)
    const of = { references: [], isOfCells: false, orderedSince: NOON - days(120), dayOf: () => '2026-11-20' }
    const asked = await heard((one) => payableTransfers(one, of))
    const plan = await explain(database(), asked, { mode: 'generic', with: '(analyze, buffers)' })
    // By its payment, its user and the line that pays it. The lines have 200 pages.
    expect(buffersOf(plan)).toBeLessThan(TRANSFERS * 20)
  })
})
