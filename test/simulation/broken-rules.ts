// The service with one rule removed at a time, and the rules of which the simulation must name one.
import type { CheckoutReport } from '../../packages/ishtirak/src/core/checkout.js'
import type { BillingRules } from '../../packages/ishtirak/src/core/subscription.js'
import type { Database, Parameter, Row } from '../../packages/ishtirak/src/database/database.js'
import type { PaymentMethod, ProviderAnswer } from '../../packages/ishtirak/src/ledger/method.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { databaseWith } from '../support/database-with.js'

interface Removed {
  readonly found: readonly string[]
  readonly text?: Readonly<Record<string, (text: string) => string>>
  readonly rows?: Readonly<
    Record<string, (rows: readonly Row[], parameters: readonly Parameter[]) => readonly Row[]>
  >
  /** Another form of what `settlements.save` saves. */
  readonly saved?: (change: SavedChange) => SavedChange
  /** Queries that must have been changed, beside those that are named above. */
  readonly among?: readonly string[]
  readonly rules?: Partial<BillingRules>
  readonly breakProvider?: (method: PaymentMethod) => PaymentMethod
  /** Changes the database, so such a rule is the last. */
  readonly script?: string
  /** The first seed that found it last. */
  readonly from?: number
}

interface SavedChange {
  readonly subscription: object
  readonly payment?: { readonly status: string } | null
  readonly documents?: readonly { readonly payment_id: string; readonly place: number }[]
  readonly entry?: { readonly kind: string; readonly sequence: number; readonly balance_before: number }
}

interface StoredPeriod {
  readonly start: number
  readonly end: number
  readonly sourceId: string
  readonly months: number
  readonly amount?: number
  readonly changes?: unknown
}

interface StoredBalance {
  readonly order: { readonly price: number; readonly offered: { readonly price: number } | null } | null
}

const DOCUMENTED = 'only documented errors occur'
const TIME = ['access is what was paid, plus grace', 'time bought or granted equals the model’s']
const APPROVED = 'a transfer counts once enough operators have seen its money'
const BALANCE = 'the balance is the model’s, to the dinar and the second'
const CODE_USE = 'a use of a code is held by what was paid, can be, or was redeemed'
const CODE_BOUND = 'no code is used more often than its bound'
const CHANGE_COSTS = 'a change costs what is left of the dearer plan, less what was paid for it'
const IN_FORCE = 'each payment has one document in force'
const TAKEN_BACK = 'what went back of an invoice has one credit note'

const swap = (from: string, to: string) => (text: string) => text.replace(from, to)
const each = (other: (row: Row) => Row) => (rows: readonly Row[]) => rows.map(other)

/** Only `settlements.save` must have been changed. */
const inSave = (other: (text: string) => string) => ({ text: { '*': other }, among: ['settlements.save'] })

/** The queries are settlements.store_idle, settlements.save and upgrades.request. */
const withoutGuard = swap('and u.version = i.version', '')
// The parameter stays and needs a type.
const withoutGuardOfRequest = swap('and version = $2 returning', 'and $2::bigint is not null returning')

const DUE = 'where u.renews_at <= $1::timestamptz'

function periodsOfRefunds(other: (period: StoredPeriod, paymentId: string) => StoredPeriod) {
  const changed = (row: Row) => {
    const periods = row.periods as StoredPeriod[]
    return { ...row, periods: periods.map((period) => other(period, String(row.id))) }
  }
  return {
    'operator.payment': (rows: readonly Row[]) =>
      rows.some(({ status }) => status === 'paid') ? rows.map(changed) : rows,
  }
}

