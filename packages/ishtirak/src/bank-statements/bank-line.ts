// The states of a line of a bank statement, and what an operator may make of it. Pure.

/** `returned`: money that went out again under the reference of a transfer; its amount is below 0. */
export const LINE_STATES = ['open', 'approved', 'payout', 'set_aside', 'returned'] as const
export type BankLineState = (typeof LINE_STATES)[number]

/**
 * Why a line is never sure, whatever its reference says. `other_column`: a column that nothing is known of
 * may say that the money did not come. `not_come`: the row says so in words. `currency`: the amount may be in
 * another one. `continued`: the reference stands in a row below, which may belong to another line.
 * `left_out`: a row that was left out names the same reference. `equal_line`: an earlier file has an equal
 * line, and this file does not hold that file's day.
 */
export const LINE_DOUBTS = [
  'other_column',
  'not_come',
  'currency',
  'continued',
  'left_out',
  'equal_line',
] as const
export type LineDoubt = (typeof LINE_DOUBTS)[number]

/** A line that pays payments is decided by them alone; only money that came in is a payout. */
export function mayBecome(
  { state, paymentIds }: { readonly state: BankLineState; readonly paymentIds: readonly string[] },
  wanted: 'payout' | 'set_aside' | 'open' | 'returned',
): boolean {
  if (state === 'returned') return wanted === 'set_aside'
  return state !== 'approved' && paymentIds.length === 0 && state !== wanted
}

/** Money that the provider of cards paid out, by words in its text. */
export function isPayout(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase()
  return words.some((word) => folded.includes(word.toLowerCase()))
}
