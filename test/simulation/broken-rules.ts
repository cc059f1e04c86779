// The service with one rule removed, which the simulation must detect. Each change refuses to run when the
// code it removes does not exist any more, because its test would prove nothing.
import type { CheckoutReport } from '../../packages/ishtirak/src/core/checkout.js'
import type { Calendar } from '../../packages/ishtirak/src/core/subscription.js'
import type { Database, Parameter, Row, Statement } from '../../packages/ishtirak/src/database/database.js'
import type {
  CheckoutList,
  PaymentMethod,
  ProviderAnswer,
} from '../../packages/ishtirak/src/ledger/method.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'

/** Event ids can be stored twice. The database is discarded afterwards. */
export async function dropEventConstraint(database: Database): Promise<void> {
  await database.script('alter table provider_events drop constraint provider_events_once')
}

/** Which operation an act was done by is not written down. */
export function withoutNamesOfOperations(database: Database): BrokenDatabase {
  return breakDatabase(database, { text: (text) => text.replace(/\ba\.operation_id\b/, 'null') })
}

/** What is paid after granted days counts from where these began: their time is given twice. */
export function withoutAnchorsOfGrants(database: Database): BrokenDatabase {
  const before = (row: Row) => {
    const last = (row.periods as { granted?: { follows: { anchorAt: number; months: number } } }[]).at(-1)
    const { anchorAt, months } = last?.granted?.follows ?? {}
    return anchorAt === undefined ? row : { ...row, anchor_at: anchorAt, run_months: months ?? 0 }
  }
  return breakDatabase(database, {
    rows: (name, rows) => (name === 'settlements.load' ? rows.map(before) : rows),
  })
}

/** Who approved first is forgotten: one operator counts as two. */
export function withOneOperatorTwice(database: Database): BrokenDatabase {
  const forgotten = (row: Row) => ({
    ...row,
    approvals: (row.approvals as { by: string }[]).map((one) => ({ ...one, by: 'somebody' })),
  })
  return breakDatabase(database, {
    rows: (name, rows) => (name === 'transfers.of_payment' ? rows.map(forgotten) : rows),
  })
}

/** Two operators who decide at once overwrite one another. */
export function withoutVersionOfTransfers(database: Database): BrokenDatabase {
  const guard = 'and t.version = $3'
  return breakDatabase(database, { text: (text) => text.replace(guard, 'and $3::int is not null') })
}

/** When a user showed a transfer is forgotten: our slowness costs them the run. */
export function withoutProofs(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) =>
      name === 'transfers.by_reference' ? rows.map((row) => ({ ...row, proof_at: null })) : rows,
  })
}

/** What was recorded under a reference before is not looked for. */
export function withoutKnownSlips(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) =>
      name === 'settlements.load'
        ? rows.filter(({ method }) => method !== 'cash' && method !== 'cheque')
        : rows,
  })
}

/** The price that the catalogue asks since counts for a standing order, agreed or not. */
export function withUnagreedPrices(database: Database): BrokenDatabase {
  return withBalancesOf(database, ({ order, ...rest }) => {
    const price = order?.offered?.price ?? order?.price
    return { ...rest, order: order && { ...order, price } }
  })
}

/** What an order has bought begins when the job finds it, not where the paid time ended. */
export function withRenewalsFromNow(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows, [now]) =>
      name === 'balance.due_renewals'
        ? rows.map((row) => ({
            ...row,
            balance_facts: { ...(row.balance_facts as StoredBalance), since: Date.parse(String(now)) },
          }))
        : rows,
  })
}

/** What an order bought more than a month before the job runs is left out. */
export function withRenewalsLeftOut(database: Database): BrokenDatabase {
  const due = 'where u.renews_at <= $1::timestamptz'
  const recent = `${due} and u.renews_at > $1::timestamptz - interval '31 days'`
  return breakDatabase(database, { text: (text) => text.replace(due, recent) })
}

/** What moves a balance is saved without the version check. */
export function withoutVersionOfBalances(database: Database): BrokenDatabase {
  const [[guard, none]] = GUARDS
  return breakDatabase(database, {
    text: (text) => (text.includes('insert into balance_entries') ? text.replace(guard, none) : text),
  })
}

