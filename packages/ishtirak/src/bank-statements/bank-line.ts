// The words for a line of a bank statement: its states, and how it fits a transfer.

/** `returned`: money that went out again under the reference of a transfer; its amount is below 0. */
export const LINE_STATES = ['open', 'approved', 'payout', 'set_aside', 'returned'] as const
export type BankLineState = (typeof LINE_STATES)[number]

/** A line that is open is of the kind of its match. */
export const LINE_KINDS = [
  ...(['sure', 'to_choose', 'unknown'] as const),
  ...(['approved', 'payout', 'set_aside', 'returned'] as const),
] as const

/**
 * Why a line is never sure, whatever its reference says. `other_column`: a column that is not understood may
 * say that the money did not come. `not_come`: the row or a title says so in words. `currency`: the amount
 * may be in another one. `left_out`: a row without money names the same reference.
 */
const LINE_DOUBTS = ['other_column', 'not_come', 'currency', 'left_out'] as const
export type LineDoubt = (typeof LINE_DOUBTS)[number]

export const MATCH_RULES = [
  ...(['reference', 'reference_inside', 'reference_near'] as const),
  ...(['amount_day_name', 'amount_day'] as const),
] as const
export type MatchRule = (typeof MATCH_RULES)[number]

/** Reasons why a line may not be for a transfer. `returned`: money went out again under the reference. */
export const MISFITS = [
  ...(['amount', 'before_order', 'in_future', 'given_up', 'booked'] as const),
  ...(['other_reference', 'other_line', 'returned'] as const),
  ...LINE_DOUBTS,
] as const
export type Misfit = (typeof MISFITS)[number]
