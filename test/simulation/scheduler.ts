// Between two steps code only computes, so another task may run, time may pass or the process may die.

import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import type { SeededRandom } from '../support/random.js'
import type { SimulationFigures } from './figures.js'

/** How likely each fault is: drawn for each run of tasks. */
export interface FaultRates {
  readonly name: 'none' | 'few' | 'many'
  /** A process dies at one of its steps, before or after the step took effect. */
  readonly kill: number
  /** The database is away for one statement, or its answer is lost after the commit. */
  readonly database: number
  readonly provider: number
  /** Time passes between two steps, as on a slow network or a busy machine. */
  readonly slow: number
}

export const NO_FAULTS: FaultRates = { name: 'none', kill: 0, database: 0, provider: 0, slow: 0 }
const FEW_FAULTS: FaultRates = { name: 'few', kill: 0.01, database: 0.01, provider: 0.1, slow: 0.03 }
const MANY_FAULTS: FaultRates = { name: 'many', kill: 0.04, database: 0.04, provider: 0.35, slow: 0.12 }

export function drawFaultRates(random: SeededRandom): FaultRates {
  const kind = random.weighted({ calm: 4, windy: 4, storm: 3 })
  return { calm: NO_FAULTS, windy: FEW_FAULTS, storm: MANY_FAULTS }[kind]
}

/** One process from its start to its death. Payers and the provider use `OUTSIDE`, which never dies. */
export type ProcessState = { name: string; isAlive: boolean }

export const OUTSIDE: ProcessState = { name: 'outside', isAlive: true }

export interface Task {
  readonly name: string
  readonly state: ProcessState
  readonly start: () => Promise<unknown>
  /** Called first when the task ends. */
  readonly ended?: (end: End) => void
}

export type End =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** Its process died without an answer. */
  | { readonly kind: 'killed' }

export type StepKind = 'database' | 'provider' | 'other'

interface Parked {
  readonly state: ProcessState
  readonly kind: StepKind
  readonly name: string
  readonly take: (fate: Fate) => Promise<void>
}

type Fate = 'goes_well' | 'killed_before' | 'killed_after' | 'away_before' | 'away_after'

type Timer = { state: ProcessState; dueAt: number; ring: () => void }

/** A task waits but no step or timer is left: a bug of the simulation or a deadlock of the service. */
class NoProgress extends Error {
  override readonly name = 'NoProgress'
}

const PAUSES_MS = [50, 400, 1_600, 6_000, 13_000, 40_000]
/** Time that may pass within one run of tasks; the rules about the sweep allow for it. */
export const LONGEST_RUN_MS = 120_000
/** A handful of tasks takes a few hundred steps; more means an endless loop. */
const MOST_STEPS = 20_000

export class StepScheduler {
  faultRates: FaultRates = NO_FAULTS
  onTime: () => void = () => undefined
  #parked: Parked[] = []
  #timers: Timer[] = []
  #running: { readonly task: Task; end: End | null }[] = []

  constructor(
    private readonly clock: MovableClock,
    private readonly random: SeededRandom,
    private readonly figures: SimulationFigures,
    private readonly note: (line: string) => void,
    /** Runs some steps at once, so that they compete for the server's locks, which decide their order. */
    private readonly race = false,
  ) {}

  async run(tasks: readonly Task[], faultRates: FaultRates): Promise<void> {
    this.faultRates = faultRates
    const pausesEndAt = this.clock.now() + LONGEST_RUN_MS
    this.#running = tasks.map((task) => ({ task, end: null }))
    for (const entry of this.#running) this.#begin(entry)
    for (let steps = 0; ; steps++) {
      await drained()
      if (this.#running.every(({ end }) => end !== null)) break
      if (steps > MOST_STEPS) throw new NoProgress(`no end after ${MOST_STEPS} steps`)
      if (this.random.boolean(faultRates.slow) && this.clock.now() < pausesEndAt) this.#pause()
      else await this.#takeNext()
    }
    this.#running = []
    this.faultRates = NO_FAULTS
  }

  /** Waits until chosen, then resolves with the result of `work`. Never settles if the process dies here. */
  step<Value>(
    state: ProcessState,
    kind: StepKind,
    name: string,
    work: () => Value | Promise<Value>,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      // A dead process takes no further step, although its code still runs.
      if (!state.isAlive) return
      const take = async (fate: Fate) => {
        const point = kind === 'other' ? 'the first step' : name
        if (fate === 'killed_before') return this.kill(state, `before ${point}`)
        if (fate === 'away_before') return reject(new DatabaseUnavailable('the database is away'))
        try {
          const value = await work()
          // With `race` the process may have died of another step meanwhile.
          if (!state.isAlive) return
          if (fate === 'killed_after') this.kill(state, `after ${point}`)
          else if (fate === 'away_after') reject(new DatabaseUnavailable('the answer was lost'))
          else resolve(value)
        } catch (error) {
          reject(error)
        }
      }
      this.#parked.push({ state, kind, name, take })
    })
  }

