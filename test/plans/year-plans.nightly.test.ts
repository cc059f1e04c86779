// What the year costs where there are many users: its page reads sums, the job that counts who lapsed reads
// so many users at a time, each statement as much as the one before, and a booking costs as much among many.

import { beforeEach, expect, it } from 'vitest'
import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import { lapsesBehind, markUsers, monthlyUsers } from '../../packages/ishtirak/src/books/paid-months.sql.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { describePlans } from '../support/databases.js'
import { days, NOON } from '../support/fixtures.js'
import { buffersOf, explain, heard, MODES, type Mode, type Run, rowsInPlan, textOf } from './explain.js'

const MONTH = { month: '2026-10', before: '2026-09', from: NOON - days(51), to: NOON - days(21), live: false }
const AT_ONCE = 200

/** All had paid time at the end of September, and one in ten none at the end of October. */
const fill = (database: Database, users: number) =>
  database.script(`
    insert into paid_months (user_id, live, months)
    select 'user-' || n, false, case when n % 10 = 0 then '{2026-09}'::text[] else '{2026-09,2026-10}' end
      from generate_series(1, ${users}) n;
    insert into mails (user_id, kind, about, queued_at)
    select 'user-' || n, 'receipt', 'pay_' || n, timestamptz '2026-10-01' from generate_series(1, ${users}) n;
    insert into monthly_users (month, live, began, users, came_back, lapsed)
    select to_char(date '2000-01-01' + m * interval '1 month', 'YYYY-MM'), false,
           to_char(date '2000-01-01' + b * interval '1 month', 'YYYY-MM'), 10, 0, 1
      from generate_series(0, 330) m, generate_series(greatest(0, m - 100), m) b;
    analyze`)

describePlans('with 20,000 users who paid', ({ database }) => {
  // One test, since the rows take a while to write.
  it('who lapsed is counted some at a time, reading only them; a year reads its sums', async () => {
    await fill(database(), 20_000)
    const planOf = async (run: Run, mode: Mode) => {
      const plan = await explain(database(), await heard(run), { mode, with: '(analyze, buffers)' })
      return { text: textOf(plan), buffers: buffersOf(plan) }
    }
    for (const mode of MODES)
      for (const after of ['', 'user-19500']) {
        const plan = await planOf((of) => lapsesBehind(of, MONTH, { after, most: AT_ONCE }), mode)
        expect(plan.text).toMatch(/paid_months_of_user/)
        expect(plan.text).not.toMatch(/Seq Scan on (paid_months|mails|payments)/)
        // Two or three pages for each, which lie in another order than the index; 20 of them have mails.
        expect(plan.buffers).toBeLessThan(AT_ONCE * 3)
      }
    let lapsed = 0
    for (let after: string | null = ''; after !== null; ) {
      const found = await lapsesBehind(database(), MONTH, { after, most: 3_000 })
      lapsed += found.lapsed
      after = found.last
    }
    expect(lapsed).toBe(2_000)
    const year = { first: '2025-12', last: '2026-12', live: false }
    const page = await planOf((of) => monthlyUsers(of, year), 'generic')
    expect(page.text).toMatch(/monthly_users_once/)
    // Planning reads 50; all months are 250, of which the year is one in twenty.
    expect(page.buffers).toBeLessThan(100)
  })
})

describePlans('with users who each paid three months', ({ database }) => {
  beforeEach(() =>
    database().script(`
      insert into users (user_id, version, created_at)
      select 'user-' || n, 1, timestamptz '2026-06-01' from generate_series(1, 5000) n;
      insert into payments (user_id, id, plan, amount, currency, live, status, method_reference,
                            checkout_url, created_at, expires_at, attempt_ends_at, paid_at,
                            period_start, period_end)
      select 'user-' || n, 'pay_' || n || '_' || m, '{}', 2000, 'DZD', false, 'paid',
             'chk_' || n || '_' || m, 'https://pay.example', t, t, t, t, t, t + interval '30 days'
        from generate_series(1, 5000) n, generate_series(1, 3) m,
             lateral (select timestamptz '2026-06-01' + m * interval '30 days' as t) at_instant;
      ${INSERT_SELLER};
      ${insertReceipts(`
        select user_id, id, '2026' as series, row_number() over () as number, paid_at as issued_at, amount
          from payments`)};
      analyze`),
  )

  it.each(MODES)(
    'a %s plan of the months with paid time at their end has as many rows for each of 5,000 as of 50',
    async (mode) => {
      const rowsForEach = async (users: number) => {
        const userIds = Array.from({ length: users }, (_, n) => `user-${n + 1}`)
        const asked = await heard((of) => markUsers(of, userIds, 'Africa/Algiers'))
        return rowsInPlan(await explain(database(), asked, { mode, with: '(analyze, timing off)' })) / users
      }
      const few = await rowsForEach(50)
      expect(few).toBeGreaterThan(3)
      expect(await rowsForEach(5_000)).toBeLessThan(few * 1.5)
    },
  )
})
