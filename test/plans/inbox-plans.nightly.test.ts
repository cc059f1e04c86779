// What is noted of the inbox costs as much for each entry where many come and many go.
import { expect, it } from 'vitest'
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { createInbox } from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { noteInbox } from '../../packages/ishtirak/src/overview/operator-mail.sql.js'
import { describePlans } from '../support/databases.js'
import { NOON } from '../support/fixtures.js'
import { explain, heard, MODES, rowsInPlan } from './explain.js'

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
