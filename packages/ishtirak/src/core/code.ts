// Codes that are printed and given out: how they are written and read, what they are worth, when they are
// valid. Pure. A code has 80 random bits; the database stores only its keyed hash.
import type { Instant } from './instant.js'
import type { Offer, Plan } from './plan.js'

/** `months`: time without a payment. `percent`, `amount`: off the next purchase. */
export const CODE_KINDS = ['months', 'percent', 'amount'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

/** The most codes in one batch: they are all returned in one answer. */
export const CODES_MAX = 10_000

/** Codes that are made together and are worth the same. Null: no such bound, or no such field. */
export interface CodeBatch {
  readonly id: string
  readonly kind: CodeKind
  /** For `months`: the plan that it gives, as it was when the batch was made. */
  readonly plan: Plan | null
  readonly planId: string | null
  /** For `months`: how many it gives. Otherwise the only term that it is valid for; null: any term. */
  readonly months: number | null
  /** 1 to 100, only for `percent`. */
  readonly percent: number | null
  /** Whole dinars, only for `amount`. */
  readonly amount: number | null
  readonly count: number
  /** How often each code can be used, in all and by one user. */
  readonly uses: number
  readonly usesPerUser: number
  /** The first instant at which they are valid. */
  readonly from: Instant | null
  /** The first instant at which they are no longer valid. */
  readonly until: Instant | null
  readonly revokedAt: Instant | null
}

/** Crockford's base 32 without I, L, O and U. A symbol is 5 bits, so 16 of them are 80. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const CODE_LENGTH = 16
const GROUP = /.{4}(?=.)/g

export function codeFrom(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/** The code in its printed form: `7K2M-9QXA-D3VF-0T8R`. */
export function printCode(code: string): string {
  return code.replace(GROUP, '$&-')
}

/** Accepts either case, hyphens, spaces, marks of direction, O for 0, I or L for 1. Null: not a code. */
export function readCode(typed: string): string | null {
  const symbols = typed.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toUpperCase()
  const code = symbols.replaceAll('O', '0').replace(/[IL]/g, '1')
  return code.length === CODE_LENGTH && [...code].every((symbol) => ALPHABET.includes(symbol)) ? code : null
}

/** A use by the open payment that a new choice would replace is not counted. */
export interface CodeFacts {
  readonly hash: string
  readonly batch: CodeBatch
  readonly used: number
  readonly usedByUser: number
}

export interface CodeDiscount {
  readonly hash: string
  /** Whole units of its currency. */
  readonly discount: number
}

/** What comes off a price. `percent`: 1 to 100. `amount`: whole units of its currency. */
export type Discount =
  | { readonly kind: 'percent'; readonly percent: number }
  | { readonly kind: 'amount'; readonly amount: number }

/** What the code takes off this purchase; null: it is not valid for it. */
export function discountOfCode(facts: CodeFacts, offer: Offer, now: Instant): Discount | null {
  return hasUseLeft(facts, now) ? discountOfBatch(facts.batch, offer) : null
}

type Worth = Pick<CodeBatch, 'kind' | 'planId' | 'months' | 'percent' | 'amount'>

/** What a valid code of the batch takes off this purchase; null: it is for something else. */
export function discountOfBatch(
  batch: Worth,
  { plan, months }: Pick<Offer, 'plan' | 'months'>,
): Discount | null {
  if (batch.planId !== null && batch.planId !== plan.id) return null
  if (batch.kind === 'months' || (batch.months !== null && batch.months !== months)) return null
  if (batch.percent !== null) return { kind: 'percent', percent: batch.percent }
  return batch.amount === null ? null : { kind: 'amount', amount: batch.amount }
}

/** The months that the code gives; null: it is not valid. `facts` is null if the code is unknown. */
export function monthsOf(
  facts: CodeFacts | null,
  now: Instant,
): { readonly plan: Plan; readonly months: number } | null {
  if (!facts || !hasUseLeft(facts, now)) return null
  const { kind, plan, months } = facts.batch
  return kind === 'months' && plan && months !== null ? { plan, months } : null
}

export function hasUseLeft({ batch, used, usedByUser }: CodeFacts, now: Instant): boolean {
  const { from, until, revokedAt } = batch
  const isBetweenItsDates = (from === null || now >= from) && (until === null || now < until)
  return isBetweenItsDates && revokedAt === null && used < batch.uses && usedByUser < batch.usesPerUser
}
