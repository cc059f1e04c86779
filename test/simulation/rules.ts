// Each rule compares what the provider took, what the ledger says, and what users were shown.
import { entryOfBalance, modelId } from './balances.js'
import type { BookedPayment, Ledger } from './ledger.js'
import { type Entry, standingAfter, type Taking } from './model.js'
import type { SimulatedWorld } from './world.js'

export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  constructor(
    readonly rule: string,
    readonly evidence: string,
  ) {
    super(`${rule}: ${evidence}`)
  }
}

export function require(holds: boolean, rule: string, evidence: () => unknown): asserts holds {
  if (!holds) throw new BrokenRule(rule, String(evidence()))
}

/** All rules except the one about access, which world.ts checks. */
export function checkLedger(world: SimulatedWorld): void {
  const { ledger } = world
  const takings = new Map(world.takings().map((taking) => [taking.checkoutId, taking]))
  bookedOnce(ledger)
  bookedForMoney(world, takings)
  refundedByHand(world)
  grantedOnce(world)
  timeAgrees(world, takings)
  oneShown(world)
  outboxWithoutGap(ledger)
  eventsOnce(ledger)
  acknowledgedIsStored(world)
  world.figures.count('checked: ledger', 1)
}

export const isBooked = ({ status }: BookedPayment) => status === 'paid' || status === 'refunded'

type Takings = ReadonlyMap<string, Taking>

/** What was booked for a user, in that order, with the provider's own record of each payment. */
export function historyOf(world: SimulatedWorld, takings: Takings, userId: string): readonly Entry[] {
  const { ledger } = world
  const payments = new Map(ledger.payments.map((payment) => [payment.id, payment]))
  let bookedAt = 0
  return ledger.outbox.flatMap((line): readonly Entry[] => {
    const { user, type, payment: id, grant, balance, at } = line
    if (user !== userId) return []
    // A call that was decided before another may be saved behind it.
    bookedAt = Math.max(bookedAt, at)
    const sold = world.heldBy.get(line.id)
    if (sold) return [{ kind: 'held', sold, bookedAt }]
    if (balance) return entryOfBalance(ledger, { type, balance, at, bookedAt })
    if (type === 'subscription.granted') {
      const row = ledger.grants.find((one) => one.id === grant)
      const asked = row && world.given(row)
      require(asked !== undefined && grant !== null, 'no day is given twice', () =>
        `${grant} was not asked for`)
      return [{ kind: 'given', gift: { id: grant, at, sold: world.soldAt(at), ...asked }, bookedAt }]
    }
    // With a payment it follows from the refund, which has its own entry.
    if (type === 'subscription.canceled' && id === null) return [{ kind: 'ended', at, bookedAt }]
    if (type !== 'payment.paid' && type !== 'payment.refunded') return []
    const payment = payments.get(id ?? '')
    const piece = modelId(ledger, id ?? '')
    if (type === 'payment.refunded') {
      const isBack = payment && world.refundedTo.get(payment.id) === 'balance'
      const returned = isBack ? { returned: payment.amount } : {}
      return [{ kind: 'refunded', checkoutId: piece, at, ...returned, bookedAt }]
    }
    // The model knows by itself what an order buys.
    if (piece.startsWith('renewal ')) return []
    const taking = takings.get(piece)
    require(payment !== undefined && taking !== undefined, 'nothing is booked without money', () => id)
    const booked = { taking: { ...taking, paidAt: paidInstant(payment, taking) }, bookedAt }
    if (payment.kind === 'purchase') return [{ kind: 'paid', ...booked }]
    if (payment.kind === 'top_up') return [{ kind: 'topped_up', ...booked }]
    const leaves = world.balanceMax > 0 ? 'surplus' : 'time'
    const quoted = world.changes.quotedFor(payment, ledger)
    const secondOf = payment.secondOf && modelId(ledger, payment.secondOf)
    return [{ kind: 'changed', ...booked, quoted, leaves, secondOf }]
  })
}

/** Booked, or under review with the exact amount that the provider took. */
export function isAccountedFor(ledger: Ledger, taking: Taking): boolean {
  const payment = ledger.payments.find(({ checkout, id }) => (checkout ?? id) === taking.checkoutId)
  if (payment?.status !== 'review') return payment !== undefined && isBooked(payment)
  const { status, amount } = payment.reviewed ?? {}
  return status === 'paid' && amount === taking.amount && amount !== taking.price
}