export const REMOVED: Readonly<Record<string, Removed>> = {
  'without the version guard': {
    // The constraints of the tables refuse most of these; where none applies, access is lost.
    found: [DOCUMENTED, ...TIME.slice(0, 1)],
    text: { '*': (text) => withoutGuardOfRequest(withoutGuard(text)) },
    among: ['settlements.save', 'upgrades.request'],
  },
  'with months counted from the previous month: 31 January, 28 February, 28 March': {
    found: TIME,
    rules: { calendar: { monthsAfter: monthByMonth } },
  },
  'without the booking of a second checkout of one payment': {
    found: [
      'a paid checkout is booked within the sweep’s bound',
      'what was taken is booked, under review or refunded',
    ],
    rows: {
      'settlements.load': (rows, [, checkouts]) =>
        Array.isArray(checkouts)
          ? rows.filter((row) =>
              [null, checkouts[Number(row.ordinal) - 1]].includes(row.method_reference as string | null),
            )
          : rows,
    },
  },
  'with an overpayment accepted as equal: 20,000 for 2,000': {
    found: ['only the operator books another amount', CHANGE_COSTS],
    breakProvider: withoutOverpayments(),
  },
  'with a processing checkout returned to the next click': {
    found: ['a click leads to a page that takes a card'],
    from: 6,
    breakProvider: (method) => ({
      ...method,
      expireCheckout: async (id) =>
        mapped(await method.expireCheckout(id), (report) =>
          report?.status === 'processing' ? { ...report, status: 'pending' } : report,
        ),
    }),
  },
  'without a receipt for accepted or rechecked payments': {
    // The constraint refuses such a booking; without the constraint the numbers show it.
    found: [DOCUMENTED, IN_FORCE],
    ...inSave(
      swap(
        'jsonb_to_recordset(e.documents)',
        'jsonb_to_recordset(case when e.audit is null then e.documents end)',
      ),
    ),
  },
  'with a refund that treats a month as running at the instant of its end': {
    found: TIME,
    from: 18,
    rows: periodsOfRefunds((period) => ({ ...period, end: period.end + 1 })),
  },
  'with a refund that treats a term as still to come at the instant of its start': {
    found: TIME,
    rows: periodsOfRefunds((period) => ({ ...period, start: period.start + 1 })),
  },
  'with redemptions at once that take more uses than a code has': {
    found: [CODE_BOUND],
    from: 27,
    text: { 'settlements.save': swap('b.id = c.batch_id and c.used < b.uses', 'b.id = c.batch_id') },
  },
  'with uses of codes that do not come back': {
    found: [CODE_USE],
    ...inSave(swap('c.used + r.delta', 'c.used + greatest(r.delta, 0)')),
  },
  'with uses of codes that late money does not count': {
    found: [CODE_USE],
    from: 20,
    ...inSave(swap('c.used + r.delta', 'c.used + least(r.delta, 0)')),
  },
  'with codes that are used beyond their bound': {
    found: [CODE_BOUND],
    text: { '*': swap('c.used < b.uses and', '') },
  },
  'with a checkout that stays payable when another choice takes its place': {
    // Or its page is paid, and no lookup follows.
    found: ['no user was shown two payable checkouts', 'a paid checkout is booked within the sweep’s bound'],
    breakProvider: (method) => ({
      ...method,
      expireCheckout: async (id) =>
        mapped(await method.getCheckout(id), (report) =>
          report?.status === 'pending' ? { ...report, status: 'expired' } : report,
        ),
    }),
  },
  'without a bound for what is bought ahead': {
    found: ['what is bought ahead ends within the limit'],
    rules: { prepayMaxMonths: 1_000 },
  },
  'with months that count from before the days that were granted': {
    found: TIME,
    rows: {
      'settlements.load': each((row) => {
        const periods = row.periods as { granted?: { follows: { anchorAt: number; months: number } } }[]
        const { anchorAt, months } = periods.at(-1)?.granted?.follows ?? {}
        return anchorAt === undefined ? row : { ...row, anchor_at: anchorAt, run_months: months ?? 0 }
      }),
    },
  },
  'with one operator who counts as two': {
    found: [APPROVED],
    rows: {
      'transfers.of_payment': each((row) => ({
        ...row,
        approvals: (row.approvals as { by: string }[]).map((one) => ({ ...one, by: 'somebody' })),
      })),
    },
  },
  'with decisions on a transfer that overwrite one another': {
    found: [APPROVED, 'nothing is booked without money'],
    text: { 'transfers.decide': swap('and t.version = $3', 'and $3::int is not null') },
  },
  'with transfers whose proofs do not count for the run': {
    found: TIME,
    rows: { 'transfers.by_reference': each((row) => ({ ...row, proof_at: null })) },
  },
  'with slips of the desk that are not looked for': {
    found: [
      DOCUMENTED,
      'each paid checkout is booked once',
      'what is taken at the desk is in the books once, as it was taken',
    ],
    rows: {
      'settlements.load': (rows) => rows.filter(({ method }) => method !== 'cash' && method !== 'cheque'),
    },
  },
  'with what is left of a term at the listed price': {
    found: ['a change costs what is left of the dearer plan, less what was paid for it'],
    rows: {
      '*': each((row) => {
        const listed = (period: StoredPeriod) =>
          period.months > 0 ? { ...period, amount: undefined } : period
        return Array.isArray(row.periods) ? { ...row, periods: row.periods.map(listed) } : row
      }),
    },
  },
  'with what a change stands on refunded under it': {
    found: ['a refund takes a change before what it stands on', ...TIME.slice(0, 1)],
    rows: periodsOfRefunds((period, paymentId) =>
      period.sourceId === paymentId ? { ...period, changes: undefined } : period,
    ),
  },
  'with what a change leaves over on no balance': {
    found: [BALANCE],
    saved: (change) => {
      const { entry, subscription, ...rest } = change
      if (entry?.kind !== 'surplus') return change
      const before = { balance: entry.balance_before, balance_entry: entry.sequence - 1 || null }
      return { ...rest, subscription: { ...subscription, ...before } }
    },
  },
  'with a refunded top-up that stays on the balance': {
    found: [BALANCE],
    rows: { 'balance.given_by': each((row) => ({ ...row, given: 0 })) },
  },
  'with renewals that begin when the job finds them': {
    found: TIME,
    rows: {
      'balance.due_renewals': (rows, [now]) =>
        rows.map((row) => ({
          ...row,
          balance_facts: { ...(row.balance_facts as StoredBalance), since: Date.parse(String(now)) },
        })),
    },
  },
  'with renewals that a job which was away for a month leaves out': {
    found: [BALANCE],
    text: {
      'balance.due_renewals': swap(DUE, `${DUE} and u.renews_at > $1::timestamptz - interval '31 days'`),
    },
  },
  'with a price of a standing order that its user did not agree to': {
    found: [BALANCE, 'an order stands as it was agreed, until it is sold no more'],
    rows: {
      '*': each((row) => {
        const balance = row.balance_facts as StoredBalance | null | undefined
        const order = balance?.order
        if (!order?.offered) return row
        return { ...row, balance_facts: { ...balance, order: { ...order, price: order.offered.price } } }
      }),
    },
  },
  'with refunds that issue no credit note': {
    found: [TAKEN_BACK],
    saved: (change) => (change.payment?.status === 'refunded' ? { ...change, documents: [] } : change),
  },
  'with an invoice that is issued each time it is asked for': {
    // A refund finds no invoice to take back, or who asks again has a second one, if no constraint
    // refuses it.
    found: [TAKEN_BACK, IN_FORCE, DOCUMENTED],
    saved: withPlacesCounted(),
    rows: {
      'documents.of_payments': (rows) =>
        rows.filter(({ place, kind }) => place === 0 || kind === 'credit_note'),
    },
  },
  'with a number that is skipped': {
    found: ['numbers of documents have no gap'],
    ...inSave(
      swap(
        's.last_number + excluded.last_number',
        `s.last_number + excluded.last_number + (excluded.series like '%A-%')::int`,
      ),
    ),
  },
  'with a document dated before the one of the number before': {
    found: ['documents are dated in the order of their numbers'],
    // A change must be decided before midnight and saved behind one of the next day.
    from: 900,
    ...inSave(swap('b.issued_at, s.last_issued_on, b.seller', 'b.issued_at, b.issued_on, b.seller')),
  },
  'without invoices of what a company bought before it said so': {
    found: ['who needs an invoice has it', IN_FORCE],
    rows: { 'invoices.owed': () => [] },
  },
  'with an operation that grants its days twice': {
    found: ['no day is given twice'],
    from: 9,
    ...inSave((text) => text.replace(/\ba\.operation_id\b/, 'null')),
  },
  'without the constraint on event ids': {
    found: ['each event is stored once'],
    script: 'alter table provider_events drop constraint provider_events_once',
  },
}

