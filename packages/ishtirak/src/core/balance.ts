// A user's balance: money paid in and not spent, and the standing order that buys the same term again. It is
// a ledger: each entry follows the one before. subscription.ts computes what the order buys. Pure.
import type { Instant } from './instant.js'
import { type Catalogue, offerOf, type Plan, planById } from './plan.js'

/**
 * `returned`: a payment was refunded to the balance. `surplus`: money that was paid when nothing was left to
 * buy. `paid_out`: an operator gave it back to the user by hand.
 */
export const ENTRY_KINDS = [
  'top_up',
  'purchase',
  'renewal',
  'returned',
  'surplus',
  'correction',
  'paid_out',
] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** An entry as an act makes it. Its place in the ledger is added when it is saved. */
export interface NewEntry {
  readonly kind: EntryKind
  /** Whole dinars, negative if the entry takes money. */
  readonly amount: number
  readonly paymentId: string | null
  /** The user reads this note. */
  readonly note: string | null
  /** When it takes effect. Never before the entry that it follows. */
  readonly at: Instant
}

/** A term that the balance buys whenever the paid time ends, at the agreed price. */
export interface StandingOrder {
  readonly plan: Plan
  readonly months: number
  readonly price: number
  /** The catalogue's newer price, and when the user was told of it; null: the price is the agreed one. */
  readonly offered: { readonly price: number; readonly at: Instant } | null
}

export interface Balance {
  /** Whole dinars, never below zero. */
  readonly amount: number
  readonly entries: number
  /** Since when the amount and the standing order are as they are. */
  readonly since: Instant
  readonly order: StandingOrder | null
}

interface HoldsBalance {
  /** Null: the user never had a balance or a standing order. */
  readonly balance: Balance | null
}

export function balanceIn({ balance }: HoldsBalance): number {
  return balance?.amount ?? 0
}

/** Returns the facts with the entry added. Throws if it takes more than there is, which no act decides. */
export function withEntry<Facts extends HoldsBalance>(facts: Facts, { amount, at }: NewEntry): Facts {
  const { balance } = facts
  const left = balanceIn(facts) + amount
  if (left < 0) throw new RangeError('more is taken from a balance than there is')
  const since = Math.max(balance?.since ?? at, at)
  const entries = (balance?.entries ?? 0) + 1
  return { ...facts, balance: { amount: left, entries, since, order: balance?.order ?? null } }
}

/** The order at today's catalogue: with the new price if that changed, null if the term is no longer sold. */
export function atCatalogue(order: StandingOrder, catalogue: Catalogue, now: Instant): StandingOrder | null {
  const plan = planById(catalogue, order.plan.id)
  const offer = plan && offerOf(plan, order.months)
  if (!offer) return null
  const price = offer.price.amount
  if (price === order.price) return { ...order, offered: null }
  return price === order.offered?.price ? order : { ...order, offered: { price, at: now } }
}

export function withOrder<Facts extends HoldsBalance>(
  facts: Facts,
  order: StandingOrder | null,
  now: Instant,
): Facts {
  const { amount = 0, entries = 0, since = now } = facts.balance ?? {}
  return { ...facts, balance: { amount, entries, since: Math.max(since, now), order } }
}