/** What a change leaves over is on no balance. */
export function withoutSurplus(database: Database): BrokenDatabase {
  const without = (change: SavedChange): SavedChange => {
    const { entry, subscription, ...rest } = change
    if (entry?.kind !== 'surplus') return change
    const before = { balance: entry.balance_before, balance_entry: entry.sequence - 1 || null }
    return { ...rest, subscription: { ...subscription, ...before } }
  }
  return breakDatabase(database, { parameters: ofSavedChanges(without) })
}

/** The avoir of a refund is left out. */
export function withoutAvoirsOfRefunds(database: Database): BrokenDatabase {
  const without = (change: SavedChange): SavedChange =>
    change.payment?.status === 'refunded' ? { ...change, paper: null } : change
  return breakDatabase(database, { parameters: ofSavedChanges(without) })
}

/** A facture that was asked for is forgotten: who asks again has another one. */
export function withFacturesIssuedAnew(database: Database): BrokenDatabase {
  const places = new Map<string, number>()
  const behind = (change: SavedChange): SavedChange => {
    const { paper } = change
    if (!paper) return change
    const place = Math.max(paper.place, (places.get(paper.payment_id) ?? 0) + 1)
    places.set(paper.payment_id, place)
    return { ...change, paper: { ...paper, place } }
  }
  return breakDatabase(database, {
    parameters: ofSavedChanges(behind),
    rows: (name, rows) =>
      name === 'papers.of_payments' ? rows.filter(({ id, kind }) => id === '' || kind === 'avoir') : rows,
  })
}

/** An avoir draws a number more than it has. */
export function withNumbersSkipped(database: Database): BrokenDatabase {
  const drawn = 's.last_number + excluded.last_number'
  const more = `${drawn} + (excluded.series like '%A-%')::int`
  return breakDatabase(database, { text: (text) => text.replace(drawn, more) })
}

/** A paper bears the day on which it was decided, whatever was issued before it is saved. */
export function withDatesAsDecided(database: Database): BrokenDatabase {
  return breakDatabase(database, { text: (text) => text.replaceAll('b.snapshot || d.dated', 'b.snapshot') })
}

/** Who says late that they are a company is owed nothing for what they bought. */
export function withoutOwedFactures(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) => (name === 'factures.owed' ? [] : rows),
  })
}

function ofSavedChanges(other: (change: SavedChange) => SavedChange) {
  return (name: string, [changes, ...rest]: readonly Parameter[]) =>
    name === 'settlements.save_whole'
      ? [JSON.stringify((JSON.parse(String(changes)) as SavedChange[]).map(other)), ...rest]
      : undefined
}

/** What is left of a term counts at the listed price, whatever was paid. */
export function withListedPrices(database: Database): BrokenDatabase {
  const listed = ({ amount: _, ...period }: StoredPeriod): StoredPeriod => period
  const isBought = ({ months }: StoredPeriod) => months > 0
  return breakDatabase(database, {
    rows: (_, rows) =>
      rows.map((row) =>
        Array.isArray(row.periods)
          ? { ...row, periods: row.periods.map((one: StoredPeriod) => (isBought(one) ? listed(one) : one)) }
          : row,
      ),
  })
}

/** What a change stands on can be refunded under it. */
export function withBasesRefunded(database: Database): BrokenDatabase {
  const alone = ({ changes: _, ...period }: StoredPeriod): StoredPeriod => period
  return withPeriodsOfRefunds(database, (period, paymentId) =>
    period.sourceId === paymentId ? alone(period) : period,
  )
}

/** A refunded top-up stays on the balance. */
export function withRefundsThatStay(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) => (name === 'balance.given_by' ? rows.map((row) => ({ ...row, given: 0 })) : rows),
  })
}

interface StoredBalance {
  readonly order: { readonly price: number; readonly offered: { readonly price: number } | null } | null
}

interface SavedChange {
  readonly subscription: object
  readonly payment?: { readonly status: string } | null
  readonly paper?: { readonly payment_id: string; readonly place: number } | null
  readonly entry?: { readonly kind: string; readonly sequence: number; readonly balance_before: number }
}

