// The same seed with the same options takes the same steps again.
import type { BillingRules } from '../../packages/ishtirak/src/core/subscription.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { SeededRandom } from '../support/random.js'
import { SimulationFigures } from './figures.js'
import { type BookedPayment, clearLedger } from './ledger.js'
import type { ProcessDeps } from './process.js'
import { BrokenRule } from './rules.js'
import { runSteps } from './steps.js'
import { SimulatedWorld } from './world.js'

export interface SeedOptions {
  readonly seed: number
  readonly days: number
  readonly database: Database
  readonly processes?: number
  /** Runs some database steps concurrently: real locks, but no exact replay. */
  readonly race?: boolean
  readonly rules?: Partial<BillingRules>
  readonly breakProvider?: ProcessDeps['breakProvider']
  readonly signal?: AbortSignal
}

export type SeedResult = { figures: SimulationFigures; journal: readonly string[] }

export class SeedFailed extends Error {
  override readonly name = 'SeedFailed'
  constructor(
    readonly seed: number,
    readonly rule: string,
    readonly journal: readonly string[],
    cause: unknown,
  ) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

let last: Promise<unknown> = Promise.resolve()

/** One seed at a time: a test that timed out still runs, and would write into the tables of the next. */
export function runSeed(options: SeedOptions): Promise<SeedResult> {
  const run = last.then(() => runAlone(options))
  last = run.catch(() => undefined)
  return run
}

/** A batch that is late by the processor's time is not waited for: a busy machine would take other steps. */
function stopProcessorTime(): () => void {
  const { now } = performance
  const stood = performance.now()
  performance.now = () => stood
  return () => {
    performance.now = now
  }
}

async function runAlone(options: SeedOptions): Promise<SeedResult> {
  const { seed, days, database, rules, breakProvider, signal } = options
  const random = new SeededRandom(seed)
  const figures = new SimulationFigures()
  await clearLedger(database)
  const world = new SimulatedWorld({
    database,
    random,
    figures,
    startAt: startOf(random),
    processes: options.processes ?? random.between(1, 2),
    race: options.race ?? false,
    ...(rules ? { rules } : {}),
    breakProvider,
  })
  const goOn = stopProcessorTime()
  try {
    await runSteps(world, days, signal)
  } catch (error) {
    signal?.throwIfAborted()
    const rule = error instanceof BrokenRule ? error.rule : 'the simulation itself'
    throw new SeedFailed(seed, rule, world.journal, error)
  } finally {
    goOn()
  }
  figures.count('seeds')
  figures.count('booked payments', world.ledger.documents.filter(({ place }) => place === 0).length)
  const isChange = ({ kind, paidAt }: BookedPayment) => kind === 'change' && paidAt !== null
  figures.count('booked changes', world.ledger.payments.filter(isChange).length)
  const renewals = world.ledger.entries.filter(({ kind }) => kind === 'renewal').length
  figures.count('booked renewals', renewals)
  for (const kind of ['invoice', 'credit_note'] as const)
    figures.count(`documents: ${kind}`, world.ledger.documents.filter((one) => one.kind === kind).length)
  figures.count('checkouts', world.emulator.checkouts().length)
  return { figures, journal: world.journal }
}

/** Half of the seeds start where months are irregular: at their last days, in February, at the year's end. */
const HARD_DAYS = [
  '2027-01-29',
  '2027-01-30',
  '2027-01-31',
  '2027-08-30',
  '2026-12-31',
  '2028-01-31',
  '2028-02-28',
]

function startOf(random: SeededRandom): number {
  const day = random.boolean(0.5)
    ? Date.parse(`${random.pick(HARD_DAYS)}T00:00:00Z`)
    : Date.parse('2026-11-01T00:00:00Z') + random.between(0, 500) * 86_400_000
  return day + random.between(0, 86_399_999)
}
