// Money that a user has paid in and not spent, and the order by which it buys a term again and again. A
// ledger, not a number: each entry follows on the one before. What the order buys and when is computed
// (subscription.ts). Pure.
import type { Instant } from './instant.js'
import { type Catalogue, offerOf, type Plan, planById } from './plan.js'

/**
 * `returned`: a payment was refunded to the balance. `surplus`: money that found nothing to buy. `paid_out`:
 * given back to the user by hand.
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

/** An entry as an act makes it; its place in the ledger follows from the facts. */
export interface NewEntry {
  readonly kind: EntryKind
  /** Whole dinars; below zero where it takes. */
  readonly amount: number
  readonly paymentId: string | null
  /** For the user to read. */
  readonly note: string | null
  /** When it counts. Never before the entry that it follows. */
  readonly at: Instant
}

/** A term that the balance buys whenever the paid time ends, as it was agreed. */
export interface StandingOrder {
  readonly plan: Plan
  readonly months: number
  /** Whole dinars for the term. */
  readonly price: number
  /** What the catalogue asks since, and when the user was told; null: the price agreed. */
  readonly offered: { readonly price: number; readonly at: Instant } | null
}

export interface Balance {
  /** Whole dinars, never below zero. */
  readonly amount: number
  /** How many there are in the ledger. */
  readonly entries: number
  /** Since when amount and order are as they are. */
  readonly since: Instant
  readonly order: StandingOrder | null
}

interface HoldsBalance {
  /** Null: the user never had one, nor an order. */
  readonly balance: Balance | null
}

/** Whole dinars. */
export function balanceIn({ balance }: HoldsBalance): number {
  return balance?.amount ?? 0
}

/** The facts with the entry. Throws where more is taken than there is, which no act decides. */
export function withEntry<Facts extends HoldsBalance>(facts: Facts, { amount, at }: NewEntry): Facts {
  const { balance } = facts
  const left = balanceIn(facts) + amount
  if (left < 0) throw new RangeError('more is taken from a balance than there is')
  const since = Math.max(balance?.since ?? at, at)
  const entries = (balance?.entries ?? 0) + 1
  return { ...facts, balance: { amount: left, entries, since, order: balance?.order ?? null } }
}

/** As the catalogue has it now: null where it is sold no more, with another price where it costs that. */
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
