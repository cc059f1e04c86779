// What payments and refunds add up to: the figures of a month, and the totals of the accountant's file.

/** In centimes. Refunds are counted as they were paid: a month is its payments less its refunds. */
export interface Figures {
  readonly count: number
  /** The price without tax, the tax in it, and both together; after a discount. */
  readonly ht: number
  readonly tva: number
  readonly ttc: number
  /** What was asked for, where an operator accepted another amount; else the same. */
  readonly asked: number
  /** What codes took off, tax included. */
  readonly discount: number
  /** On top of `ttc`. A refund gives back the price alone: the duty is the treasury's. */
  readonly stampDuty: number
  readonly fees: number
  /** Payments whose fees the provider did not say: counted as none. */
  readonly feesUnknown: number
  /** What went to the user’s balance instead of buying something: untaxed. */
  readonly advance: number
}

export const NO_FIGURES: Figures = {
  count: 0,
  ht: 0,
  tva: 0,
  ttc: 0,
  asked: 0,
  discount: 0,
  stampDuty: 0,
  fees: 0,
  feesUnknown: 0,
  advance: 0,
}

export function addFigures(one: Figures, other: Figures): Figures {
  return combine(one, other, 1)
}

export function sumFigures(all: readonly Figures[]): Figures {
  return all.reduce(addFigures, NO_FIGURES)
}

export function lessRefunds(paid: Figures, refunded: Figures): Figures {
  return combine(paid, refunded, -1)
}

function combine(one: Figures, other: Figures, sign: 1 | -1): Figures {
  const of = (name: keyof Figures) => one[name] + sign * other[name]
  return {
    count: of('count'),
    ht: of('ht'),
    tva: of('tva'),
    ttc: of('ttc'),
    asked: of('asked'),
    discount: of('discount'),
    stampDuty: of('stampDuty'),
    fees: of('fees'),
    feesUnknown: of('feesUnknown'),
    advance: of('advance'),
  }
}

/** What was paid, in centimes. */
export function sumPaid({ ttc, stampDuty }: Pick<Figures, 'ttc' | 'stampDuty'>): number {
  return ttc + stampDuty
}

/** What is left of it without the provider's fees, in centimes. */
export function sumNet(figures: Figures): number {
  return sumPaid(figures) - figures.fees
}

/** In dinars. `total` is what was paid, `net` what is left of it without the provider's fees. */
export function describeFigures(figures: Figures) {
  const { count, ht, tva, ttc, asked, discount, stampDuty, fees, feesUnknown } = figures
  return {
    count,
    ht: ht / 100,
    tva: tva / 100,
    ttc: ttc / 100,
    asked: asked / 100,
    discount: discount / 100,
    stamp_duty: stampDuty / 100,
    total: sumPaid(figures) / 100,
    fees: fees / 100,
    fees_unknown: feesUnknown,
    net: sumNet(figures) / 100,
  }
}

/** In dinars: what the payments brought, less the refunds. */
export function balanceOf(paid: Figures, refunded: Figures) {
  const { ht, tva, ttc, stamp_duty, total, fees, net } = describeFigures(lessRefunds(paid, refunded))
  return { ht, tva, ttc, stamp_duty, total, fees, net }
}

/** What is declared of a month when it is closed: in centimes, but for the number of sales. */
export interface Totals {
  readonly sold: number
  readonly ht: number
  readonly tva: number
  readonly ttc: number
  readonly stamp_duty: number
  readonly refunded_ht: number
  readonly refunded_tva: number
  readonly refunded_ttc: number
  /** Of months that were closed before. */
  readonly late_tva: number
  readonly late_ttc: number
  readonly received: number
  readonly owed: number
}
