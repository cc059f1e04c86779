// The states of a line of a bank statement, and what an operator may make of it. Pure.

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
export const LINE_DOUBTS = ['other_column', 'not_come', 'currency', 'left_out'] as const
export type LineDoubt = (typeof LINE_DOUBTS)[number]

/** A line that pays a payment is decided by it alone; only money that came in is a payout. */
export function mayBecome(
  { state, payment_id }: { readonly state: BankLineState; readonly payment_id: string | null },
  wanted: 'payout' | 'set_aside' | 'open' | 'returned',
): boolean {
  if (state === 'returned') return wanted === 'set_aside'
  return state !== 'approved' && payment_id === null && state !== wanted
}

/** Money that the provider of cards paid out, by words in its text. */
export function isPayout(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase()
  return words.some((word) => folded.includes(word.toLowerCase()))
}