function withBalancesOf(database: Database, other: (balance: StoredBalance) => object): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) =>
      rows.map((row) => {
        if (name === 'simulation.facts') return row
        const balance = row.balance_facts as StoredBalance | null | undefined
        return balance ? { ...row, balance_facts: other(balance) } : row
      }),
  })
}

/** A use that a payment held stays taken when the payment dies. */
export function withoutReturnedUses(database: Database): BrokenDatabase {
  const counted = 'c.used + r.delta'
  return breakDatabase(database, { text: (text) => text.replace(counted, 'c.used + greatest(r.delta, 0)') })
}

/** A use that was given back is not taken again by money that comes late. */
export function withoutLateUses(database: Database): BrokenDatabase {
  const counted = 'c.used + r.delta'
  return breakDatabase(database, { text: (text) => text.replace(counted, 'c.used + least(r.delta, 0)') })
}

/** Codes can be used without a bound. */
export function withoutBoundsOfCodes(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    text: (text) => text.replace('c.used < b.uses and', ''),
    rows: (name, rows) =>
      name === 'codes.find' ? rows.map((row) => ({ ...row, used: 0, own_uses: 0, held: 0 })) : rows,
  })
}

/** Two redemptions at once that were decided on the same use both take it. */
export function withRedemptionsBeyondTheBound(database: Database): BrokenDatabase {
  const taken = 'b.id = c.batch_id and c.used < b.uses'
  return breakDatabase(database, { text: (text) => text.replace(taken, 'b.id = c.batch_id') })
}

/** A checkout that should not be paid any more stays payable at the provider. */
export function withoutEnding(method: PaymentMethod): PaymentMethod {
  const ended = (report: CheckoutReport | null): CheckoutReport | null =>
    report?.status === 'pending' ? { ...report, status: 'expired' } : report
  return { ...method, expireCheckout: async (id) => mapped(await method.getCheckout(id), ended) }
}

/** Changes are saved without the version check. */
export function withoutVersionGuard(database: Database): BrokenDatabase {
  const unguarded = (text: string) => GUARDS.reduce((text, [guard, none]) => text.replace(guard, none), text)
  return breakDatabase(database, { text: unguarded })
}

/**
 * In settlements.keep, settlements.save and upgrades.request. The last keeps its parameter, which needs a
 * type.
 */
const GUARDS = [
  ['and u.version = i.version', ''],
  ['and version = $2 returning', 'and $2::bigint is not null returning'],
] as const

/** A second checkout of one payment is unknown: what is paid there is dropped. */
export function withoutSecondPayments(database: Database): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows, [, checkouts]) => {
      if (name !== 'settlements.load' || !Array.isArray(checkouts)) return rows
      return rows.filter((row) => [null, checkouts[Number(row.ordinal) - 1]].includes(row.method_reference))
    },
  })
}

/** Payments that an operator accepts or rechecks are booked without a receipt. */
export function withoutReceiptsForActs(database: Database): BrokenDatabase {
  const guard = 'where e.receipt is not null'
  return breakDatabase(database, { text: (text) => text.replace(guard, `${guard} and e.audit is null`) })
}

/** A refund treats a month that ends at this instant as running: `<` instead of `<=`. */
export function withMonthsThatEndLate(database: Database): BrokenDatabase {
  return withPeriodsOfRefunds(database, (period) => ({ ...period, end: period.end + 1 }))
}

/** A refund treats a term that starts at this instant as still to come: `<` instead of `<=`. */
export function withTermsThatStartLate(database: Database): BrokenDatabase {
  return withPeriodsOfRefunds(database, (period) => ({ ...period, start: period.start + 1 }))
}

interface StoredPeriod {
  readonly start: number
  readonly end: number
  readonly sourceId: string
  readonly months: number
  readonly amount?: number
  readonly changes?: unknown
}

function withPeriodsOfRefunds(
  database: Database,
  other: (period: StoredPeriod, paymentId: string) => StoredPeriod,
): BrokenDatabase {
  return breakDatabase(database, {
    rows: (name, rows) => {
      const isOfRefund = name === 'operator.payment' && rows.some(({ status }) => status === 'paid')
      return isOfRefund
        ? rows.map((row) => {
            const periods = row.periods as StoredPeriod[]
            return { ...row, periods: periods.map((period) => other(period, String(row.id))) }
          })
        : rows
    },
  })
}

