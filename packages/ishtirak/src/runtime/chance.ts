// The dice of the service: a number that spreads what would otherwise happen all at once. Not for secrets.

/** From 0 up to but not including 1. */
export type Chance = () => number

export const systemChance: Chance = () => Math.random()
