// Exact fractions of whole numbers. Money that is divided by time several times must not drift.

/** `over / under`, with `under` above 0. Not reduced: sums over a user's periods stay small. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

export const ZERO: Fraction = { over: 0n, under: 1n }

/** Both are whole numbers. */
export function fraction(over: number, under = 1): Fraction {
  return { over: BigInt(over), under: BigInt(under) }
}

export function plus(one: Fraction, other: Fraction): Fraction {
  return one.under === other.under
    ? { over: one.over + other.over, under: one.under }
    : { over: one.over * other.under + other.over * one.under, under: one.under * other.under }
}

export function minus(one: Fraction, other: Fraction): Fraction {
  return plus(one, { over: -other.over, under: other.under })
}

export function times(one: Fraction, other: Fraction): Fraction {
  return { over: one.over * other.over, under: one.under * other.under }
}

export function isAboveZero({ over }: Fraction): boolean {
  return over > 0n
}

export function roundedDown({ over, under }: Fraction): number {
  const whole = over / under
  return Number(over < 0n && whole * under !== over ? whole - 1n : whole)
}

export function roundedUp({ over, under }: Fraction): number {
  return -roundedDown({ over: -over, under })
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
    until = Number((BigInt(total) * before.over * sum.under) / (before.under * sum.over))
    return until - from
  })
}
