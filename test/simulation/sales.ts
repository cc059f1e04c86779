// Each amount is sold once, in one edition: the model knows from what was paid what was bought.
import type { Prices } from './model.js'

export interface Sale {
  readonly plan: string
  readonly months: number
  readonly single: number
  /** The kind of code that makes it cheaper; null: none. */
  readonly code: string | null
}

/** The prices by plan, from the cheapest to the dearest. */
export type Edition = Readonly<Record<string, Prices>>

const FIRST: Edition = {
  pro: { 1: 2000, 6: 11_000, 12: 20_000 },
  team: { 1: 5000, 3: 14_000 },
  max: { 1: 9000, 3: 25_500 },
}
const DEARER: Edition = { ...FIRST, pro: { 1: 2300, 6: 12_600, 12: 23_000 } }
const { team: _, ...WITHOUT_TEAM } = DEARER
/** A plan's price rises, a plan leaves; either comes back. */
export const EDITIONS: readonly Edition[] = [FIRST, DEARER, WITHOUT_TEAM]

export interface CodeKindSold {
  /** Gives the plan and the months below, without a payment. */
  readonly isVoucher?: true
  readonly percent?: number
  readonly amount?: number
  /** Absent: any. */
  readonly plan?: string
  readonly months?: number
  readonly uses: number
  readonly usesPerUser: number
}

export const CODE_KINDS: Readonly<Record<string, CodeKindSold>> = {
  half: { percent: 50, uses: 2, usesPerUser: 1 },
  less: { amount: 250, uses: 1, usesPerUser: 1 },
  year: { percent: 15, plan: 'pro', months: 12, uses: 3, usesPerUser: 2 },
  voucher: { isVoucher: true, plan: 'pro', months: 1, uses: 2, usesPerUser: 1 },
  quarter: { isVoucher: true, plan: 'max', months: 3, uses: 1, usesPerUser: 1 },
}

type Offered = Sale & { readonly price: number }

export function offersIn(edition: Edition): readonly Offered[] {
  const withoutCode = Object.entries(edition).flatMap(([plan, terms]) =>
    Object.entries(terms).map(([months, price]) => {
      const single = terms[1] ?? 0
      return { plan, months: Number(months), single, code: null, price }
    }),
  )
  const withCodes = Object.entries(CODE_KINDS).flatMap(([code, { percent = 0, amount = 0, ...only }]) =>
    withoutCode
      .filter(({ plan, months }) => plan === (only.plan ?? plan) && months === (only.months ?? months))
      .filter(() => !only.isVoucher)
      .map((offer) => ({ ...offer, code, price: offer.price - (offer.price * percent) / 100 - amount })),
  )
  return [...withoutCode, ...withCodes]
}

const key = ({ plan, months, single, code }: Sale) => `${plan} ${months} ${single} ${code}`
const ALL = new Map(EDITIONS.flatMap(offersIn).map((offer) => [key(offer), offer]))
export const OFFERS: readonly Offered[] = [...ALL.values()]

const BY_PRICE = new Map(OFFERS.map((offer) => [offer.price, offer]))
if (BY_PRICE.size !== OFFERS.length) throw new Error('two of the offers cost the same')

export function saleAt(price: number): Sale | undefined {
  return BY_PRICE.get(price)
}

export type SoldBy = Pick<Sale, 'plan' | 'months' | 'single'>

/** Undefined: it is not sold so. */
export function priceOf(sale: Sale): number | undefined {
  return ALL.get(key(sale))?.price
}

export function termsOf(prices: Prices) {
  const terms = Object.entries(prices).map(([months, price]) => ({ months: Number(months), price }))
  return { price: prices[1] ?? 0, terms: terms.filter(({ months }) => months > 1) }
}
