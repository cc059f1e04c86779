// Arithmetic without rounding, for the model: what a change of plan costs is rounded once, at its end.

export interface Ratio {
  readonly above: bigint
  /** Never 0 nor less. */
  readonly below: bigint
}

export const NO_PART: Ratio = { above: 0n, below: 1n }

export function ratio(above: number, below = 1): Ratio {
  if (below === 0) throw new RangeError('a fraction of nothing')
  const sign = below < 0 ? -1n : 1n
  return reduced(BigInt(above) * sign, BigInt(below) * sign)
}

export function sumOf(one: Ratio, other: Ratio): Ratio {
  return reduced(one.above * other.below + other.above * one.below, one.below * other.below)
}

export function differenceOf(one: Ratio, other: Ratio): Ratio {
  return sumOf(one, { ...other, above: -other.above })
}

export function productOf(one: Ratio, other: Ratio): Ratio {
  return reduced(one.above * other.above, one.below * other.below)
}

export function sumOfAll(all: readonly Ratio[]): Ratio {
  return all.reduce(sumOf, NO_PART)
}

export function ceilingOf({ above, below }: Ratio): number {
  const whole = above / below
  return Number(above > whole * below ? whole + 1n : whole)
}

export function floorOf({ above, below }: Ratio): number {
  return -ceilingOf({ above: -above, below })
}

function reduced(above: bigint, below: bigint): Ratio {
  let [one, other] = [above < 0n ? -above : above, below]
  while (other > 0n) [one, other] = [other, one % other]
  return one === 0n ? NO_PART : { above: above / one, below: below / one }
}
