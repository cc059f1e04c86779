// One seed from beginning to end. A broken rule comes out with its seed and with every step up to it; the same seed with
// the same options takes the same steps again.
import type { Calendar } from '../../packages/ishtirak/src/core/period.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { emptyBooks } from './ledger.js'
import { Dice } from './random.js'
import { Figures } from './figures.js'
import { live } from './steps.js'
import type { Surroundings } from './process.js'
import { BrokenRule, type RuleName } from './rules.js'
import { World } from './world.js'

export interface SeedOptions {
  readonly seed: number
  readonly days: number
  readonly database: Database
  /** How many processes work on the database; default: one or two, as the seed will have it. */
  readonly processes?: number
  /** Steps of the database at the same time: real locks, and no exact replay. */
  readonly race?: boolean
  readonly calendar?: Calendar
  readonly breakProvider?: Surroundings['breakProvider']
}

export interface SeedResult {
  readonly figures: Figures
  readonly journal: readonly string[]
}

export class SeedFailed extends Error {
  override readonly name = 'SeedFailed'
  constructor(
    readonly seed: number,
    readonly rule: RuleName | 'the simulation itself',
    readonly journal: readonly string[],
    cause: unknown,
  ) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const { seed, days, database, calendar, breakProvider } = options
  const dice = new Dice(seed)
  const figures = new Figures()
  await emptyBooks(database)
  const world = new World({
    database,
    dice,
    figures,
    startAt: startOf(dice),
    processes: options.processes ?? dice.between(1, 2),
    race: options.race ?? false,
    ...(calendar ? { calendar } : {}),
    breakProvider,
  })
  try {
    await live(world, days)
  } catch (error) {
    const rule = error instanceof BrokenRule ? error.rule : 'the simulation itself'
    throw new SeedFailed(seed, rule, world.journal, error)
  }
  figures.count('seeds')
  figures.count('booked payments', world.books.receipts.length)
  figures.count('checkouts', world.far.checkouts().length)
  return { figures, journal: world.journal }
}

/** Half of the seeds begin where months are hard: at their last days, in February, at the year's end. */
const HARD_DAYS = [
  '2027-01-29',
  '2027-01-30',
  '2027-01-31',
  '2027-08-30',
  '2026-12-31',
  '2028-01-31',
  '2028-02-28',
]

function startOf(dice: Dice): number {
  const day = dice.chance(0.5)
    ? Date.parse(`${dice.pick(HARD_DAYS)}T00:00:00Z`)
    : Date.parse('2026-11-01T00:00:00Z') + dice.between(0, 500) * 86_400_000
  return day + dice.between(0, 86_399_999)
}
