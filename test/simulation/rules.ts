// The rules that hold after every step, whatever happened in it. Each is a function of three accounts: what the provider
// took, what our books say, and what people were shown and answered. A broken one names itself.
import type { BookedPayment, Books } from './books.js'
import type { FarSide } from './far-side.js'
import type { Figures } from './figures.js'
import { monthsBought, type Taking } from './model.js'

export type RuleName =
  | 'each paid checkout is booked once'
  | 'nothing is booked without money'
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
}

/** The rules that need no further reading; `readAccess` follows in access.ts. */
export function checkBooks(books: Books, far: FarSide, witness: Witness, figures: Figures): void {
  const rules: readonly (() => void)[] = [
    () => bookedOnce(books),
    () => bookedForMoney(books, far),
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

const isBooked = ({ status }: BookedPayment) => status === 'paid' || status === 'refunded'

/** What was booked of one user, in the order of booking, with the provider's own account of each. */
export function bookedTakings(books: Books, far: FarSide, userId: string): readonly Taking[] {
  const takings = new Map(far.takings().map((taking) => [taking.checkoutId, taking]))
  const payments = new Map(books.payments.map((payment) => [payment.id, payment]))
  return books.outbox.flatMap(({ user, type, payment: id }) => {
    if (user !== userId || type !== 'payment.paid') return []
    const payment = payments.get(id ?? '')
    const taking = takings.get(payment?.checkout ?? '')
    require(payment !== undefined && taking !== undefined, 'nothing is booked without money', () => id)
    return [{ ...taking, paidAt: paidInstant(payment, taking) }]
  })
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

function bookedForMoney({ payments }: Books, far: FarSide): void {
  for (const payment of payments.filter(isBooked)) {
    const checkout = far.checkout(payment.checkout ?? '')
    const isTheirs = checkout?.status === 'paid' && checkout.amount === payment.amount
    require(isTheirs, 'nothing is booked without money', () => `${payment.id}: ${checkout?.status}`)
  }
}

function monthsAgree(books: Books, far: FarSide): void {
  for (const { user } of books.users) {
    for (const month of monthsBought(bookedTakings(books, far, user))) {
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
