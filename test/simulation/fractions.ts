// Arithmetic without rounding, for the model: what a change of plan costs is rounded once, at its end.

export interface Fraction {
  readonly above: bigint
  /** Never 0 nor less. */
  readonly below: bigint
}

export const NOTHING: Fraction = { above: 0n, below: 1n }

/** Of whole numbers. */
export function fraction(above: number, below = 1): Fraction {
  if (below === 0) throw new RangeError('a fraction of nothing')
  const sign = below < 0 ? -1n : 1n
  return reduced(BigInt(above) * sign, BigInt(below) * sign)
}

export function plus(one: Fraction, other: Fraction): Fraction {
  return reduced(one.above * other.below + other.above * one.below, one.below * other.below)
}

export function minus(one: Fraction, other: Fraction): Fraction {
  return plus(one, { ...other, above: -other.above })
}

export function times(one: Fraction, other: Fraction): Fraction {
  return reduced(one.above * other.above, one.below * other.below)
}

export function total(all: readonly Fraction[]): Fraction {
  return all.reduce(plus, NOTHING)
}

/** The least whole number that is not below it. */
export function roundedUp({ above, below }: Fraction): number {
  const whole = above / below
  return Number(above > whole * below ? whole + 1n : whole)
}

function reduced(above: bigint, below: bigint): Fraction {
  let [one, other] = [above < 0n ? -above : above, below]
  while (other > 0n) [one, other] = [other, one % other]
  return one === 0n ? NOTHING : { above: above / one, below: below / one }
}
