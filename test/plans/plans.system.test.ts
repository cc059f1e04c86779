// The plans of the hot statements on large tables: they find their rows by index, with generic and custom plans, and a
// sweep reads only what is due. Those about usage are in usage-plans.system.test.ts.
import { beforeAll, describe, expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import {
  type Database,
  type Parameter,
  type Queryable,
  type Row,
  type Statement,
  statement,
} from '../../packages/ishtirak/src/database/database.js'
import { at } from '../../packages/ishtirak/src/database/rows.js'
import { claimUsersWithEvents, nextEventOf } from '../../packages/ishtirak/src/events/deliver-events.sql.js'
import { consumeWhereUsual, type UsageOperation } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { createApplyUsageOperation } from '../../packages/ishtirak/src/limits/operations.sql.js'
import { claimDueMails } from '../../packages/ishtirak/src/mail/mail.sql.js'
import { newestPayments } from '../../packages/ishtirak/src/operator/operator.sql.js'
import { REPAIRS } from '../../packages/ishtirak/src/operator/repair-instants.sql.js'
import {
  createListPayments,
  findPayment,
  findPaymentById,
} from '../../packages/ishtirak/src/payments/payments.sql.js'
import { loadForSettlements } from '../../packages/ishtirak/src/payments/reported-payment.sql.js'
import { type SettlementChange, saveSettlements } from '../../packages/ishtirak/src/payments/settle.sql.js'
import {
  claimDuePayments,
  claimLookAtProvider,
  scheduleNextCheck,
} from '../../packages/ishtirak/src/payments/sweep.sql.js'
import {
  insertRequestedPayments,
  loadForUpgrades,
  type RequestedPayment,
} from '../../packages/ishtirak/src/payments/upgrade.sql.js'
import { createLoadUser, loadDueAnnouncements } from '../../packages/ishtirak/src/payments/users.sql.js'
import { type DatabaseKind, freshDatabase } from '../support/databases.js'
import { aPayment, aReport, days, NOON, PRO } from '../support/fixtures.js'
import { CONSOLE, CONSOLE_LISTS, CONSOLE_WAITING, newest, type Run } from './console-statements.js'

/** 5 payments each; one user in a thousand has something due, and one a refund in some month. All that is small in a test would be scanned rightly. */
async function fill(database: Database, users: number): Promise<void> {
  await database.script(`${rowsOf(users).join(';')}; analyze`)
}

const rowsOf = (users: number): string[] => [
  `insert into users (user_id, version, event_sequence, delivered_sequence, email, name, created_at, announce_at)
   select 'user-' || n, 1, 3, case when n % 1000 = 0 then 1 else 3 end,
          'user-' || n || '@host.example', 'Amina Benali ' || n, now(),
          timestamptz '2026-11-21T12:00:00Z' + (case when n % 1000 = 0 then -1 else n end) * interval '1 minute'
     from generate_series(1, ${users}) n`,
  `insert into payments (user_id, id, plan, amount, currency, live, status, checkout_id, checkout_url, created_at,
                         expires_at, attempt_ends_at, next_check_at)
   select 'user-' || n, 'pay_' || n || '_' || k, '{}', 2000, 'DZD', false, case k when 5 then 'pending' else 'failed' end,
          'chk_' || n || '_' || k, 'https://pay.example', t, t + interval '30 minutes', t,
          case when k = 5 then t + (case when n % 1000 = 0 then 0 else 1 end) * interval '1 day' end
     from generate_series(1, ${users}) n, generate_series(1, 5) k,
          lateral (select timestamptz '2026-11-21T11:50:00Z' - (5 - k) * interval '30 days' as t) s`,
  `insert into outbox (user_id, sequence, id, type, payload, created_at)
   select 'user-' || n, k, 'evt_' || n || '_' || k, 'payment.failed', '{}', timestamptz '2026-11-21T11:00:00Z' - n * interval '1 second'
     from generate_series(1, ${users}) n, generate_series(1, 3) k`,
  `insert into provider_events (user_id, id, type, outcome, received_at)
   select 'user-' || n, 'evt_' || n, 'checkout.failed', 'failed', now() from generate_series(1, ${users}) n`,
  `insert into receipts (user_id, payment_id, series, number, issued_at, snapshot)
   select 'user-' || n, 'pay_' || n || '_1', '2025', n, now(),
          '{"paidOn": "2025-11-21", "split": {"netCentimes": 168067}, "stampDutyCentimes": 0}'
     from generate_series(1, ${users}) n`,
  `insert into mails (user_id, kind, about, queued_at, due_at)
   select 'user-' || n, 'receipt', 'pay_' || n, timestamptz '2026-11-21T11:00:00Z',
          case when n % 1000 = 0 then timestamptz '2026-11-21T11:00:00Z' end
     from generate_series(1, ${users}) n`,
  `insert into usage (user_id, limit_name, project_id, used, revision)
    select 'user-' || n, 'projects', '', 1, 1 from generate_series(1, ${users}) n`,
  `insert into usage_operations (user_id, operation_id, kind, limit_name, project_id, amount, maximum, used, created_at)
    select 'user-' || n, 'old', 'consume', 'projects', '', 1, 3, 1, now() from generate_series(1, ${users}) n`,
  `insert into transfers (user_id, payment_id, reference, state, refusal, proof_at)
   select 'user-' || n, 'pay_' || n || '_4', 'reference-' || n, case when n % 1000 = 0 then 'open' else 'refused' end, 'late',
          timestamptz '2026-11-21T11:00:00Z'
     from generate_series(1, ${users}) n`,
  `insert into comparisons (id, since_at, started_by, started_at, next_round_at, finished_at)
   select 'cmp_' || n, t, 'schedule', t, t, t
     from generate_series(1, 500) n, lateral (select timestamptz '2026-11-21T12:00:00Z' - n * interval '1 day' as t) s`,
  `insert into comparison_findings (user_id, checkout_id, kind, outcome, details, comparison_id, found_at, seen_at)
   select 'user-' || n, 'chk_' || n || '_1', 'differs', 'reported', '{}', 'cmp_' || (1 + n % 500), t, t
     from generate_series(1, ${users}) n,
          lateral (select timestamptz '2026-11-21T12:00:00Z' - (1 + n % 500) * interval '1 day' as t) s`,
  `insert into audit (user_id, id, acted_at, actor, act, payment_id, before, after)
   select 'user-' || n, 'act_' || n, timestamptz '2026-11-21T11:00:00Z' - interval '1 day' * (n % 1000 + n / 1000 * 20),
          'amina', case when n % 1000 = 0 then 'payment.refund' else 'payment.recheck' end, 'pay_' || n || '_1', '{}', '{}'
     from generate_series(1, ${users}) n`,
  `insert into daily_figures
   select to_char(date '2026-11-21' - n, 'YYYY-MM-DD'), true, 'chargily', 'cib', 1, 1, 200000, 168067, 0, 0, 0, 0
     from generate_series(0, 1000) n`,
  `insert into event_endpoint (url, deliver_from) values ('https://host.example', timestamptz '2026-01-01')`,
]

const ids = (count: number) => Array.from({ length: count }, (_, n) => `user-${n + 1}`)
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

function booking(userId: string): SettlementChange {
  const period = { start: NOON, end: NOON + days(30), sourceId: 'pay_1_5', plan: PRO, months: 1 }
  const number = userId.slice('user-'.length)
  return {
    userId,
    version: 1,
    isNew: false,
    payment: aPayment({
      userId,
      id: `pay_${number}_5`,
      checkoutId: `chk_${number}_5`,
      status: 'paid',
      paidAt: NOON,
      periodStart: NOON,
      periodEnd: period.end,
      nextCheckAt: null,
    }),
    subscription: {
      run: { anchorAt: NOON, months: 1 },
      paidUntil: period.end,
      periods: [period],
      endedAt: null,
      instrument: 'cib',
    },
    received: {
      method: 'chargily',
      id: `evt_paid_${userId}`,
      type: 'checkout.paid',
      outcome: 'booked',
      report: aReport(),
      receivedAt: NOON,
    },
    events: [],
    receipt: { series: '2026', snapshot: {} },
    now: NOON,
  }
}

function requested(userId: string): RequestedPayment {
  return { user: { userId }, version: null, payment: aPayment({ userId, id: `new-${userId}` }) }
}

const asked = (userId: string) => ({ user: { userId }, method: 'chargily', now: NOON })

const consume: UsageOperation = {
  kind: 'consume',
  userId: 'user-7',
  limit: 'projects',
  countsAs: 'gauge',
  scopeId: '',
  amount: 1,
  operationId: 'deploy-1',
  consumeOperationId: null,
  resetsAt: null,
  latestResetsAt: null,
  maximum: 10,
  version: 1,
  isUserKnown: true,
  now: NOON,
}

const HOT: [name: string, run: Run, index: RegExp][] = [
  ['a status', (door) => createLoadUser(door)('user-7'), /payments_one_open_per_user/],
  [
    '32 statuses at once',
    (door) => Promise.all(ids(34).map(createLoadUser(door))),
    /payments_one_open_per_user/,
  ],
  [
    'the first page of the history',
    (door) => createListPayments(door)({ ...page, after: null }),
    /payments_newest/,
  ],
  ['a later page', (door) => createListPayments(door)(page), /payments_newest[\s\S]*Index Cond: .*ROW/],
  [
    '32 pages at once',
    (door) => {
      const list = createListPayments(door)
      return Promise.all(ids(34).map((userId) => list({ ...page, userId })))
    },
    /payments_newest/,
  ],
  ['one payment', (door) => findPayment(door, 'user-7', 'pay_7_5'), /payments_(pkey|by_id)/],
  ['a payment by its id alone', (door) => findPaymentById(door, 'pay_7_5'), /payments_by_id/],
  ['what an upgrade needs', (door) => loadForUpgrades(door, [asked('user-7')]), /payments_one_open_per_user/],
  [
    'what 32 upgrades need',
    (door) => loadForUpgrades(door, ids(32).map(asked)),
    /payments_one_open_per_user/,
  ],
  ['a request of an upgrade', (door) => insertRequestedPayments(door, [requested('new')]), /users_pkey/],
  ['32 requests of upgrades', (door) => insertRequestedPayments(door, ids(32).map(requested)), /users_pkey/],
  ['whose checkout it is', (door) => loadForSettlements(door, reports.slice(0, 1)), /payments_checkout/],
  ['whose 32 checkouts they are', (door) => loadForSettlements(door, reports), /payments_checkout/],
  ['a booking', (door) => saveSettlements(door, [booking('user-7')]), /users_pkey/],
  ['32 bookings', (door) => saveSettlements(door, ids(32).map(booking)), /users_pkey/],
  [
    'a look of a reader',
    (door) => claimLookAtProvider(door, open, { now: NOON, unlessSince: NOON }),
    /Index Scan using payments_/,
  ],
  ['the end of a look', (door) => scheduleNextCheck(door, open, null), /Index Scan using payments_/],
  [
    'the next event of a user',
    (door) => nextEventOf(door, { userId: 'user-7', until: NOON, delivered: 1, written: 3 }, NOON),
    /outbox_pkey/,
  ],
  ['a usual consume', (door) => consumeWhereUsual(door, [{ ...consume, userId: 'user-8' }]), /usage_once/],
  [
    'usual consumes, several at once',
    (door) =>
      consumeWhereUsual(
        door,
        ids(4).map((userId) => ({ ...consume, userId })),
      ),
    /usage_once/,
  ],
  ['a consume', (door) => createApplyUsageOperation(door)(consume), /usage_once/],
  ...CONSOLE,
  ['a release', (door) => createApplyUsageOperation(door)({ ...consume, kind: 'release' }), /usage_once/],
]

const repair = (name: keyof typeof REPAIRS) => (door: Queryable) =>
  door.query(REPAIRS[name].statement, [at(NOON), at(NOON + 40 * 24 * HOUR), 5])

const SWEEPS: [name: string, run: Run, index: RegExp][] = [
  [
    'payments to look up',
    (door) => claimDuePayments(door, { now: NOON, limit: 5, retryAt: NOON + MINUTE }),
    /payments_due/,
  ],
  [
    'users whose events wait',
    (door) =>
      claimUsersWithEvents(door, { now: NOON, limit: 5, until: NOON + HOUR, url: 'https://host.example' }),
    /users_deliver/,
  ],
  ['ends to announce', (door) => loadDueAnnouncements(door, NOON, 5), /users_announce/],
  [
    'mail that is owed',
    (door) => claimDueMails(door, { now: NOON, limit: 5, leaseUntil: NOON + HOUR }),
    /mails_due/,
  ],
  ...CONSOLE_LISTS,
  ['payments created ahead', repair('payments'), /payments_newest_of_all/],
  ['looks that are put off', repair('checks'), /payments_due/],
  ['announcements made ahead', repair('announcements'), /outbox_by_age/],
  ['mail queued ahead', repair('mails'), /mails_by_age/],
  ['mail that is put off', repair('dueMails'), /mails_due/],
]

/** Without those about 32 at once. */
const one = [...HOT, ...SWEEPS].filter(([name]) => !name.includes('32'))

describe.each<DatabaseKind>(['pglite', 'postgres'])('with 10,000 users and 50,000 payments (%s)', (kind) => {
  const { database } = filled(kind, 10_000)

  describe.each(['custom', 'generic'] as const)('a %s plan', (mode) => {
    it.each([...HOT, ...SWEEPS, ...CONSOLE_WAITING])(
      'of %s rides on its index and scans no table',
      async (_name, run, index) => {
        const plan = textOf(await explain(database(), await heard(run), { mode }))
        expect(plan).toMatch(index)
        expect(plan).not.toMatch(
          /Seq Scan on (users|payments|outbox|provider_events|receipts|mails|usage|transfers|user_search|audit|daily_figures)/,
        )
      },
    )
  })

  describe('as with a million users', () => {
    beforeAll(() =>
      database().script(
        "update pg_class set reltuples = reltuples * 100 where relnamespace = 'public'::regnamespace and reltuples > 0",
      ),
    )

    it.each([...one, ...CONSOLE_WAITING])('%s rides on the same index', async (_name, run, index) => {
      expect(textOf(await explain(database(), await heard(run), { mode: 'generic' }))).toMatch(index)
    })
  })
})

describe.each<DatabaseKind>(['pglite', 'postgres'])('with 10 open payments among 50,000 (%s)', (kind) => {
  const { database } = filled(kind, 10_000)

  it.each(['custom', 'generic'] as const)('a %s plan of a list of them reads no others', async (mode) => {
    await database().script(
      `update payments set status = 'expired' where status = 'pending' and user_id not like '%000'; analyze payments`,
    )
    const asked = await heard((door) => newestPayments(door, { ...newest, status: 'pending' }, NOON))
    expect(textOf(await explain(database(), asked, { mode }))).toMatch(/payments_one_open_per_user/)
  })
})

describe.each<DatabaseKind>(['pglite', 'postgres'])('with ten times as many users (%s)', (kind) => {
  const few = filled(kind, 2_000)
  const many = filled(kind, 20_000)

  it.each(SWEEPS)('a sweep reads no more: %s', async (_name, run) => {
    const asked = await heard(run)
    const [small, large] = [few.database(), many.database()]
    const pages = await Promise.all([small, large].map((database) => pagesRead(database, asked)))
    const [ofFew = 0, ofMany = 0] = pages
    // 2 are due among 2,000 users and 20 among 20,000, of which 5 are taken: 5/2 as many, and a level more of each index
    // for each of them. All of it would be some thousand pages.
    expect(ofMany).toBeLessThanOrEqual(ofFew * 2.5 + 25)
  })
})

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
      })
      await database.close()
      // A dozen rows, each found through two or three pages of an index; a whole table would be hundreds.
      const costly = one
        .map(([name], index) => [name, pages[index]])
        .filter(([, count]) => Number(count) > 100)
      expect(costly).toEqual([])
    })
  },
)

