// The statements of the floors: the service's own, as it sends them when it sends one for each request. Taken
// from it by asking for them with a database that only listens, so that they cannot grow apart.

import {
  createLoadUser,
  loadForSettlements,
  saveSettlement,
} from '../../packages/ishtirak/dist/main/internal.js'

export async function statementsOfService() {
  const nothing = { run: null, paidUntil: null, periods: [], endedAt: null, instrument: null }
  const change = {
    userId: '',
    version: 0,
    payment: null,
    isNew: false,
    subscription: nothing,
    received: null,
    ...{ withdrawsOpen: false, report: null, traceparent: null, codeUse: null, takesCode: null, moved: [] },
    ...{ document: null, grant: null, entry: null, audit: null, schedule: null },
  }
  return {
    selectUser: await heard((database) => createLoadUser(database)('')),
    loadPayment: await heard((database) =>
      loadForSettlements(database, [{ method: '', checkoutId: '', paymentId: '' }]),
    ),
    savePayment: await heard((database) =>
      saveSettlement(database, { ...change, events: [], receipt: null, now: 0 }),
    ),
    // Not the service's: what a page of the history shows, and no more.
    selectPage: {
      name: 'select_page',
      text: `select id, plan->>'id' as plan, amount, currency, status, instrument, checkout_url, created_at,
                    expires_at, paid_at, period_start, period_end
               from payments where user_id = $1 order by created_at desc, id desc limit 21`,
    },
    // Not the service's: it also answers repeated operations. One upsert is the least that counts at all.
    upsertUsage: {
      name: 'upsert_usage',
      text: `insert into usage as u (user_id, limit_name, scope, counts_as, used, revision)
             values ($1, $2, '', 'gauge', 1, 1)
                 on conflict (user_id, limit_name, scope) do update
                set used = u.used + 1, revision = u.revision + 1 where u.used + 1 <= 51200
             returning used`,
    },
  }
}

async function heard(ask) {
  let statement
  const listening = {
    query: async (asked) => {
      statement = asked
      return []
    },
  }
  // No rows is an answer that some of them refuse.
  await ask(listening).catch(() => {})
  if (!statement) throw new Error('the service asked nothing')
  return statement
}
