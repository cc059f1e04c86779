// What is sold in a simulation: plans, their terms, and codes. Every amount that can be asked for is there
// once, so that the model knows what was bought by what was paid, and trusts nothing that the service says of
// it.

export interface Sale {
  readonly plan: string
  readonly months: number
  /** The kind of code that makes it cheaper; null: none. */
  readonly code: string | null
}

/** By plan and months. */
const PRICES: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  pro: { 1: 2000, 6: 11_000, 12: 20_000 },
  team: { 1: 5000, 3: 14_000 },
}

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
  quarter: { isVoucher: true, plan: 'team', months: 3, uses: 1, usesPerUser: 1 },
}

export interface Offered extends Sale {
  readonly price: number
}

const WITHOUT_CODE: readonly Offered[] = Object.entries(PRICES).flatMap(([plan, terms]) =>
  Object.entries(terms).map(([months, price]) => ({ plan, months: Number(months), code: null, price })),
)

export const OFFERS: readonly Offered[] = [
  ...WITHOUT_CODE,
  ...Object.entries(CODE_KINDS).flatMap(([code, { percent = 0, amount = 0, isVoucher, ...only }]) =>
    WITHOUT_CODE.filter(
      ({ plan, months }) => !isVoucher && plan === (only.plan ?? plan) && months === (only.months ?? months),
    ).map((offer) => ({ ...offer, code, price: offer.price - (offer.price * percent) / 100 - amount })),
  ),
]

const BY_PRICE = new Map(OFFERS.map((offer) => [offer.price, offer]))
if (BY_PRICE.size !== OFFERS.length) throw new Error('two of the offers cost the same')

export function saleAt(price: number): Sale | undefined {
  return BY_PRICE.get(price)
}

/** Undefined: it is not sold so. */
export function priceOf({ plan, months, code }: Sale): number | undefined {
  return OFFERS.find((offer) => offer.plan === plan && offer.months === months && offer.code === code)?.price
}

/** The plans as a catalogue has them. */
export function termsOf(plan: string): {
  readonly price: number
  readonly terms: { months: number; price: number }[]
} {
  const terms = Object.entries(PRICES[plan] ?? {}).map(([months, price]) => ({
    months: Number(months),
    price,
  }))
  return {
    price: terms.find(({ months }) => months === 1)?.price ?? 0,
    terms: terms.filter(({ months }) => months > 1),
  }
}
