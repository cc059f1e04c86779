// What a process claims for itself is as much as it asks for, whatever the database knows of the rows.
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import { claimTargets } from '../../packages/ishtirak/src/bulk/bulk.sql.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { claimOwed } from '../../packages/ishtirak/src/documents/documents.sql.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { createInbox, noteInbox } from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { describePlans } from '../support/databases.js'
import { NOON } from '../support/fixtures.js'
import { explain, heard, MODES, once, type Run, rowsInPlan } from './explain.js'

const [ROWS, MOST] = [2_000, 50]

/** As if all rows before were done, or there were none: what is to do seems rare. */
const CLAIMS = {
  'targets of an act on many': {
    fill: async (database: Database) => {
      const act = (id: string, targets: number, result: string) => `
        insert into bulk_acts (id, act, input, why, operator, role, by_key, targets, made_at)
        values ('${id}', 'grant', '{}', 'x', 'karim', 'owner', false, ${targets}, now());
        insert into bulk_targets (bulk_id, place, target, leased_until, result)
        select '${id}', n, 'user-' || n, timestamptz '2000-01-01', ${result}
          from generate_series(1, ${targets}) n;`
      await database.script(`${act('before', 100, `'done'`)} analyze bulk_acts, bulk_targets`)
      await database.script(act('now', ROWS, 'null'))
    },
    claim: (of) => claimTargets(of, 'now', { now: NOON, leaseMs: 1000, most: MOST }),
    claimed: 'select count(*)::int as count from bulk_targets where attempts > 0',
  },
  'users who may be owed an invoice': {
    fill: (database: Database) =>
      database.script(`analyze owed_invoices;
        insert into owed_invoices (user_id, due_at)
        select 'user-' || n, timestamptz '2000-01-01' from generate_series(1, ${ROWS}) n`),
    claim: (of) => claimOwed(of, { now: NOON, leasedUntil: NOON + 1000, limit: MOST }),
    claimed: `select count(*)::int as count from owed_invoices where due_at > timestamptz '2000-01-01'`,
  },
} satisfies Record<string, { fill(database: Database): Promise<void>; claim: Run; claimed: string }>

describePlans('what is claimed', ({ database }) => {
  for (const mode of MODES)
    it.each(Object.entries(CLAIMS))(`by a ${mode} plan: %s`, async (_, { fill, claim, claimed }) => {
      await fill(database())
      const plan = await explain(database(), await heard(claim), { mode, with: '(analyze, timing off)' })
      expect(await database().query(once(claimed))).toEqual([{ count: MOST }])
      expect(rowsInPlan(plan)).toBeLessThan(ROWS * 2)
    })
})

// What is noted of the inbox costs as much for each entry where many come and many go.
const inbox = createInbox(inboxOf(CAPABILITIES))

describePlans('the inbox', ({ database }) => {
  it.each(MODES)(
    'a %s plan of what entered and left has as many rows for each of 3,000 entries as of 50',
    async (mode) => {
      const rowsForEach = async (entries: number) => {
        await database().script(`
          delete from inbox_known;
          insert into inbox_known (kind, id) select 'gone', n::text from generate_series(1, ${entries}) n;
          analyze inbox_known`)
        const beside = Array.from({ length: entries }, (_, n) => ({ kind: `come_${n % 5}`, id: String(n) }))
        const asked = await heard((of) => noteInbox(of, inbox, { now: NOON, beside }))
        const plan = await explain(database(), asked, { mode, with: '(analyze, timing off)' })
        return rowsInPlan(plan) / entries
      }
      const few = await rowsForEach(50)
      expect(few).toBeGreaterThan(2)
      expect(await rowsForEach(3_000)).toBeLessThan(few * 1.5)
    },
  )
})
