// Sums of payments and refunds, for a month and for the accountant's file. They have the names of the API
// from the query to the page, in centimes. The API shows dinars.
import { type Static, Type } from 'typebox'
import { object } from '../http/schemas.js'

export const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
export const whole = (description: string) => Type.Integer({ description })

export const FiguresSchema = object('Figures', {
  count: whole('Payments, or refunds'),
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('with tax, after discounts'),
  asked: dinars('the amount asked for, if an operator accepted another one; else `ttc`'),
  discount: dinars('what codes took off, tax included'),
  stamp_duty: dinars('on top of `ttc`; 0 for refunds, which give back only the price'),
  total: dinars('`ttc` and the duty'),
  fees: dinars('what the provider kept'),
  fees_unknown: whole('Payments whose fees the provider did not state; their fees count as 0'),
  net: dinars('`total` without the fees'),
})

/** In centimes. Refunds are positive here: a month is its payments less its refunds. */
export interface Figures extends Readonly<Static<typeof FiguresSchema>> {
  /** The part that went to the user’s balance. It is not taxed. */
  readonly advance: number
}

const NAMES = [...Object.keys(FiguresSchema.properties), 'advance'] as (keyof Figures)[]

const figuresOf = (of: (name: keyof Figures) => number) =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)])) as { [Name in keyof Figures]: number }

export const NO_FIGURES: Figures = figuresOf(() => 0)

export function addFigures(one: Figures, other: Figures): Figures {
  return figuresOf((name) => one[name] + other[name])
}

export function sumFigures(all: readonly Figures[]): Figures {
  return all.reduce(addFigures, NO_FIGURES)
}

export const sumUp = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

export function lessRefunds(paid: Figures, refunded: Figures): Figures {
  return figuresOf((name) => paid[name] - refunded[name])
}