  /** A timer of a process: fires at its time or up to two seconds later, as on a busy machine. */
  wait(state: ProcessState, ms: number): Promise<void> {
    return new Promise((ring) => {
      const dueAt = this.clock.now() + ms + this.random.between(0, 2_000)
      if (state.isAlive) this.#timers.push({ state, dueAt, ring })
    })
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    const now = this.clock.now()
    const due = this.#timers.filter((timer) => timer.dueAt <= now)
    this.#timers = this.#timers.filter((timer) => timer.dueAt > now)
    this.onTime()
    for (const timer of due) timer.ring()
  }

  /** Ends a process as kill -9 does: its completed steps stay, the rest never happens, no call returns. */
  kill(state: ProcessState, where: string): void {
    state.isAlive = false
    this.note(`    ${state.name} killed ${where}`)
    this.figures.count(`crashes: ${where}`)
    this.#parked = this.#parked.filter((parked) => parked.state !== state)
    this.#timers = this.#timers.filter((timer) => timer.state !== state)
    for (const entry of this.#running) if (entry.task.state === state) this.#end(entry, { kind: 'killed' })
  }

  #begin(entry: { readonly task: Task; end: End | null }): void {
    const { state, name, start } = entry.task
    this.step(state, 'other', name, () => undefined)
      .then(start)
      .then(
        (value) => this.#end(entry, { kind: 'done', value }),
        (error) => this.#end(entry, { kind: 'threw', error }),
      )
    if (!state.isAlive) this.#end(entry, { kind: 'killed' })
  }

  #end(entry: { readonly task: Task; end: End | null }, end: End): void {
    if (entry.end) return
    entry.end = end
    const { name } = entry.task
    if (end.kind === 'threw') this.note(`    ${name}: ${String(end.error).slice(0, 150)}`)
    entry.task.ended?.(end)
  }

  #pause(): void {
    const ms = this.random.pick(PAUSES_MS)
    this.note(`    ${ms} ms pass`)
    this.figures.count('faults: pause between two steps')
    this.pass(ms)
  }

  async #takeNext(): Promise<void> {
    if (this.#parked.length === 0) return this.#passToNextTimer()
    const count = this.race && this.random.boolean(0.5) ? 3 : 1
    if (count > 1) this.figures.count('races')
    await Promise.all(Array.from({ length: count }, () => this.#takeOne()))
  }

  async #takeOne(): Promise<void> {
    if (this.#parked.length === 0) return
    const index = this.random.between(0, this.#parked.length - 1)
    const [parked] = this.#parked.splice(index, 1)
    if (!parked) return
    const fate = this.#fateOf(parked)
    this.note(`    ${parked.state.name} ${parked.name}${fate === 'goes_well' ? '' : ` ${fate}`}`)
    this.figures.count(`steps: ${parked.kind}`)
    await parked.take(fate)
  }

  #fateOf({ state, kind }: Parked): Fate {
    if (state !== OUTSIDE && this.random.boolean(this.faultRates.kill)) {
      return this.random.boolean(0.5) ? 'killed_before' : 'killed_after'
    }
    if (kind === 'database' && this.random.boolean(this.faultRates.database)) {
      const fate = this.random.boolean(0.5) ? 'away_before' : 'away_after'
      this.figures.count(`faults: database ${fate}`)
      return fate
    }
    return 'goes_well'
  }

  #passToNextTimer(): void {
    const next = Math.min(...this.#timers.map(({ dueAt }) => dueAt))
    if (!Number.isFinite(next)) throw new NoProgress('a task waits for nothing')
    this.pass(Math.max(0, next - this.clock.now()))
  }
}

/** Coalesced calls wait for the end of their turn (database/coalesce.ts), and their callers for one more. */
const TURNS = 3

/** Resolves when all code has run to its next step: only promises and these turns lie between two steps. */
async function drained(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}
