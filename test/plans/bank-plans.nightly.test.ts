// Deciding lines, or withdrawing a file, takes as much for each line of many as of few.
import { payableTransfers } from '../../packages/ishtirak/src/bank-statements/bank-matches.sql.js'
import {
  settleLines,
  withdrawStatementRow,
} from '../../packages/ishtirak/src/bank-statements/bank-statements.sql.js'
import type { Database, Queryable } from '../../packages/ishtirak/src/database/database.js'
import { describePlans } from '../support/databases.js'
import { anEntry, days, NOON } from '../support/fixtures.js'
import { bookedByKarim, insertTransfers } from '../support/known-transfers.js'
import { type Asked, buffersOf, explain, heard, rowsInPlan } from './explain.js'

const TRANSFERS = 500

describePlans('beside 10,000 new lines of a bank statement', ({ database }) => {
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
      insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
      values ('stm', 'ccp', now(), 'karim', '{}', 1, '2026-11-20', '2026-11-20');
      insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs)
      select 'lin_' || n, 'stm', n, 'ccp', '2026-11-20', 200000, 'VIR', '{}'
        from generate_series(1, 10000) n`)
    const of = { orderedSince: NOON - days(120), references: [], dayOf: () => '2026-11-20' }
    const asked = await heard((one) => payableTransfers(one, of))
    const plan = await explain(database(), asked, { mode: 'generic', with: '(analyze, buffers)' })
    // By its payment, its user and the line that pays it. The lines have 200 pages.
    expect(buffersOf(plan)).toBeLessThan(TRANSFERS * 20)
  })
})

/** Two files of one account, both with all lines. Each line names a booked transfer, and pays `payment`. */
const fill = (database: Database, lines: number, payment = 'null') =>
  database.script(`
    delete from bank_lines;
    delete from bank_statements;
    insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
    select file, 'ccp', now(), 'karim', '{}', ${lines}, '2026-11-20', '2026-11-20'
      from unnest('{stm_1,stm_2}'::text[]) file;
    insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs, payment_id)
    select 'lin_' || md5(n::text), 'stm_1', n, 'ccp', '2026-11-20', 200000, 'VIR',
           array['ref_' || n], ${payment}
      from generate_series(1, ${lines}) n`)

const inTransaction = (of: Queryable) =>
  ({ transaction: (work) => work({ ...of, script: () => Promise.resolve() }) }) as Database

/** Each withdrawal has an entry of its own in the audit trail. */
let withdrawals = 0
const entryOfNext = () => anEntry(`act_${++withdrawals}`, 'statement.withdraw')
const settle = () => heard((of) => settleLines(inTransaction(of), NOON))
type Ask = { asks: () => Promise<Asked>; payment?: string }
const ASKS = {
  'settles lines whose transfers were approved by hand': { asks: settle },
  'settles lines that were approved': { asks: settle, payment: `'pay_' || n` },
  'withdraws a file whose lines another has too': {
    asks: () => heard((of) => withdrawStatementRow(inTransaction(of), 'stm_1', entryOfNext(), NOON)),
  },
}

describePlans('with many lines of bank statements', ({ database }) => {
  // As if all lines before had paid something: what is open seems rare.
  const fillBeforehand = async () => {
    await fill(database(), 100)
    await database().script(`
      update bank_lines set state = 'approved', payment_id = id, decided_at = now();
      analyze`)
  }
  for (const [what, { asks, payment }] of Object.entries<Ask>(ASKS))
    it.each([
      ['custom', 'before statistics'],
      ['custom', 'after them'],
      ['generic', 'after them'],
    ] as const)(
      `a %s plan %s of what ${what} reads as many rows for each of 3,000 as of 100`,
      async (mode, when) => {
        const forEach = async (lines: number) => {
          await fillBeforehand()
          await fill(database(), lines, payment)
          if (when === 'after them') await database().script('analyze bank_lines, bank_statements')
          const options = { mode, with: '(analyze, buffers, timing off)' }
          const plan = await explain(database(), await asks(), options)
          return { rows: rowsInPlan(plan) / lines, pages: buffersOf(plan) / lines }
        }
        const transfers = Array.from({ length: 3_000 }, (_, n) => bookedByKarim(n + 1))
        await insertTransfers(database(), transfers)
        const few = await forEach(100)
        const many = await forEach(3_000)
        expect(few.rows).toBeGreaterThan(2)
        expect(many.rows).toBeLessThan(few.rows * 1.5)
        // A list of ids would be read again for each line. 30 pages before statistics, where doubts add 0.6.
        expect(many.pages).toBeLessThan(32)
      },
    )
})
