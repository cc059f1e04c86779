// The stamp duty on receipts (droit de timbre de quittance: Code du timbre, article 100) is due on cash.
// Finance acts change it, so it is a table of dated settings. All arithmetic is on integers.

/** One row of the table. Amounts are whole dinars. An amount equal to a bound is in the bracket below it. */
export interface StampDutyTerm {
  /** The first day on which it holds, `YYYY-MM-DD`. */
  readonly from: string
  readonly exemptUpTo: number
  /** Sorted by bound; the last bracket has none. */
  readonly brackets: readonly StampDutyBracket[]
  /** True: a started hundred counts as a hundred. False: a percentage, rounded up to whole dinars. */
  readonly wholeHundreds: boolean
  readonly minimum: number
  readonly maximum: number | null
}

interface StampDutyBracket {
  readonly upTo: number | null
  readonly centimesPerHundred: number
}

/** Sorted by date, each date once. */
export type StampDutyTerms = readonly [StampDutyTerm, ...StampDutyTerm[]]

/** Centimes for `amount` whole dinars. One bracket holds for the whole amount: there are no slices. */
export function stampDutyOn(amount: number, term: StampDutyTerm): number {
  if (amount <= term.exemptUpTo) return 0
  const bracket = term.brackets.find(({ upTo }) => upTo === null || amount <= upTo)
  const rate = bracket?.centimesPerHundred ?? 0
  const duty = term.wholeHundreds ? Math.ceil(amount / 100) * rate : Math.ceil((amount * rate) / 10_000) * 100
  const most = term.maximum === null ? duty : Math.min(duty, term.maximum * 100)
  return Math.max(most, term.minimum * 100)
}
