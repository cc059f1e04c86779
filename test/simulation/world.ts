// Everything one seed needs: a clock, a provider, a post, a database that begins empty, one or two processes of the
// service, and the witness who remembers what people were shown. It runs tasks together and checks the rules after.
import type { Calendar } from '../../packages/ishtirak/src/core/period.js'
import {
  NEVER_PAID,
  type SubscriptionFacts,
  statusAt,
} from '../../packages/ishtirak/src/core/subscription.js'
import { type Database, DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import { releaseAttemptLeases } from '../../packages/ishtirak/src/payments/upgrade.sql.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { type MovableClock, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { type Books, readAllFacts, readBooks } from './ledger.js'
import type { Dice } from './random.js'
import { createFarSide, type FarSide } from './emulator.js'
import type { Figures } from './figures.js'
import { accessAt, type Entry, type Standing, standingAfter } from './model.js'
import { Post } from './webhooks.js'
import { type Parts, type Process, quietParts, type Surroundings, startProcess } from './process.js'
import { BrokenRule, checkBooks, historyOf, require, type Witness } from './rules.js'
import { type Life, Scheduler, type Task } from './scheduler.js'
import { CALM, type Weather } from './fault-rates.js'

interface Shown {
  readonly userId: string
  readonly checkoutId: string
  readonly paymentId: string
}

export interface WorldOptions {
  readonly database: Database
  readonly dice: Dice
  readonly figures: Figures
  readonly startAt: number
  readonly processes: number
  readonly race: boolean
  /** Another one than the service's own, to see that a wrong one is found. */
  readonly calendar?: Calendar
  readonly breakProvider?: Surroundings['breakProvider']
}

/** Replays want all of it, people the end. */
const LINES_KEPT = 50_000

export class World {
  readonly clock: MovableClock
  readonly dice: Dice
  readonly figures: Figures
  readonly far: FarSide
  readonly post: Post
  readonly scheduler: Scheduler
  readonly journal: string[] = []
  readonly users: readonly string[]
  /** The user who has reason to act now. */
  focus: string
  /** Addresses that were given to people, in order. */
  readonly shown: Shown[] = []
  /** Payments that the operator asked to take as they are, and to refund. */
  readonly accepted = new Set<string>()
  readonly refunded = new Set<string>()
  /** When a sweep last claimed payments in a way that may have come to nothing. */
  lastSweepAt = 0
  books: Books = { users: [], payments: [], receipts: [], outbox: [], events: [] }
  #facts: ReadonlyMap<string, SubscriptionFacts> = new Map()
  /** For looking on without being a process. */
  readonly quietParts: Parts
  readonly #around: Surroundings
  readonly #processes: (Process | null)[]
  #started = 0
  #afterwards: (() => void)[] = []
  #surprises: unknown[] = []

  constructor(options: WorldOptions) {
    const { dice, figures, database } = options
    this.dice = dice
    this.figures = figures
    this.clock = movableClock(options.startAt)
    const note = (line: string) => this.note(line)
    this.far = createFarSide({ clock: this.clock, dice, figures, note })
    const chance = dice.stream('scheduler')
    this.scheduler = new Scheduler(this.clock, chance, figures, note, options.race)
    this.scheduler.onTime = () => this.far.endDue()
    this.post = new Post(this.far, dice.stream('post'), figures)
    const calendar = options.calendar ?? createCalendar('Africa/Algiers')
    const { clock, far, scheduler } = this
    const { breakProvider } = options
    this.#around = {
      database,
      scheduler,
      far,
      clock,
      dice: dice.stream('ids'),
      figures,
      calendar,
      breakProvider,
    }
    this.quietParts = quietParts(this.#around)
    this.#processes = Array.from({ length: options.processes }, () => null)
    this.users = Array.from({ length: dice.between(2, 4) }, (_, index) => `user-${index + 1}`)
    this.focus = dice.pick(this.users)
  }

  get now(): number {
    return this.clock.now()
  }

  note(line: string): void {
    if (this.journal.length < LINES_KEPT) this.journal.push(line)
  }

  /** Those that are running now. */
  processes(): readonly Process[] {
    return this.#processes.filter((process) => process?.life.isAlive).filter((process) => process !== null)
  }

  /** Whoever the story is about at the moment, more often than the others. */
  anyUser(): string {
    return this.dice.chance(0.6) ? this.focus : this.dice.pick(this.users)
  }

  anyProcess(): Process | null {
    const running = this.processes()
    return running.length === 0 ? null : this.dice.pick(running)
  }

  show(shown: Shown): void {
    this.note(`      ${shown.userId} is shown ${shown.checkoutId}`)
    if (!this.isShown(shown.checkoutId)) this.shown.push(shown)
  }

  /** What this user can pay now, at addresses that he was given. */
  openOf(user: string): readonly Shown[] {
    return this.shown.filter(
      ({ userId, checkoutId }) => userId === user && this.far.checkout(checkoutId)?.status === 'pending',
    )
  }

  isShown(checkoutId: string): boolean {
    return this.shown.some((shown) => shown.checkoutId === checkoutId)
  }

  swept(): void {
    this.lastSweepAt = this.now
  }

  /** To be checked when all that is under way has ended and the books are read. */
  afterwards(check: () => void): void {
    this.#afterwards.push(check)
  }

  surprise(error: unknown): void {
    this.#surprises.push(error)
  }

  /** Starts what is dead. A process that has the database to itself takes over at its start what the last one left. */
  async revive(weather: Weather): Promise<void> {
    for (const [slot, process] of this.#processes.entries()) {
      if (process?.life.isAlive) continue
      const life: Life = { name: `${'AB'.charAt(slot)}${++this.#started}`, isAlive: true }
      const fresh = startProcess(life, this.#around)
      this.#processes[slot] = fresh
      const { database, clock } = fresh.parts
      const resume = () => releaseAttemptLeases(database, clock.now()).catch(unlessAway)
      if (this.#processes.length === 1)
        await this.scheduler.run([{ name: 'start', life, start: resume }], weather)
    }
  }

  /** Runs these together, then holds the whole world against the rules. */
  async run(tasks: readonly Task[], weather: Weather = CALM): Promise<void> {
    if (tasks.length === 0) return
    await this.scheduler.run(tasks, weather)
    this.post.collect(this.now)
    await this.check()
  }

  pass(ms: number): void {
    this.note(`  ${describeMs(ms)} pass`)
    this.scheduler.pass(ms)
    this.post.collect(this.now)
  }

  /** After anything may have been written. */
  async check(): Promise<void> {
    for (const error of this.#surprises.splice(0)) throw asBrokenRule(error)
    this.books = await readBooks(this.#around.database)
    this.#facts = await readAllFacts(this.#around.database)
    this.checkNow()
    for (const check of this.#afterwards.splice(0)) check()
  }

  /** After time alone has passed: the books are as they were, and what follows from them is not. */
  checkNow(): void {
    checkBooks(this.books, this.far, this.#witness(), this.figures)
    for (const userId of this.users) this.#checkAccess(userId)
  }

  historyOf(userId: string): readonly Entry[] {
    return historyOf(this.books, this.far, userId)
  }

  /** Where a user stands as the model sees it, by what is booked. */
  standingOf(userId: string): Standing {
    return standingAfter(this.historyOf(userId))
  }

  #checkAccess(userId: string): void {
    const { rules } = this.quietParts
    const status = statusAt(this.#facts.get(userId) ?? NEVER_PAID, this.now, rules)
    const { currentPeriodEnd, instrument } = status
    const ours = { plan: status.plan.id, status: status.status, currentPeriodEnd, instrument }
    const expected = accessAt(this.standingOf(userId), this.now)
    const [is, ought] = [ours, expected].map((access) => JSON.stringify(access))
    require(is === ought, 'access is what was paid, plus grace', () =>
      `${userId} has ${is}, paid for ${ought}`)
    this.figures.count('checked: access')
  }

  #witness(): Witness {
    const { shown, accepted, refunded } = this
    const { acknowledged, forged } = this.post
    return { shown, acknowledged, forged, accepted, refunded }
  }
}

function asBrokenRule(error: unknown): BrokenRule {
  if (error instanceof BrokenRule) return error
  return new BrokenRule(
    'nothing fails but as promised',
    error instanceof Error ? String(error.stack) : String(error),
  )
}

function unlessAway(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

function describeMs(ms: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1_000, 'seconds'],
  ] as const
  const [size, unit] = units.find(([least]) => ms >= least) ?? [1, 'ms']
  return `${Math.round((ms / size) * 100) / 100} ${unit}`
}
