// Codes that are printed and given out: how one is written and read, what it is worth, when it counts. Pure.
// A code is 80 random bits, known to the database by a keyed hash alone.
import type { Instant } from './instant.js'
import type { Offer, Plan } from './plan.js'

/** `months`: time without a payment. `percent`, `amount`: off the next purchase. */
export const CODE_KINDS = ['months', 'percent', 'amount'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

/** The most that one batch holds: its codes are answered at once. */
export const CODES_MAX = 10_000

/** Codes that are made together and are worth the same. Null: no such bound, or not of this kind. */
export interface CodeBatch {
  readonly id: string
  readonly kind: CodeKind
  /** Of `months`: what it gives, as it was when the batch was made. */
  readonly plan: Plan | null
  readonly planId: string | null
  /** Of `months`: how many it gives. Else the term that it is for; null: any. */
  readonly months: number | null
  /** From 1 to 100. */
  readonly percent: number | null
  /** Whole dinars. */
  readonly amount: number | null
  /** How many codes there are. */
  readonly count: number
  /** How often each of them can be used, in all and by one user. */
  readonly uses: number
  readonly usesPerUser: number
  /** The first instant at which they count. */
  readonly from: Instant | null
  /** The first instant at which they count no more. */
  readonly until: Instant | null
  readonly revokedAt: Instant | null
}

/** Crockford's base 32 without I, L, O and U. A symbol is 5 bits, so 16 of them are 80. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const CODE_LENGTH = 16
const GROUP = /.{4}(?=.)/g

/** From `CODE_LENGTH` random bytes. */
export function codeFrom(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/** As it is printed: `7K2M-9QXA-D3VF-0T8R`. */
export function printCode(code: string): string {
  return code.replace(GROUP, '$&-')
}

/** In either case, with hyphens, spaces, marks of direction, O for 0, I or L for 1. Null: no code. */
export function readCode(typed: string): string | null {
  const symbols = typed.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()
  const code = symbols.replaceAll('O', '0').replace(/[IL]/g, '1')
  return code.length === CODE_LENGTH && [...code].every((symbol) => ALPHABET.includes(symbol)) ? code : null
}

/** What is known of a code and its uses, without that of the payment that a new choice would replace. */
export interface CodeFacts {
  readonly hash: string
  readonly batch: CodeBatch
  readonly used: number
  readonly usedByUser: number
  /** By itself, where its batch still counts. */
  readonly revokedAt: Instant | null
}

/** By a code, of one purchase. */
export interface TakenOff {
  readonly hash: string
  /** Whole units of its currency. */
  readonly discount: number
}

/** What comes off a price. `percent`: 1 to 100. `amount`: whole units of its currency. */
export type Discount =
  | { readonly kind: 'percent'; readonly percent: number }
  | { readonly kind: 'amount'; readonly amount: number }

/** What the code takes off this purchase; null: it does not count. */
export function discountOf(facts: CodeFacts, { plan, months }: Offer, now: Instant): Discount | null {
  return hasUseLeft(facts, now) ? discountIn(facts.batch, { plan, months }) : null
}

type Worth = Pick<CodeBatch, 'kind' | 'planId' | 'months' | 'percent' | 'amount'>

/** What a code of the batch takes off this purchase, while it counts; null: it is for something else. */
export function discountIn(batch: Worth, { plan, months }: Pick<Offer, 'plan' | 'months'>): Discount | null {
  if (batch.planId !== null && batch.planId !== plan.id) return null
  if (batch.kind === 'months' || (batch.months !== null && batch.months !== months)) return null
  if (batch.percent !== null) return { kind: 'percent', percent: batch.percent }
  return batch.amount === null ? null : { kind: 'amount', amount: batch.amount }
}

/** The months that the code gives; null: it does not count. `facts` is null for no code of ours. */
export function monthsOf(
  facts: CodeFacts | null,
  now: Instant,
): { readonly plan: Plan; readonly months: number } | null {
  if (!facts || !hasUseLeft(facts, now)) return null
  const { kind, plan, months } = facts.batch
  return kind === 'months' && plan && months !== null ? { plan, months } : null
}

/** It counts now, and this user can use it once more. */
export function hasUseLeft({ batch, used, usedByUser, revokedAt }: CodeFacts, now: Instant): boolean {
  const { from, until } = batch
  const isInTime = (from === null || now >= from) && (until === null || now < until)
  const isRevoked = batch.revokedAt !== null || revokedAt !== null
  return isInTime && !isRevoked && used < batch.uses && usedByUser < batch.usesPerUser
}
