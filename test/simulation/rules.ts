// The rules that hold after every step, whatever happened in it. Each is a function of three accounts: what the provider
// took, what our books say, and what people were shown and answered. A broken one names itself.
import type { BookedPayment, Books } from './ledger.js'
import type { FarSide } from './emulator.js'
import type { Figures } from './figures.js'
import { type Entry, standingAfter, type Taking } from './model.js'

export type RuleName =
  | 'each paid checkout is booked once'
  | 'nothing is booked without money'
  | 'another amount is booked by the operator alone'
  | 'what was taken is booked, under review or refunded'
  | 'money is given back by the operator alone'
  | 'an act of the operator does what it says'
  | 'each month bought is the model’s'
  | 'access is what was paid, plus grace'
  | 'the paid are booked within the sweep’s bound'
  | 'no user was shown two payable checkouts'
  | 'receipt numbers have no gap'
  | 'events to the platform have no gap'
  | 'each event is stored once'
  | 'what was acknowledged is stored'
  | 'what was forged is not stored'
  | 'history sums to the takings'
  | 'who clicks is shown a page that takes a card'
  | 'nobody buys before the window, anybody within'
  | 'who returns from paying sees it'
  | 'nothing fails but as promised'

export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  constructor(
    readonly rule: RuleName,
    readonly evidence: string,
  ) {
    super(`${rule}: ${evidence}`)
  }
}

/** What people know of: addresses that were given to them, events that they were thanked for. */
export interface Witness {
  readonly shown: readonly { readonly userId: string; readonly checkoutId: string }[]
  readonly acknowledged: ReadonlySet<string>
  readonly forged: ReadonlySet<string>
  /** Payments that the operator asked to take as they are, and to refund. */
  readonly accepted: ReadonlySet<string>
  readonly refunded: ReadonlySet<string>
}

/** The rules that need no further reading; that of access follows in world.ts. */
export function checkBooks(books: Books, far: FarSide, witness: Witness, figures: Figures): void {
  const rules: readonly (() => void)[] = [
    () => bookedOnce(books),
    () => bookedForMoney(books, far, witness),
    () => refundedByHand(books, witness),
    () => monthsAgree(books, far),
    () => oneShown(witness, far),
    () => receiptsWithoutGap(books),
    () => outboxWithoutGap(books),
    () => eventsOnce(books),
    () => acknowledgedIsStored(books, witness),
  ]
  for (const rule of rules) rule()
  figures.count('checked: books', 1)
}

export function require(holds: boolean, rule: RuleName, evidence: () => unknown): asserts holds {
  if (!holds) throw new BrokenRule(rule, String(evidence()))
}

export const isBooked = ({ status }: BookedPayment) => status === 'paid' || status === 'refunded'

/** What was written down about a user's money, in that order, with the provider's own account of each payment. */
export function historyOf(books: Books, far: FarSide, userId: string): readonly Entry[] {
  const takings = new Map(far.takings().map((taking) => [taking.checkoutId, taking]))
  const payments = new Map(books.payments.map((payment) => [payment.id, payment]))
  return books.outbox.flatMap(({ user, type, payment: id, at }): readonly Entry[] => {
    if (user !== userId) return []
    // With a payment it follows from the refund, which is an entry of its own.
    if (type === 'subscription.canceled' && id === null) return [{ kind: 'ended', at }]
    if (type !== 'payment.paid' && type !== 'payment.refunded') return []
    const payment = payments.get(id ?? '')
    const taking = takings.get(payment?.checkout ?? '')
    require(payment !== undefined && taking !== undefined, 'nothing is booked without money', () => id)
    if (type === 'payment.refunded') return [{ kind: 'refunded', checkoutId: taking.checkoutId, at }]
    return [{ kind: 'paid', taking: { ...taking, paidAt: paidInstant(payment, taking) } }]
  })
}

/** To the dinar: one checkout of the provider's, and what the books say of it. */
export function isAccountedFor(books: Books, taking: Taking): boolean {
  const payment = books.payments.find(({ checkout }) => checkout === taking.checkoutId)
  if (payment?.status !== 'review') return payment !== undefined && isBooked(payment)
  const { status, amount } = payment.reviewed ?? {}
  return status === 'paid' && amount === taking.amount && amount !== taking.price
}

/** A checkout that the bank finished after its end counts as paid at its end when we had to ask for it. */
function paidInstant(payment: BookedPayment, taking: Taking): number {
  return payment.paidAt === Math.min(taking.paidAt, payment.expiresAt) ? payment.paidAt : taking.paidAt
}

