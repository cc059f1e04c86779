// The rules that hold after every step. Each compares what the provider took, what the ledger says, and what
// users were shown and answered. A broken rule is thrown with its name and evidence.

import { entryOfBalance, modelId } from './balances.js'
import type { SimulatedEmulator } from './emulator.js'
import type { SimulationFigures } from './figures.js'
import type { BookedGrant, BookedPayment, Ledger } from './ledger.js'
import {
  type Entry,
  type Gift,
  type Leftover,
  type Quoted,
  type Standing,
  standingAfter,
  type Taking,
} from './model.js'
import type { Edition } from './sales.js'

export type RuleName =
  | 'each paid checkout is booked once'
  | 'nothing is booked without money'
  | 'only the operator books another amount'
  | 'what was taken is booked, under review or refunded'
  | 'only the operator refunds'
  | 'an act of the operator does what it says'
  | 'time bought or granted equals the model’s'
  | 'no day is given twice'
  | 'access is what was paid, plus grace'
  | 'a paid checkout is booked within the sweep’s bound'
  | 'no user was shown two payable checkouts'
  | 'numbers of papers have no gap'
  | 'papers are dated in the order of their numbers'
  | 'each payment has one paper in force'
  | 'what went back of a facture has one avoir'
  | 'who needs a facture has it'
  | 'events to the platform have no gap'
  | 'each event is stored once'
  | 'what was acknowledged is stored'
  | 'what was forged is not stored'
  | 'the history sums to the takings'
  | 'what came is what is booked'
  | 'a click leads to what was chosen'
  | 'a click leads to a page that takes a card'
  | 'a purchase is possible from the start of the renewal window'
  | 'what is bought ahead ends within the limit'
  | 'a use of a code is held by what was paid, can be, or was redeemed'
  | 'no code is used more often than its bound'
  | 'a code takes off what it says'
  | 'a code with a use left counts'
  | 'a transfer counts once enough operators have seen its money'
  | 'the first proof of a transfer is the one that counts'
  | 'what is taken at the desk is in the books once, as it was taken'
  | 'a change costs what is left of the dearer plan, less what was paid for it'
  | 'a dearer plan is sold for the time that is left, and no other'
  | 'a refund takes a change before what it stands on'
  | 'the balance is the model’s, to the dinar and the second'
  | 'what came in is earned, owed or given back'
  | 'the balance pays where it is enough'
  | 'a balance moves by hand as often as it was said, and much of it by two'
  | 'a balance is topped up to its limit'
  | 'an order is what was asked for'
  | 'an order stands as it was agreed, until it is sold no more'
  | 'a returning user sees the payment'
  | 'only documented errors occur'

export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  constructor(
    readonly rule: RuleName,
    readonly evidence: string,
  ) {
    super(`${rule}: ${evidence}`)
  }
}

/** What was visible outside: checkouts shown to users, events answered with 200. */
export interface Observations {
  readonly shown: readonly { readonly userId: string; readonly checkoutId: string }[]
  readonly acknowledged: ReadonlySet<string>
  readonly forged: ReadonlySet<string>
  /** Payments that the operator asked to accept, and to refund. */
  readonly accepted: ReadonlySet<string>
  readonly refunded: ReadonlySet<string>
  readonly given: Given
  /** The price of a month of each plan that was sold then. */
  readonly soldAt: (instant: number) => Readonly<Record<string, number>>
  /** The stretches that a change was asked for. */
  readonly quotedFor: (payment: BookedPayment) => readonly Quoted[]
  readonly leaves: Leftover
  /** Where the operator said that the money goes. */
  readonly refundedTo: ReadonlyMap<string, 'balance' | 'hand'>
  /** What was sold when the job changed a standing order, by the event. */
  readonly heldBy: ReadonlyMap<string, Edition>
  readonly now: number
  /** By the provider, to an account, and at the desk. */
  readonly takings: readonly Taking[]
}

/** What the history of a user is made from, beside the tables. */
export type Known = Pick<
  Observations,
  'takings' | 'given' | 'soldAt' | 'quotedFor' | 'leaves' | 'refundedTo' | 'heldBy'
>

/** What a grant should give, by what was asked for; undefined: nothing was asked for. */
export type Given = (grant: BookedGrant) => Pick<Gift, 'days' | 'months' | 'plan' | 'single'> | undefined

