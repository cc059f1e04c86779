// One thing at a time, chosen by the dice. Everything that the service does to the world outside (a statement, a call to
// the provider) is a step that parks here until it is chosen; between two steps code only computes. So each gap between
// two steps is a place where another task goes on, time passes, or the process dies; and the same seed does it again.

import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import type { Dice } from './random.js'
import type { Figures } from './figures.js'
import { CALM, type Weather } from './fault-rates.js'

/** One process from its start to its death. Whoever acts from outside (payers, the post) has a life that does not end. */
export interface Life {
  readonly name: string
  isAlive: boolean
}

export const OUTSIDE: Life = { name: 'outside', isAlive: true }

export interface Task {
  readonly name: string
  readonly life: Life
  readonly start: () => Promise<unknown>
  /** Told of the end, before anything else happens. */
  readonly ended?: (end: End) => void
}

export type End =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** Its process died: nobody got an answer. */
  | { readonly kind: 'killed' }

export type StepKind = 'database' | 'provider' | 'other'

interface Parked {
  readonly life: Life
  readonly kind: StepKind
  readonly name: string
  readonly take: (fate: Fate) => Promise<void>
}

type Fate = 'goes_well' | 'killed_before' | 'killed_after' | 'away_before' | 'away_after'

interface Timer {
  readonly life: Life
  readonly dueAt: number
  readonly ring: () => void
}

/** Nothing can go on although somebody waits: a bug of the simulation or a deadlock of the service. */
class Stuck extends Error {
  override readonly name = 'Stuck'
}

const PAUSES_MS = [50, 400, 1_600, 6_000, 13_000, 40_000]
/** Time that may pass within one run of tasks; the rules about the sweep's bound allow for it. */
export const LONGEST_RUN_MS = 120_000
/** A handful of tasks takes a few hundred steps; more is a loop. */
const MOST_STEPS = 20_000

export class Scheduler {
  weather: Weather = CALM
  /** Called whenever time has moved. */
  onTime: () => void = () => undefined
  #parked: Parked[] = []
  #timers: Timer[] = []
  #running: { readonly task: Task; end: End | null }[] = []

  constructor(
    private readonly clock: MovableClock,
    private readonly dice: Dice,
    private readonly figures: Figures,
    private readonly note: (line: string) => void,
    /** Take some steps at the same time, so that they meet in the server's locks. Who wins there is not the dice's. */
    private readonly race = false,
  ) {}

  /** Runs the tasks together until each has ended, one way or the other. */
  async run(tasks: readonly Task[], weather: Weather): Promise<void> {
    this.weather = weather
    const pausesEndAt = this.clock.now() + LONGEST_RUN_MS
    this.#running = tasks.map((task) => ({ task, end: null }))
    for (const entry of this.#running) this.#begin(entry)
    for (let steps = 0; ; steps++) {
      await drained()
      if (this.#running.every(({ end }) => end !== null)) break
      if (steps > MOST_STEPS) throw new Stuck(`no end after ${MOST_STEPS} steps`)
      if (this.dice.chance(weather.slow) && this.clock.now() < pausesEndAt) this.#pause()
      else await this.#takeNext()
    }
    this.#running = []
    this.weather = CALM
  }

  /** Parks until chosen, then does `work` and gives what it gives. Never settles when the process dies here. */
  step<Value>(life: Life, kind: StepKind, name: string, work: () => Value | Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      // A process that is dead does nothing any more, whatever its code would still like to do.
      if (!life.isAlive) return
      const take = async (fate: Fate) => {
        const point = kind === 'other' ? 'the first step' : name
        if (fate === 'killed_before') return this.kill(life, `before ${point}`)
        if (fate === 'away_before') return reject(new DatabaseUnavailable('the database is away'))
        try {
          const value = await work()
          // In a race the process may have died of another step meanwhile.
          if (!life.isAlive) return
          if (fate === 'killed_after') this.kill(life, `after ${point}`)
          else if (fate === 'away_after') reject(new DatabaseUnavailable('the answer was lost'))
          else resolve(value)
        } catch (error) {
          reject(error)
        }
      }
      this.#parked.push({ life, kind, name, take })
    })
  }