function monthByMonth(anchor: number, months: number): number {
  const { monthsAfter } = createCalendar('Africa/Algiers')
  if (months < 0) return monthsAfter(anchor, months)
  return Array.from({ length: months }).reduce<number>((end) => monthsAfter(end, 1), anchor)
}

function withoutOverpayments(): (method: PaymentMethod) => PaymentMethod {
  const prices = new Map<string | null, number>()
  const equal = (report: CheckoutReport): CheckoutReport => {
    const price = prices.get(report.paymentId) ?? report.amount
    return { ...report, amount: report.amount === null ? null : Math.min(report.amount, price ?? 0) }
  }
  return ({ webhook, list, ...method }) => ({
    ...method,
    createCheckout: (order) => {
      prices.set(order.paymentId, order.price.amount)
      return method.createCheckout(order)
    },
    webhook: webhook && {
      ...webhook,
      readEvent: (body) => {
        const event = webhook.readEvent(body)
        return typeof event === 'object' && event.report ? { ...event, report: equal(event.report) } : event
      },
    },
    getCheckout: async (id) => mapped(await method.getCheckout(id), (one) => one && equal(one)),
    list: list && {
      find: async (id, since) => mapped(await list.find(id, since), (all) => all.map(equal)),
      page: async (page) =>
        mapped(await list.page(page), (one) => ({ ...one, checkouts: one.checkouts.map(equal) })),
    },
  })
}