/** All rules except the one about access, which world.ts checks. */
export function checkLedger(
  ledger: Ledger,
  emulator: SimulatedEmulator,
  observations: Observations,
  figures: SimulationFigures,
): void {
  const rules: readonly (() => void)[] = [
    () => bookedOnce(ledger),
    () => bookedForMoney(ledger, observations),
    () => refundedByHand(ledger, observations),
    () => grantedOnce(ledger, observations),
    () => timeAgrees(ledger, observations),
    () => oneShown(observations, emulator),
    () => outboxWithoutGap(ledger),
    () => eventsOnce(ledger),
    () => acknowledgedIsStored(ledger, observations),
  ]
  for (const rule of rules) rule()
  figures.count('checked: ledger', 1)
}

export function require(holds: boolean, rule: RuleName, evidence: () => unknown): asserts holds {
  if (!holds) throw new BrokenRule(rule, String(evidence()))
}

export const isBooked = ({ status }: BookedPayment) => status === 'paid' || status === 'refunded'

/** What was booked for a user, in that order, with the provider's own record of each payment. */
export function historyOf(
  ledger: Ledger,
  { takings: all, given, soldAt, quotedFor, leaves, refundedTo, heldBy }: Known,
  userId: string,
): readonly Entry[] {
  const takings = new Map(all.map((taking) => [taking.checkoutId, taking]))
  const payments = new Map(ledger.payments.map((payment) => [payment.id, payment]))
  const returnedFor = (payment: BookedPayment | undefined) =>
    payment && refundedTo.get(payment.id) === 'balance' ? { returned: payment.amount } : {}
  let bookedAt = 0
  return ledger.outbox.flatMap((line): readonly Entry[] => {
    const { user, type, payment: id, grant, balance, at } = line
    if (user !== userId) return []
    // A call that was decided before another may be saved behind it.
    bookedAt = Math.max(bookedAt, at)
    const sold = heldBy.get(line.id)
    if (sold) return [{ kind: 'held', sold, bookedAt }]
    if (balance) return entryOfBalance(ledger, { type, balance, at, bookedAt })
    if (type === 'subscription.granted') {
      const row = ledger.grants.find((one) => one.id === grant)
      const asked = row && given(row)
      require(asked !== undefined && grant !== null, 'no day is given twice', () =>
        `${grant} was not asked for`)
      return [{ kind: 'given', gift: { id: grant, at, sold: soldAt(at), ...asked }, bookedAt }]
    }
    // With a payment it follows from the refund, which has its own entry.
    if (type === 'subscription.canceled' && id === null) return [{ kind: 'ended', at, bookedAt }]
    if (type !== 'payment.paid' && type !== 'payment.refunded') return []
    const payment = payments.get(id ?? '')
    const piece = modelId(ledger, id ?? '')
    if (type === 'payment.refunded')
      return [{ kind: 'refunded', checkoutId: piece, at, ...returnedFor(payment), bookedAt }]
    // The model knows by itself what an order buys.
    if (piece.startsWith('renewal ')) return []
    const taking = takings.get(piece)
    require(payment !== undefined && taking !== undefined, 'nothing is booked without money', () => id)
    const booked = { taking: { ...taking, paidAt: paidInstant(payment, taking) }, bookedAt }
    if (payment.kind === 'purchase') return [{ kind: 'paid', ...booked }]
    if (payment.kind === 'top_up') return [{ kind: 'topped_up', ...booked }]
    return [{ kind: 'changed', ...booked, quoted: quotedFor(payment), leaves }]
  })
}

/** Booked, or under review with the exact amount that the provider took. */
export function isAccountedFor(ledger: Ledger, taking: Taking): boolean {
  const payment = ledger.payments.find(({ checkout, id }) => (checkout ?? id) === taking.checkoutId)
  if (payment?.status !== 'review') return payment !== undefined && isBooked(payment)
  const { status, amount } = payment.reviewed ?? {}
  return status === 'paid' && amount === taking.amount && amount !== taking.price
}

/**
 * A checkout that the bank finished after its expiry counts as paid at its expiry when the service had to ask
 * for it.
 */
function paidInstant(payment: BookedPayment, taking: Taking): number {
  if (taking.isOurs) return taking.paidAt
  return payment.paidAt === Math.min(taking.paidAt, payment.expiresAt) ? payment.paidAt : taking.paidAt
}