function bookedOnce({ payments, outbox }: Books): void {
  const rule = 'each paid checkout is booked once'
  const booked = payments.filter(isBooked)
  const twice = repeated(booked.map(({ checkout }) => checkout ?? ''))
  require(twice.length === 0, rule, () => `checkouts ${twice}`)
  const told = outbox.filter(({ type }) => type === 'payment.paid').map(({ payment }) => payment ?? '')
  const same =
    [...told].sort().join() ===
    booked
      .map(({ id }) => id)
      .sort()
      .join()
  require(same, rule, () => `booked ${booked.map(({ id }) => id)}, told of ${told}`)
}

function bookedForMoney({ payments }: Books, far: FarSide, { accepted }: Witness): void {
  const takings = new Map(far.takings().map((taking) => [taking.checkoutId, taking]))
  for (const payment of payments.filter(isBooked)) {
    const taking = takings.get(payment.checkout ?? '')
    const isTheirs = taking?.price === payment.amount && paidInstant(payment, taking) === payment.paidAt
    require(isTheirs, 'nothing is booked without money', () =>
      `${JSON.stringify(payment)} for ${JSON.stringify(taking)}`)
    require(taking.amount === taking.price ||
      (accepted.has(payment.id) &&
        payment.reviewed?.amount === taking.amount), 'another amount is booked by the operator alone', () =>
      `${payment.id}: ${taking.amount} for ${taking.price}, ${JSON.stringify(payment.reviewed)}`)
  }
}

function refundedByHand({ payments }: Books, { refunded }: Witness): void {
  const unasked = payments.filter(({ status, id }) => status === 'refunded' && !refunded.has(id))
  require(unasked.length === 0, 'money is given back by the operator alone', () => JSON.stringify(unasked))
}

function monthsAgree(books: Books, far: FarSide): void {
  for (const { user } of books.users) {
    for (const month of standingAfter(historyOf(books, far, user)).months) {
      const payment = books.payments.find(({ checkout }) => checkout === month.checkoutId)
      const agrees = payment?.start === month.start && payment.end === month.end
      require(agrees, 'each month bought is the model’s', () =>
        `${payment?.id}: ${span(payment?.start, payment?.end)}, the model says ${span(month.start, month.end)}`)
    }
  }
}

/** A checkout that nobody was given the address of can be paid by nobody. */
function oneShown({ shown }: Witness, far: FarSide): void {
  const payable = shown.filter(({ checkoutId }) => far.checkout(checkoutId)?.status === 'pending')
  const users = repeated(payable.map(({ userId }) => userId))
  require(users.length === 0, 'no user was shown two payable checkouts', () =>
    `${users}: ${JSON.stringify(payable)}`)
}

function receiptsWithoutGap({ receipts, payments }: Books): void {
  const rule = 'receipt numbers have no gap'
  const last = new Map<string, number>()
  for (const { series, number } of receipts) {
    require(number === (last.get(series) ?? 0) + 1, rule, () =>
      `${series}-${number} after ${last.get(series)}`)
    last.set(series, number)
  }
  const issued = receipts.map(({ payment }) => payment).sort()
  const booked = payments.filter(isBooked).map(({ id }) => id)
  require(issued.join() === booked.sort().join(), rule, () => `receipts for ${issued}, booked ${booked}`)
}

function outboxWithoutGap({ outbox, users }: Books): void {
  const rule = 'events to the platform have no gap'
  const last = new Map<string, number>()
  for (const { user, sequence, written } of outbox) {
    require(sequence === (last.get(user) ?? 0) + 1, rule, () =>
      `${user}: ${sequence} after ${last.get(user)}`)
    require(written === sequence, rule, () => `${user}: ${sequence} says ${written}`)
    last.set(user, sequence)
  }
  for (const { user, sequence } of users) {
    require(sequence === (last.get(user) ?? 0), rule, () =>
      `${user} is at ${sequence}, sent ${last.get(user)}`)
  }
}

function eventsOnce({ events }: Books): void {
  const twice = repeated(events.map(({ id }) => id))
  require(twice.length === 0, 'each event is stored once', () => twice)
}

function acknowledgedIsStored({ events }: Books, { acknowledged, forged }: Witness): void {
  const stored = new Set(events.map(({ id }) => id))
  for (const id of acknowledged) require(stored.has(id), 'what was acknowledged is stored', () => id)
  for (const id of forged) require(!stored.has(id), 'what was forged is not stored', () => id)
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) < index))]
}

function span(start: number | null | undefined, end: number | null | undefined): string {
  return [start, end]
    .map((at) => (typeof at === 'number' ? new Date(at).toISOString() : 'nothing'))
    .join(' to ')
}