function filled(kind: DatabaseKind, users: number): { database(): Database } {
  let database: Database | undefined
  beforeAll(async () => {
    database = await freshDatabase(kind)
    await fill(database, users)
    return () => database?.close()
  }, 180_000)
  return {
    database: () => {
      if (!database) throw new Error('the database exists inside tests only')
      return database
    },
  }
}

interface Asked {
  readonly statement: Statement
  readonly parameters: readonly Parameter[]
}

/** The last statement that a function of the store would send. */
async function heard(run: Run): Promise<Asked> {
  let asked: Asked | undefined
  const listening: Queryable = {
    query: async (given, parameters = []) => {
      asked = { statement: given, parameters }
      return []
    },
  }
  await run(listening).catch(() => undefined)
  if (!asked) throw new Error('nothing was asked')
  return asked
}

const named = new Map<string, Statement>()

function once(text: string): Statement {
  const known = named.get(text) ?? statement(`test.plans_${named.size}`, text)
  named.set(text, known)
  return known
}

/** The service sends names, and a server plans a name's fifth run for any values: `generic` asks for that plan. */
async function explain(
  database: Database,
  { statement: { text }, parameters }: Asked,
  options: { readonly mode: 'custom' | 'generic'; readonly with?: string },
): Promise<readonly Row[]> {
  return await database.transaction(async (transaction) => {
    await transaction.query(once(`set local plan_cache_mode = force_${options.mode}_plan`))
    await transaction.query(once(`prepare asked as ${text}`))
    const values = parameters.map(literal).join(', ')
    const found = await transaction.query(
      once(`explain ${options.with ?? ''} execute asked${values === '' ? '' : `(${values})`}`),
    )
    await transaction.query(once('deallocate asked'))
    return found
  })
}

async function pagesRead(database: Database, asked: Asked): Promise<number> {
  return buffersOf(await explain(database, asked, { mode: 'generic', with: '(analyze, buffers)' }))
}

/**
 * Of the dearest part: the whole's own figure leaves out what is changed beside its answer. Whether a page was in memory
 * is up to what else the server does.
 */
function buffersOf(rows: readonly Row[]): number {
  const parts = textOf(rows).matchAll(/Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/g)
  return Math.max(0, ...Array.from(parts, ([, hit = 0, read = 0]) => Number(hit) + Number(read)))
}

const textOf = (rows: readonly Row[]) => rows.map((row) => row['QUERY PLAN']).join('\n')

function literal(parameter: Parameter): string {
  if (parameter === null) return 'null'
  if (typeof parameter !== 'object') return `'${String(parameter).replaceAll("'", "''")}'`
  const elements = parameter.map((element) => (element === null ? 'null' : JSON.stringify(String(element))))
  return `'{${elements.join(',')}}'`
}