/** An overpayment counts as equal: 20,000 for 2,000. */
export function withoutOverpayments(): (method: PaymentMethod) => PaymentMethod {
  const prices = new Map<string | null, number>()
  const equal = (report: CheckoutReport): CheckoutReport => {
    const price = prices.get(report.paymentId) ?? report.amount
    return { ...report, amount: report.amount === null ? null : Math.min(report.amount, price ?? 0) }
  }
  const all = (reports: readonly CheckoutReport[]) => reports.map(equal)
  return (method) => ({
    ...method,
    createCheckout: (order) => {
      prices.set(order.paymentId, order.price.amount)
      return method.createCheckout(order)
    },
    webhook: method.webhook && {
      ...method.webhook,
      readEvent: (body) => {
        const event = method.webhook?.readEvent(body) ?? null
        return event?.report ? { ...event, report: equal(event.report) } : event
      },
    },
    getCheckout: async (id) => mapped(await method.getCheckout(id), (one) => one && equal(one)),
    list: method.list && listOf(method.list, all),
  })
}

function listOf(
  list: CheckoutList,
  all: (reports: readonly CheckoutReport[]) => readonly CheckoutReport[],
): CheckoutList {
  return {
    find: async (id, since) => mapped(await list.find(id, since), all),
    page: async (page) =>
      mapped(await list.page(page), ({ checkouts, ...rest }) => ({ ...rest, checkouts: all(checkouts) })),
  }
}

/** A checkout that the bank still processes counts as payable. */
export function withProcessingAsPending(method: PaymentMethod): PaymentMethod {
  const pending = (report: CheckoutReport | null): CheckoutReport | null =>
    report?.status === 'processing' ? { ...report, status: 'pending' } : report
  return { ...method, expireCheckout: async (id) => mapped(await method.expireCheckout(id), pending) }
}

/** Each month's end is computed from the previous one: 31 January, 28 February, 28 March. */
export function monthByMonth(): Calendar {
  const { monthsAfter } = createCalendar('Africa/Algiers')
  return {
    monthsAfter: (anchor, months) => {
      if (months < 0) return monthsAfter(anchor, months)
      let end = anchor
      for (let month = 0; month < months; month++) end = monthsAfter(end, 1)
      return end
    },
  }
}

export interface BrokenDatabase extends Database {
  /** Names of the statements that were changed, or whose parameters or rows were. */
  readonly broken: ReadonlySet<string>
}

function breakDatabase(
  database: Database,
  rule: {
    readonly text?: (text: string) => string
    readonly parameters?: (name: string, parameters: readonly Parameter[]) => readonly Parameter[] | undefined
    readonly rows?: (name: string, rows: readonly Row[], parameters: readonly Parameter[]) => readonly Row[]
  },
): BrokenDatabase {
  const broken = new Set<string>()
  const changed = (statement: Statement): Statement => {
    const text = rule.text?.(statement.text) ?? statement.text
    if (text === statement.text) return statement
    broken.add(statement.name)
    return { ...statement, name: `${statement.name}.broken`, text }
  }
  return {
    broken,
    kind: database.kind,
    query: async (statement, parameters = []) => {
      const { name } = statement
      const noteOther = (one: unknown, other: unknown) => {
        if (one !== other && JSON.stringify(one) !== JSON.stringify(other)) broken.add(name)
      }
      const given = rule.parameters?.(name, parameters) ?? parameters
      noteOther(parameters, given)
      const rows = await database.query(changed(statement), given)
      const others = rule.rows?.(name, rows, parameters) ?? rows
      noteOther(rows, others)
      return others
    },
    transaction: (work) => database.transaction(work),
    script: (sql) => database.script(sql),
    close: () => database.close(),
  }
}

function mapped<One, Other>(answer: ProviderAnswer<One>, map: (value: One) => Other): ProviderAnswer<Other> {
  return answer.ok ? { ok: true, value: map(answer.value) } : answer
}