/** If the service had to ask, a checkout that the bank finished after its expiry counts as paid then. */
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
  const ids = booked.map(({ id }) => id)
  require(areSame(announced, ids), rule, () => `booked ${ids}, announced ${announced}`)
}

function bookedForMoney({ ledger, accepted }: SimulatedWorld, takings: Takings): void {
  for (const payment of ledger.payments.filter(isBooked)) {
    const piece = modelId(ledger, payment.id)
    if (piece.startsWith('renewal ')) continue
    const taking = takings.get(piece)
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

function refundedByHand({ ledger, refunded }: SimulatedWorld): void {
  const unasked = ledger.payments.filter(({ status, id }) => status === 'refunded' && !refunded.has(id))
  require(unasked.length === 0, 'only the operator refunds', () => JSON.stringify(unasked))
}

/** An operation that was asked for many times gave its days once, and said so once. */
function grantedOnce(world: SimulatedWorld): void {
  const { grants, outbox } = world.ledger
  const rule = 'no day is given twice'
  const twice = repeated(grants.flatMap(({ operation }) => operation ?? []))
  require(twice.length === 0, rule, () => `operations ${twice}`)
  for (const grant of grants) {
    const asked = world.given(grant)
    require(asked?.days === grant.days && asked.months === grant.months, rule, () => JSON.stringify(grant))
  }
  const announced = outbox.flatMap(({ grant }) => grant ?? [])
  const ids = grants.map(({ id }) => id)
  require(areSame(announced, ids), rule, () => `given ${ids}, announced ${announced}`)
}

function timeAgrees(world: SimulatedWorld, takings: Takings): void {
  const { ledger } = world
  for (const { user } of ledger.users) {
    const { pieces, spans, undermined } = standingAfter(historyOf(world, takings, user), world.now)
    require(undermined.length === 0, 'a refund takes a change before what it stands on', () => undermined)
    // Of a change that also bought time, its span has both.
    const ofChanges = [...spans].map(([id, span]) => ({ id, ...span }))
    for (const piece of [...pieces.filter(({ id }) => !spans.has(id)), ...ofChanges]) {
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

/** Only checkouts whose address was given to a user count: no user can pay the others. */
function oneShown({ shown, emulator }: SimulatedWorld): void {
  const payable = shown.filter(({ checkoutId }) => emulator.checkout(checkoutId)?.status === 'pending')
  const users = repeated(payable.map(({ userId }) => userId))
  require(users.length === 0, 'no user was shown two payable checkouts', () =>
    `${users}: ${JSON.stringify(payable)}`)
}

function outboxWithoutGap({ outbox, users }: Ledger): void {
  const rule = 'events to the platform have no gap'
  const last = new Map<string, number>()
  for (const { user, sequence } of outbox) {
    const before = last.get(user) ?? 0
    require(sequence === before + 1, rule, () => `${user}: ${sequence} after ${before}`)
    last.set(user, sequence)
  }
  for (const { user, sequence } of users)
    require(sequence === (last.get(user) ?? 0), rule, () =>
      `${user} is at ${sequence}, sent ${last.get(user)}`)
}

function eventsOnce({ events }: Ledger): void {
  const twice = repeated(events.map(({ id }) => id))
  require(twice.length === 0, 'each event is stored once', () => twice)
}

function acknowledgedIsStored({ ledger, webhooks: { acknowledged, forged } }: SimulatedWorld): void {
  const stored = new Set(ledger.events.map(({ id }) => id))
  for (const id of acknowledged) require(stored.has(id), 'what was acknowledged is stored', () => id)
  for (const id of forged) require(!stored.has(id), 'what was forged is not stored', () => id)
}

const areSame = (some: readonly string[], others: readonly string[]) =>
  some.toSorted().join() === others.toSorted().join()

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) < index))]
}

const span = (start: number | null | undefined, end: number | null | undefined) =>
  [start, end].map((at) => (typeof at === 'number' ? new Date(at).toISOString() : 'nothing')).join(' to ')
