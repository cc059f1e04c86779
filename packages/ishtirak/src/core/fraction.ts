// Exact fractions of whole numbers. Money that is divided by time several times must not drift.

/** `denominator` is above 0. Fractions are not reduced, because sums over a user's periods stay small. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const ZERO: Fraction = { numerator: 0n, denominator: 1n }

/** Both are whole numbers. */
export function fraction(numerator: number, denominator = 1): Fraction {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) }
}

export function plus(one: Fraction, other: Fraction): Fraction {
  return one.denominator === other.denominator
    ? { numerator: one.numerator + other.numerator, denominator: one.denominator }
    : {
        numerator: one.numerator * other.denominator + other.numerator * one.denominator,
        denominator: one.denominator * other.denominator,
      }
}

export function minus(one: Fraction, other: Fraction): Fraction {
  return plus(one, { numerator: -other.numerator, denominator: other.denominator })
}

export function times(one: Fraction, other: Fraction): Fraction {
  return { numerator: one.numerator * other.numerator, denominator: one.denominator * other.denominator }
}

export function isAboveZero({ numerator }: Fraction): boolean {
  return numerator > 0n
}

export function roundedDown({ numerator, denominator }: Fraction): number {
  const whole = numerator / denominator
  return Number(numerator < 0n && whole * denominator !== numerator ? whole - 1n : whole)
}

export function roundedUp({ numerator, denominator }: Fraction): number {
  return -roundedDown({ numerator: -numerator, denominator })
}

/** Splits `total` into whole parts by these weights (none below 0). If all are 0, the parts are equal. */
export function splitWhole(total: number, given: readonly Fraction[]): readonly number[] {
  const weights = given.some(isAboveZero) ? given : given.map(() => fraction(1))
  const sum = weights.reduce(plus, ZERO)
  let before = ZERO
  let until = 0
  return weights.map((weight) => {
    const from = until
    before = plus(before, weight)
    until = Number(
      (BigInt(total) * before.numerator * sum.denominator) / (before.denominator * sum.numerator),
    )
    return until - from
  })
}
