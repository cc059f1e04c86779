import fc from 'fast-check'

/** Fails with the smallest of `runs` drawn values for which the property does not hold. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  runs: number,
  ...property: [
    ...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    holds: (...values: Values) => void,
  ]
): void {
  fc.assert(fc.property<Values>(...property), { numRuns: runs })
}
