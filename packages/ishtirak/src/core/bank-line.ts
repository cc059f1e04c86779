// What became of a line of a bank statement, and what an operator may make of it. Pure.

export type BankLineState = 'open' | 'approved' | 'payout' | 'set_aside'

/** A line that pays payments is decided by them alone. */
export function mayBecome(
  { state, paymentIds }: { readonly state: BankLineState; readonly paymentIds: readonly string[] },
  wanted: 'payout' | 'set_aside' | 'open',
): boolean {
  return state !== 'approved' && paymentIds.length === 0 && state !== wanted
}

/** Money that the provider of cards paid out, by words in its text. */
export function isPayout(text: string, words: readonly string[]): boolean {
  const folded = text.toLowerCase()
  return words.some((word) => folded.includes(word.toLowerCase()))
}

/** Of a text, what stays when a bank writes it with other spaces, signs or case. */
export function foldedLineText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