function bookedOnce({ payments, outbox }: Ledger): void {
  const rule = 'each paid checkout is booked once'
  const booked = payments.filter(isBooked)
  const twice = repeated(booked.flatMap(({ checkout }) => checkout ?? []))
  require(twice.length === 0, rule, () => `checkouts ${twice}`)
  const announced = outbox.filter(({ type }) => type === 'payment.paid').map(({ payment }) => payment ?? '')
  const same =
    [...announced].sort().join() ===
    booked
      .map(({ id }) => id)
      .sort()
      .join()
  require(same, rule, () => `booked ${booked.map(({ id }) => id)}, announced ${announced}`)
}

function bookedForMoney(ledger: Ledger, { accepted, takings: all }: Observations): void {
  const takings = new Map(all.map((taking) => [taking.checkoutId, taking]))
  for (const payment of ledger.payments.filter(isBooked)) {
    if (modelId(ledger, payment.id).startsWith('renewal ')) continue
    const taking = takings.get(modelId(ledger, payment.id))
    const isTheirs = taking?.price === payment.asked && paidInstant(payment, taking) === payment.paidAt
    require(isTheirs, 'nothing is booked without money', () =>
      `${JSON.stringify(payment)} for ${JSON.stringify(taking)}`)
    const isAccepted = accepted.has(payment.id) && payment.reviewed?.amount === taking.amount
    require(taking.amount === taking.price || isAccepted, 'only the operator books another amount', () =>
      `${payment.id}: ${taking.amount} for ${taking.price}, ${JSON.stringify(payment.reviewed)}`)
    require(taking.amount === payment.amount, 'what came is what is booked', () =>
      `${payment.id}: ${payment.amount} for ${taking.amount}, ${JSON.stringify(payment.reviewed)}`)
  }
}

function refundedByHand({ payments }: Ledger, { refunded }: Observations): void {
  const unasked = payments.filter(({ status, id }) => status === 'refunded' && !refunded.has(id))
  require(unasked.length === 0, 'only the operator refunds', () => JSON.stringify(unasked))
}

/** An operation that was asked for many times gave its days once, and said so once. */
function grantedOnce({ grants, outbox }: Ledger, { given }: Observations): void {
  const rule = 'no day is given twice'
  const twice = repeated(grants.flatMap(({ operation }) => operation ?? []))
  require(twice.length === 0, rule, () => `operations ${twice}`)
  for (const grant of grants) {
    const asked = given(grant)
    require(asked?.days === grant.days && asked.months === grant.months, rule, () => JSON.stringify(grant))
  }
  const announced = outbox.flatMap(({ grant }) => grant ?? [])
  const ids = grants.map(({ id }) => id)
  require([...announced].sort().join() === ids.sort().join(), rule, () =>
    `given ${ids}, announced ${announced}`)
}

function timeAgrees(ledger: Ledger, observations: Observations): void {
  const { now } = observations
  for (const { user } of ledger.users) {
    const { pieces, spans, undermined } = standingAfter(historyOf(ledger, observations, user), now)
    require(undermined.length === 0, 'a refund takes a change before what it stands on', () => undermined)
    // Of a change that also bought time, its span has both.
    const all = [...pieces.filter(({ id }) => !spans.has(id)), ...withIds(spans)]
    for (const piece of all) {
      const kept =
        ledger.payments.find(({ user: of, id }) => of === user && modelId(ledger, id) === piece.id) ??
        ledger.grants.find(({ id }) => id === piece.id)
      // What an order has bought is written down later.
      if (!kept && piece.id.startsWith('renewal ')) continue
      const agrees = kept?.start === piece.start && kept.end === piece.end
      require(agrees, 'time bought or granted equals the model’s', () =>
        `${kept?.id}: ${span(kept?.start, kept?.end)}, the model says ${span(piece.start, piece.end)}`)
    }
  }
}

const withIds = (spans: Standing['spans']) => [...spans].map(([id, span]) => ({ id, ...span }))

/** Only checkouts whose address was given to a user count: no user can pay the others. */
function oneShown({ shown }: Observations, emulator: SimulatedEmulator): void {
  const payable = shown.filter(({ checkoutId }) => emulator.checkout(checkoutId)?.status === 'pending')
  const users = repeated(payable.map(({ userId }) => userId))
  require(users.length === 0, 'no user was shown two payable checkouts', () =>
    `${users}: ${JSON.stringify(payable)}`)
}

function outboxWithoutGap({ outbox, users }: Ledger): void {
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

function eventsOnce({ events }: Ledger): void {
  const twice = repeated(events.map(({ id }) => id))
  require(twice.length === 0, 'each event is stored once', () => twice)
}

function acknowledgedIsStored({ events }: Ledger, { acknowledged, forged }: Observations): void {
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
