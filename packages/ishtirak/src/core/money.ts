// Money is an integer number of whole units of its currency. No fraction, no float: Chargily takes whole dinars
// (reference: Chargily quick guide, `amount: 2000` is 2000 DZD), and a fraction would be lost.

export interface Money {
  /** Whole dinars, never negative. */
  readonly amount: number
  /** ISO 4217, upper case. */
  readonly currency: string
}

/** The least that Chargily accepts: "The amount field must be greater than or equal to 50." */
export const SMALLEST_PAYABLE_AMOUNT = 50
