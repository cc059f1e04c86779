// The plans of the hot statements on large tables: they find their rows by index, with generic and custom
// plans, and a sweep reads only what is due. Those about usage are in usage-plans.system.test.ts.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  claimDuePayments,
  claimLookAtProvider,
  scheduleNextCheck,
} from '../../packages/ishtirak/src/checkout/sweep.sql.js'
import {
  insertRequestedPayments,
  loadForUpgrades,
  type RequestedPayment,
} from '../../packages/ishtirak/src/checkout/upgrade.sql.js'
import { HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { PAYMENT_KINDS, PUBLIC_PAYMENT_STATUSES } from '../../packages/ishtirak/src/core/payment.js'
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
import { type DatabaseKind, freshDatabase } from '../support/databases.js'
import { aPayment, aReport, days, NOON } from '../support/fixtures.js'
import { CONSOLE, CONSOLE_LISTS, CONSOLE_WAITING, newest, type Run } from './console-statements.js'
import { type Asked, buffersOf, explain, heard, literal, once, textOf } from './explain.js'
import { booking, consume, fill, ids, rowsOf } from './tables.js'

const reports = ids(32).map((userId, n) =>
  aReport({ userId, checkoutId: `chk_${n + 1}_5`, paymentId: `pay_${n + 1}_5` }),
)
const page = {
  userId: 'user-7',
  now: NOON,
  after: { createdAt: NOON - days(30), id: 'pay_7_4' },
  status: null,
  limit: 20,
}
const open = aPayment({ userId: 'user-7', id: 'pay_7_5' })

function requested(userId: string): RequestedPayment {
  return { user: { userId }, version: null, payment: aPayment({ userId, id: `new-${userId}` }) }
}

const asked = (userId: string) => ({ user: { userId }, methods: ['chargily'], now: NOON })

const TABLES =
  'users payments outbox provider_events receipts mails usage transfers user_search audit daily_figures'
const SCANNED = new RegExp(`Seq Scan on (${TABLES.replaceAll(' ', '|')})`)

const HOT: [name: string, run: Run, index: RegExp][] = [
  ['a status', (database) => createLoadUser(database)('user-7'), /payments_one_open_per_user/],
  [
    '32 statuses at once',
    (database) => Promise.all(ids(34).map(createLoadUser(database))),
    /payments_one_open_per_user/,
  ],
  [
    'the first page of the history',
    (database) => createListPayments(database)({ ...page, after: null }),
    /payments_of_user/,
  ],
  [
    'a later page',
    (database) => createListPayments(database)(page),
    /payments_of_user[\s\S]*Index Cond: .*ROW/,
  ],
  [
    '32 pages at once',
    (database) => {
      const list = createListPayments(database)
      return Promise.all(ids(34).map((userId) => list({ ...page, userId })))
    },
    /payments_of_user/,
  ],
  ['one payment', (database) => findPayment(database, 'user-7', 'pay_7_5'), /payments_by_id/],
  ['a payment by its id alone', (database) => findPaymentById(database, 'pay_7_5'), /payments_by_id/],
  [
    'what an upgrade needs',
    (database) => loadForUpgrades(database, [asked('user-7')]),
    /payments_one_open_per_user/,
  ],
  [
    'what 32 upgrades need',
    (database) => loadForUpgrades(database, ids(32).map(asked)),
    /payments_one_open_per_user/,
  ],
  [
    'a request of an upgrade',
    (database) => insertRequestedPayments(database, [requested('new')]),
    /users_by_id/,
  ],
  [
    '32 requests of upgrades',
    (database) => insertRequestedPayments(database, ids(32).map(requested)),
    /users_by_id/,
  ],
  [
    'whose checkout it is',
    (database) => loadForSettlements(database, reports.slice(0, 1)),
    /payments_by_reference/,
  ],
  [
    'whose 32 checkouts they are',
    (database) => loadForSettlements(database, reports),
    /payments_by_reference/,
  ],
  ['a booking', (database) => saveSettlements(database, [booking('user-7')]), /users_by_id/],
  ['32 bookings', (database) => saveSettlements(database, ids(32).map(booking)), /users_by_id/],
  [
    'a look of a reader',
    (database) => claimLookAtProvider(database, open, { now: NOON, unlessSince: NOON }),
    /Index Scan using payments_/,
  ],
  ['the end of a look', (database) => scheduleNextCheck(database, open, null), /Index Scan using payments_/],
  [
    'the next event of a user',
    (database) => nextEventOf(database, { userId: 'user-7', until: NOON, delivered: 1, written: 3 }),
    /outbox_in_sequence/,
  ],
  [
    'a usual consume',
    (database) => consumeWhereUsual(database, [{ ...consume, userId: 'user-8' }]),
    /usage_once/,
  ],
  [
    'usual consumes, several at once',
    (database) =>
      consumeWhereUsual(
        database,
        ids(4).map((userId) => ({ ...consume, userId })),
      ),
    /usage_once/,
  ],
  ['a consume', (database) => createApplyUsageOperation(database)(consume), /usage_once/],
  ...CONSOLE,
  [
    'a release',
    (database) => createApplyUsageOperation(database)({ ...consume, kind: 'release' }),
    /usage_once/,
  ],
]

const SWEEPS: [name: string, run: Run, index: RegExp][] = [
  [
    'payments to look up',
    (database) =>
      claimDuePayments(database, {
        now: NOON,
        limit: 5,
        retryAt: NOON + MINUTE,
        methods: ['chargily'],
        areMeant: true,
      }),
    /payments_due/,
  ],
  [
    'users whose events wait',
    (database) =>
      claimUsersWithEvents(database, {
        now: NOON,
        limit: 5,
        until: NOON + HOUR,
        url: 'https://host.example',
      }),
    /users_deliver/,
  ],
  ['ends to announce', (database) => loadDueAnnouncements(database, NOON, 5), /users_announce/],
  [
    'mail that is owed',
    (database) =>
      claimDueMails(database, {
        now: NOON,
        limit: 5,
        leaseUntil: NOON + HOUR,
        written: [{ kind: 'receipt' }],
      }),
    /mails_due/,
  ],
  ...CONSOLE_LISTS,
]

/** Without those about 32 at once. */
const one = [...HOT, ...SWEEPS].filter(([name]) => !name.includes('32'))

describe.each<DatabaseKind>(['pglite', 'postgres'])('with 20,000 users and 100,000 payments (%s)', (kind) => {
  // Filling takes most of the time: all look at the same tables, those who change something last.
  const few = filled(kind, 2_000)
  const { database } = filled(kind, 20_000)

  it.each(SWEEPS)('a sweep reads no more than with a tenth of the users: %s', async (_name, run) => {
    const asked = await heard(run)
    const pages = await Promise.all([few.database(), database()].map((one) => pagesRead(one, asked)))
    const [ofFew = 0, ofMany = 0] = pages
    // 2 are due among 2,000 users and 20 among 20,000, of which 5 are taken: 5/2 as many, and a level more of
    // each index for each of them. All of it would be some thousand pages.
    expect(ofMany).toBeLessThanOrEqual(ofFew * 2.5 + 25)
  })

  describe.each(['custom', 'generic'] as const)('a %s plan', (mode) => {
    it.each([...HOT, ...SWEEPS, ...CONSOLE_WAITING])(
      'of %s rides on its index and scans no table',
      async (_name, run, index) => {
        const plan = textOf(await explain(database(), await heard(run), { mode }))
        expect(plan).toMatch(index)
        expect(plan).not.toMatch(SCANNED)
      },
    )
  })

  describe('as with a million users', () => {
    beforeAll(() =>
      database().script(
        "update pg_class set reltuples = reltuples * 50 where relnamespace = 'public'::regnamespace " +
          'and reltuples > 0',
      ),
    )

    it.each([...one, ...CONSOLE_WAITING])('%s rides on the same index', async (_name, run, index) => {
      expect(textOf(await explain(database(), await heard(run), { mode: 'generic' }))).toMatch(index)
    })
  })

  describe('with 20 open payments', () => {
    beforeAll(() =>
      database().script(
        `update payments set status = 'expired' where status = 'pending'
          and user_id not like '%000'; analyze`,
      ),
    )

    it.each(['custom', 'generic'] as const)('a %s plan of a list of them reads no others', async (mode) => {
      const asked = await heard((database) =>
        newestPayments(database, { ...newest, status: 'pending' }, NOON),
      )
      expect(textOf(await explain(database(), asked, { mode }))).toMatch(/payments_listed/)
    })
  })
})

describe.each<DatabaseKind>(['pglite', 'postgres'])('with 200,000 payments (%s)', (kind) => {
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
  const lists: [name: string, wanted: Partial<Parameters<typeof newestPayments>[1]>][] = [
    ['of all', {}],
    ...PUBLIC_PAYMENT_STATUSES.map((status): [string, object] => [`by status ${status}`, { status }]),
    ...PAYMENT_KINDS.map((kind): [string, object] => [`by method ${kind}`, { kind }]),
    ['by both', { status: 'failed', kind: 'transfer' }],
    ['by both, where there is none', { status: 'canceled', kind: 'cash' }],
    ['by both and user', { status: 'refunded', kind: 'cash', userId: 'user-2' }],
  ]

  describe.each(['custom', 'generic'] as const)('a %s plan', (mode) => {
    it.each(lists)(
      'of a list %s reads what it shows, on its first and on its last page',
      async (_, wanted) => {
        for (const after of [null, first]) {
          const asked = await heard((database) =>
            newestPayments(database, { ...newest, ...wanted, after }, NOON),
          )
          const pages = buffersOf(await explain(database(), asked, { mode, with: '(analyze, buffers)' }))
          // Fifty rows of each kind and status, and the way through the index to each: the table has 5,000
          // pages.
          expect(pages).toBeLessThan(400)
        }
      },
    )
  })
})

describe.each<DatabaseKind>(['pglite', 'postgres'])('with mail that nothing writes (%s)', (kind) => {
  const { database } = filledBy(kind, (empty) =>
    empty.script(`
      insert into users (user_id, created_at) values ('user-1', now());
      insert into mails (user_id, kind, about, queued_at, due_at)
      select 'user-1', case when n > 59990 then 'receipt' else 'of_no_writer' end, 'pay_' || n, t, t
        from generate_series(1, 60000) n,
          lateral (select timestamptz '2026-11-01' + n * interval '1 second' as t) s;
      analyze mails`),
  )

  it.each(['custom', 'generic'] as const)('a %s plan of what is sent reads none of it', async (mode) => {
    const written = [{ kind: 'granted', about: 'grt_' }, { kind: 'receipt' }]
    const asked = await heard((database) =>
      claimDueMails(database, { now: NOON, limit: 4, leaseUntil: NOON + HOUR, written }),
    )
    const plan = await explain(database(), asked, { mode, with: '(analyze, buffers)' })
    // All that waits has 700 pages; planning reads up to 200.
    expect(buffersOf(plan)).toBeLessThan(300)
  })
})

/** A transaction that writes some thousand rows takes longer than a request may. */
const UNBOUNDED = Number.POSITIVE_INFINITY

/** References and triggers are looked at row by row: half a minute for as many. */
const notLookedAt = (whether: 'disable' | 'enable') => `alter table payments ${whether} trigger all`

describe.each<DatabaseKind>(['pglite', 'postgres'])(
  'a plan that was made before the first user came (%s)',
  (kind) => {
    it('reads a few pages when there are 3,000 of them', async () => {
      const database = await freshDatabase(kind)
      const pages = await database.transaction(async (transaction) => {
        const run = (text: string) => transaction.query(once(text))
        await run('set local plan_cache_mode = force_generic_plan')
        const commands = []
        for (const [index, [, ask]] of one.entries()) {
          const { statement: asked, parameters } = await heard(ask)
          await run(`prepare early_${index} as ${asked.text}`)
          const values = parameters.map(literal).join(', ')
          commands.push(`execute early_${index}${values && `(${values})`}`)
          // Planned, and kept: nothing but `analyze` makes the database think again.
          await run(`explain ${commands.at(-1)}`)
        }
        for (const rows of rowsOf(3_000)) await run(rows)
        const found = []
        for (const command of commands)
          found.push(buffersOf(await run(`explain (analyze, buffers) ${command}`)))
        return found
      }, UNBOUNDED)
      await database.close()
      // A dozen rows, each found through two or three pages of an index; a whole table would be thousands.
      // The inbox has nine parts, and looks for the user and for another payment of each of its rows.
      const most = (name: string) => (name === 'a page of the inbox' ? 150 : 100)
      const costly = one
        .map(([name], index) => [name, pages[index]] as const)
        .filter(([name, count]) => Number(count) > most(name))
      expect(costly).toEqual([])
    })
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

async function pagesRead(database: Database, asked: Asked): Promise<number> {
  return buffersOf(await explain(database, asked, { mode: 'generic', with: '(analyze, buffers)' }))
}
