// Which index each query needs is in test/costs/indexes.ts.
import {
  claimDuePayments,
  claimLookup,
  scheduleNextCheck,
} from '../../packages/ishtirak/src/checkout/sweep.sql.js'
import {
  insertRequestedPayments,
  loadForUpgrades,
  type RequestedPayment,
} from '../../packages/ishtirak/src/checkout/upgrade.sql.js'
import { HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { PUBLIC_METHODS, PUBLIC_PAYMENT_STATUSES } from '../../packages/ishtirak/src/core/payment.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { claimUsersWithEvents, nextEventOf } from '../../packages/ishtirak/src/events/deliver-events.sql.js'
import { newestPayments } from '../../packages/ishtirak/src/ledger/payment-list.sql.js'
import {
  createListPayments,
  findPayment,
  findPaymentById,
} from '../../packages/ishtirak/src/ledger/payments.sql.js'
import { loadForSettlements } from '../../packages/ishtirak/src/ledger/reported-payment.sql.js'
import { saveSettlements } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { createLoadUser, loadDueAnnouncements } from '../../packages/ishtirak/src/ledger/users.sql.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { createApplyUsageOperation } from '../../packages/ishtirak/src/limits/operations.sql.js'
import { claimDueMails } from '../../packages/ishtirak/src/mail/mail.sql.js'
import { DATABASE_KINDS, type DatabaseKind } from '../support/database-kinds.js'
import { freshDatabase } from '../support/databases.js'
import { aPayment, aReport, days, NOON } from '../support/fixtures.js'
import { CONSOLE, CONSOLE_LISTS, CONSOLE_WAITING, newest } from './console-statements.js'
import {
  type Asked,
  explain,
  heard,
  literal,
  MODES,
  once,
  type Run,
  rowsInPlan,
  scanningPlans,
  textOf,
} from './explain.js'
import { booking, consume, fill, ids, rowsOf } from './tables.js'

const KINDS = DATABASE_KINDS.slice(-1)

const reports = ids(32).map((userId, n) =>
  aReport({ userId, checkoutId: `chk_${n + 1}_5`, paymentId: `pay_${n + 1}_5` }),
)
const page = {
  ...{ userId: 'user-7', now: NOON, status: null, limit: 20 },
  after: { createdAt: NOON - days(30), id: 'pay_7_4' },
}
const open = aPayment({ userId: 'user-7', id: 'pay_7_5' })
const due = { now: NOON, limit: 5 }

function requested(userId: string): RequestedPayment {
  return { user: { userId }, version: null, payment: aPayment({ userId, id: `new-${userId}` }) }
}

const asked = (userId: string) => ({ user: { userId }, method: 'chargily', now: NOON })

const TABLES = 'users payments outbox provider_events documents mails usage transfers user_search audit'

const HOT: readonly Run[] = [
  (db) => createLoadUser(db)('user-7'),
  (db) => createListPayments(db)({ ...page, after: null }),
  (db) => createListPayments(db)(page),
  (db) => findPayment(db, 'user-7', 'pay_7_5'),
  (db) => findPaymentById(db, 'pay_7_5'),
  (db) => loadForUpgrades(db, [asked('user-7')]),
  (db) => insertRequestedPayments(db, [requested('new')]),
  (db) => loadForSettlements(db, reports.slice(0, 1)),
  (db) => saveSettlements(db, [booking('user-7')]),
  (db) => claimLookup(db, open, { now: NOON, unlessSince: NOON }),
  (db) => scheduleNextCheck(db, open, null),
  (db) => nextEventOf(db, { userId: 'user-7', until: NOON, delivered: 1, written: 3 }),
  (db) => consumeWhereUsual(db, [{ ...consume, userId: 'user-8' }]),
  (db) => {
    const several = ids(4).map((userId) => ({ ...consume, userId }))
    return consumeWhereUsual(db, several)
  },
  (db) => createApplyUsageOperation(db)(consume),
  (db) => createApplyUsageOperation(db)({ ...consume, kind: 'release' }),
  ...CONSOLE,
]

/** The queries of HOT, for 32 users at once. */
const FOR_32: readonly Run[] = [
  (db) => Promise.all(ids(34).map(createLoadUser(db))),
  (db) => {
    const list = createListPayments(db)
    return Promise.all(ids(34).map((userId) => list({ ...page, userId })))
  },
  (db) => loadForUpgrades(db, ids(32).map(asked)),
  (db) => insertRequestedPayments(db, ids(32).map(requested)),
  (db) => loadForSettlements(db, reports),
  (db) => saveSettlements(db, ids(32).map(booking)),
]

const SWEEPS: readonly Run[] = [
  (db) => claimDuePayments(db, { of: 'chargily' }, { ...due, retryAt: NOON + MINUTE }),
  (db) => claimUsersWithEvents(db, { ...due, until: NOON + HOUR, url: 'https://host.example' }),
  (db) => loadDueAnnouncements(db, NOON, 5),
  (db) => claimDueMails(db, { ...due, leaseUntil: NOON + HOUR }),
  ...CONSOLE_LISTS,
]

const ONE = [...HOT, ...SWEEPS]

describe.each(KINDS)('with 20,000 users and 100,000 payments (%s)', (kind) => {
  // Filling takes most of the time: all look at the same tables, those who change something last.
  const few = filled(kind, 2_000)
  const { database } = filled(kind, 20_000)

  it('a sweep reads no more than with a tenth of the users', async () => {
    const costly = []
    for (const run of SWEEPS) {
      const asked = await heard(run)
      const [ofFew, ofMany] = [await rowsRead(few.database(), asked), await rowsRead(database(), asked)]
      // 2 are due among 2,000 users and 20 among 20,000. A list shows 20 at most; a table has 20,000.
      if (ofMany > ofFew * 2.5 + 100) costly.push([asked.statement.name, ofFew, ofMany])
    }
    expect(costly).toEqual([])
  })

  it.each(MODES)('a %s plan scans no table', async (mode) => {
    const all = [...ONE, ...FOR_32, ...CONSOLE_WAITING]
    expect(await scanningPlans(database(), all, mode, TABLES)).toEqual([])
  })

  it('with 20 open payments a plan of a list of them reads no others', async () => {
    await database().script(
      `update payments set status = 'expired' where status = 'pending'
          and user_id not like '%000'; analyze`,
    )
    const asked = await heard((db) => newestPayments(db, { ...newest, status: 'pending' }, NOON))
    for (const mode of MODES)
      expect(textOf(await explain(database(), asked, { mode }))).toContain('payments_listed')
  })
})

describe.each(KINDS)('with 200,000 payments (%s)', (kind) => {
  // The newest are failed ones by card; what is rare is the oldest.
  const { database } = filledBy(kind, (empty) =>
    empty.script(`
      insert into users (user_id, created_at) select 'user-' || n, now() from generate_series(0, 3999) n;
      ${notLookedAt('disable')};
      insert into payments (user_id, id, plan, amount, currency, live, status, method, method_reference,
        created_at, expires_at,
                            attempt_ends_at)
      select 'user-' || n % 4000, 'pay_' || n, '{}', 2000, 'DZD', false, case when n % 50000 = 0
        then 'canceled' else 'failed' end,
             case when n < 5 then 'transfer' else 'chargily' end, 'chk_' || n, t, t, t
        from generate_series(0, 199999) n,
          lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as t) s;
      ${notLookedAt('enable')};
      analyze payments`),
  )
  const first = { createdAt: Date.parse('2026-01-01T00:20:00Z'), id: '' }
  const lists: Partial<Parameters<typeof newestPayments>[1]>[] = [
    {},
    ...PUBLIC_PAYMENT_STATUSES.map((status) => ({ status })),
    ...PUBLIC_METHODS.map((method) => ({ method })),
    { status: 'failed', method: 'transfer' },
    { status: 'canceled', method: 'cash' },
    { status: 'refunded', method: 'cash', userId: 'user-2' },
  ]

  it('a list by status, method or user reads what it shows, on its first and its last page', async () => {
    const costly = []
    for (const mode of MODES)
      for (const wanted of lists)
        for (const after of [null, first]) {
          const asked = await heard((db) => newestPayments(db, { ...newest, ...wanted, after }, NOON))
          const rows = rowsInPlan(await explain(database(), asked, { mode, with: '(analyze)' }))
          // Fifty rows of each kind and status, which each part of the plan counts, of 200,000.
          if (rows >= 400) costly.push([mode, wanted, after, rows])
        }
    expect(costly).toEqual([])
  })
})

/** A transaction that writes some thousand rows takes longer than a request may. */
const UNBOUNDED = Number.POSITIVE_INFINITY

/** References and triggers are looked at row by row: half a minute for as many. */
const notLookedAt = (whether: 'disable' | 'enable') => `alter table payments ${whether} trigger all`

it.each(KINDS)(
  'a plan that was made before the first user came reads a few rows when there are 3,000 of them (%s)',
  async (kind) => {
    const database = await freshDatabase(kind)
    const costly = await database.transaction(async (transaction) => {
      const run = (text: string) => transaction.query(once(text))
      await run('set local plan_cache_mode = force_generic_plan')
      const commands: [name: string, command: string][] = []
      for (const [index, ask] of ONE.entries()) {
        const { statement: asked, parameters } = await heard(ask)
        await run(`prepare early_${index} as ${asked.text}`)
        const values = parameters.map(literal).join(', ')
        const command = `execute early_${index}${values && `(${values})`}`
        commands.push([asked.name, command])
        // Run, and kept: nothing but `analyze` makes the database think again.
        await run(`explain ${command}`)
      }
      for (const rows of rowsOf(3_000)) await run(rows)
      const found = []
      for (const [name, command] of commands) {
        const rows = rowsInPlan(await run(`explain (analyze) ${command}`))
        // A page of a list; a whole table would be thousands. The inbox has nine parts and two lookups a row.
        if (rows > (name.startsWith('inbox.') ? 500 : 150)) found.push([name, rows])
      }
      return found
    }, UNBOUNDED)
    await database.close()
    expect(costly).toEqual([])
  },
)

const filled = (kind: DatabaseKind, users: number) => filledBy(kind, (database) => fill(database, users))

function filledBy(
  kind: DatabaseKind,
  fillIt: (database: Database) => Promise<void>,
): { database(): Database } {
  let database: Database | undefined
  beforeAll(async () => {
    database = await freshDatabase(kind)
    await fillIt(database)
    return () => database?.close()
  })
  return {
    database: () => {
      if (!database) throw new Error('the database exists inside tests only')
      return database
    },
  }
}

async function rowsRead(database: Database, asked: Asked): Promise<number> {
  return rowsInPlan(await explain(database, asked, { mode: 'generic', with: '(analyze)' }))
}