/** A second invoice of a payment needs a place of its own. */
function withPlacesCounted(): (change: SavedChange) => SavedChange {
  const places = new Map<string, number>()
  return (change) => {
    const documents = change.documents?.map((document) => {
      if (document.place === 0) return document
      const place = Math.max(document.place, (places.get(document.payment_id) ?? 0) + 1)
      places.set(document.payment_id, place)
      return { ...document, place }
    })
    return documents ? { ...change, documents } : change
  }
}

/** `broken`: the names of the queries whose text, parameters or rows were changed. */
export function breakDatabase(database: Database, { text, rows, saved }: Removed) {
  const broken = new Set<string>()
  const noted = <Value>(name: string, one: Value, other: Value): Value => {
    if (one !== other && JSON.stringify(one) !== JSON.stringify(other)) broken.add(name)
    return other
  }
  const query: Database['query'] = async (statement, parameters = []) => {
    const { name } = statement
    const otherText = (text?.[name] ?? text?.['*'])?.(statement.text) ?? statement.text
    const changed = noted(name, statement.text, otherText) !== statement.text
    const [changes, ...rest] = parameters
    const given =
      saved && name === 'settlements.save'
        ? [JSON.stringify((JSON.parse(String(changes)) as SavedChange[]).map(saved)), ...rest]
        : parameters
    noted(name, parameters, given)
    const asked = changed ? { ...statement, name: `${name}.broken`, text: otherText } : statement
    const found = await database.query(asked, given)
    // The simulation's own reading stays as it is.
    const other = rows?.[name] ?? (name === 'simulation.facts' ? undefined : rows?.['*'])
    return noted(name, found, other?.(found, parameters) ?? found)
  }
  return { broken, ...databaseWith(() => database, { query, close: () => database.close() }) }
}

/** Those that must have been changed: a test whose rule is gone from the service would prove nothing. */
export function changedQueries({ text = {}, rows = {}, saved, among = [] }: Removed): readonly string[] {
  const named = [...Object.keys(text), ...Object.keys(rows)].filter((name) => name !== '*')
  // With other rows too, the simulation can notice before anything else is saved.
  return [...named, ...among, ...(saved && named.length === 0 ? ['settlements.save'] : [])]
}

function mapped<One, Other>(answer: ProviderAnswer<One>, map: (value: One) => Other): ProviderAnswer<Other> {
  return answer.ok ? { ok: true, value: map(answer.value) } : answer
}