  /** A timer of a process: it rings when the time has come, or up to two seconds later, as on a busy machine. */
  wait(life: Life, ms: number): Promise<void> {
    return new Promise((ring) => {
      const dueAt = this.clock.now() + ms + this.dice.between(0, 2_000)
      if (life.isAlive) this.#timers.push({ life, dueAt, ring })
    })
  }

  /** Moves the clock; what was waiting for that goes on. */
  pass(ms: number): void {
    this.clock.advance(ms)
    const now = this.clock.now()
    const due = this.#timers.filter((timer) => timer.dueAt <= now)
    this.#timers = this.#timers.filter((timer) => timer.dueAt > now)
    this.onTime()
    for (const timer of due) timer.ring()
  }

  /** Ends a process as kill -9 does: what it had sent is done, the rest is not, and nobody gets an answer. */
  kill(life: Life, where: string): void {
    life.isAlive = false
    this.note(`    ${life.name} killed ${where}`)
    this.figures.count(`crashes: ${where}`)
    this.#parked = this.#parked.filter((parked) => parked.life !== life)
    this.#timers = this.#timers.filter((timer) => timer.life !== life)
    for (const entry of this.#running) if (entry.task.life === life) this.#end(entry, { kind: 'killed' })
  }

  #begin(entry: { readonly task: Task; end: End | null }): void {
    const { life, name, start } = entry.task
    this.step(life, 'other', name, () => undefined)
      .then(start)
      .then(
        (value) => this.#end(entry, { kind: 'done', value }),
        (error) => this.#end(entry, { kind: 'threw', error }),
      )
    if (!life.isAlive) this.#end(entry, { kind: 'killed' })
  }

  #end(entry: { readonly task: Task; end: End | null }, end: End): void {
    if (entry.end) return
    entry.end = end
    const { name } = entry.task
    if (end.kind === 'threw') this.note(`    ${name}: ${String(end.error).slice(0, 150)}`)
    entry.task.ended?.(end)
  }

  #pause(): void {
    const ms = this.dice.pick(PAUSES_MS)
    this.note(`    ${ms} ms pass`)
    this.figures.count('faults: pause between two steps')
    this.pass(ms)
  }

  async #takeNext(): Promise<void> {
    if (this.#parked.length === 0) return this.#passToNextTimer()
    const count = this.race && this.dice.chance(0.5) ? 3 : 1
    if (count > 1) this.figures.count('races')
    await Promise.all(Array.from({ length: count }, () => this.#takeOne()))
  }

  async #takeOne(): Promise<void> {
    if (this.#parked.length === 0) return
    const index = this.dice.between(0, this.#parked.length - 1)
    const [parked] = this.#parked.splice(index, 1)
    if (!parked) return
    const fate = this.#fateOf(parked)
    this.note(`    ${parked.life.name} ${parked.name}${fate === 'goes_well' ? '' : ` ${fate}`}`)
    this.figures.count(`steps: ${parked.kind}`)
    await parked.take(fate)
  }

  #fateOf({ life, kind }: Parked): Fate {
    if (life !== OUTSIDE && this.dice.chance(this.weather.kill)) {
      return this.dice.chance(0.5) ? 'killed_before' : 'killed_after'
    }
    if (kind === 'database' && this.dice.chance(this.weather.database)) {
      const fate = this.dice.chance(0.5) ? 'away_before' : 'away_after'
      this.figures.count(`faults: database ${fate}`)
      return fate
    }
    return 'goes_well'
  }

  #passToNextTimer(): void {
    const next = Math.min(...this.#timers.map(({ dueAt }) => dueAt))
    if (!Number.isFinite(next)) throw new Stuck('somebody waits for nothing')
    this.pass(Math.max(0, next - this.clock.now()))
  }
}

/** What arrives together waits for the end of its turn (runtime/coalesce.ts), and whatever that sets free for one more. */
const TURNS = 3

/** Until all code that can run has run to its next step: there are but promises and these turns between two steps. */
async function drained(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}
