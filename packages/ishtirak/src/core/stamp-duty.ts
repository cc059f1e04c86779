// The stamp duty on receipts (droit de timbre de quittance: Code du timbre, article 100) falls on what is
// paid in cash. Finance acts change it, so it is a table of dated settings. Integers only.

/** One row of the table. Amounts are whole dinars; a bound belongs to what is below it. */
export interface StampDutyTerm {
  /** The first day on which it holds, `YYYY-MM-DD`. */
  readonly from: string
  /** Nothing is due up to this amount. */
  readonly exemptUpTo: number
  /** By rising bounds; the last has none. */
  readonly brackets: readonly StampDutyBracket[]
  /** A part of a hundred counts as a hundred. Else a percentage, rounded up to whole dinars. */
  readonly wholeHundreds: boolean
  readonly minimum: number
  /** Null: none. */
  readonly maximum: number | null
}

interface StampDutyBracket {
  readonly upTo: number | null
  readonly centimesPerHundred: number
}

/** By rising date, no date twice. */
export type StampDutyTerms = readonly [StampDutyTerm, ...StampDutyTerm[]]

/** In centimes, for `amount` whole dinars. One bracket holds for all of it: there are no slices. */
export function stampDutyOn(amount: number, term: StampDutyTerm): number {
  if (amount <= term.exemptUpTo) return 0
  const bracket = term.brackets.find(({ upTo }) => upTo === null || amount <= upTo)
  const rate = bracket?.centimesPerHundred ?? 0
  const duty = term.wholeHundreds ? Math.ceil(amount / 100) * rate : Math.ceil((amount * rate) / 10_000) * 100
  const most = term.maximum === null ? duty : Math.min(duty, term.maximum * 100)
  return Math.max(most, term.minimum * 100)
}
