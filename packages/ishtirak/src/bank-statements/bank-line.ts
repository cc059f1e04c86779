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

export type LineAct = 'set_aside' | 'mark_payout' | 'reopen'

/**
 * The state that an act would give to a line; null: the act is not possible. A line that pays a payment is
 * decided by that payment. Money that went out is no payout, and is opened again as what it was.
 */
export function stateAfter(
  line: {
    readonly state: BankLineState
    readonly payment_id: string | null
    readonly centimes: number
  },
  act: LineAct,
): 'set_aside' | 'payout' | 'open' | 'returned' | null {
  const { state, payment_id, centimes } = line
  const isOut = centimes < 0
  const becomes = {
    set_aside: 'set_aside',
    mark_payout: isOut ? null : 'payout',
    reopen: isOut ? 'returned' : 'open',
  } as const
  return state === 'approved' || payment_id !== null || state === becomes[act] ? null : becomes[act]
}

/** Money that the provider of cards paid out, by words in its text. */
export function isPayout(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase()
  return words.some((word) => folded.includes(word.toLowerCase()))
}
