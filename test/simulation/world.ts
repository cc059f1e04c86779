// Runs tasks concurrently and checks the rules afterwards.
import { releaseAttemptLeases } from '../../packages/ishtirak/src/checkout/upgrade.sql.js'
import * as subscription from '../../packages/ishtirak/src/core/subscription.js'
import { type Database, DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { type MovableClock, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import type { SeededRandom } from '../support/random.js'
import { checkBalance, checkByHand, type SaidOfBalance, takingsByBalance } from './balances.js'
import { Changes } from './changes.js'
import { Codes } from './codes.js'
import { type Slips, takingsAtDesk } from './desk.js'
import { Documents } from './documents.js'
import { createEmulator, type SimulatedEmulator } from './emulator.js'
import type { SimulationFigures } from './figures.js'
import { type BookedGrant, type BookedPayment, type Ledger, readAllFacts, readLedger } from './ledger.js'
import { accessAt, type Entry, type Gift, type Standing, standingAfter, type Taking } from './model.js'
import { type Parts, type Process, type ProcessDeps, quietParts, startProcess } from './process.js'
import { BrokenRule, checkLedger, historyOf, require } from './rules.js'
import { EDITIONS, type Edition, type SoldBy, saleAt } from './sales.js'
import { type FaultRates, NO_FAULTS, type ProcessState, StepScheduler, type Task } from './scheduler.js'
import { Transfers, takingsByTransfer } from './transfers.js'
import { Webhooks } from './webhooks.js'

type Shown = { userId: string; checkoutId: string; paymentId: string }

export interface SimulatedWorldOptions {
  readonly database: Database
  readonly random: SeededRandom
  readonly figures: SimulationFigures
  readonly startAt: number
  readonly processes: number
  readonly race: boolean
  /** Replace the service's, to test that wrong ones are detected. */
  readonly rules?: Partial<subscription.BillingRules>
  readonly breakProvider?: ProcessDeps['breakProvider']
}

/** Bounds the journal's memory; replays need all lines. */
const LINES_KEPT = 50_000

export interface AskedGrant {
  readonly days: number
  readonly months: 0
  readonly plan: string
  readonly single: number
  /** The user had nothing yet: the plan is asked for too, whenever the operation comes again. */
  readonly isNew: boolean
}

export class SimulatedWorld {
  readonly clock: MovableClock
  readonly random: SeededRandom
  readonly figures: SimulationFigures
  readonly emulator: SimulatedEmulator
  readonly webhooks: Webhooks
  readonly scheduler: StepScheduler
  readonly journal: string[] = []
  readonly users: readonly string[]
  focus: string
  readonly shown: Shown[] = []
  /** Payments that the operator asked to accept, and to refund. */
  readonly accepted = new Set<string>()
  /** Of them, those that the provider was not asked about again. */
  readonly acceptedBlind = new Set<string>()
  readonly refunded = new Set<string>()
  readonly refundedTo = new Map<string, 'balance' | 'hand'>()
  readonly heldBy = new Map<string, Edition>()
  readonly granted = new Map<string, AskedGrant>()
  readonly codes = new Codes()
  readonly transfers = new Transfers()
  readonly changes = new Changes()
  readonly documents = new Documents()
  readonly slips: Slips = new Map()
  readonly saidOfBalances: SaidOfBalance[] = []
  readonly prepayMaxMonths: number
  /** How much may be paid in; 0: there are no balances. */
  readonly balanceMax: number
  /** How often the job runs that writes renewals down: never in some shops. */
  readonly jobRuns: number
  /** When a sweep last claimed payments, possibly without completing. */
  lastSweepAt = 0
  ledger: Ledger = {
    ...{ users: [], payments: [], documents: [], series: [], owing: [], outbox: [] },
    ...{ events: [], grants: [], codes: [], transfers: [], entries: [] },
  }
  #facts: ReadonlyMap<string, subscription.SubscriptionFacts> = new Map()
  readonly quietParts: Parts
  readonly #deps: ProcessDeps
  readonly #processes: (Process | null)[]
  #started = 0
  #afterwards: (() => void)[] = []
  #surprises: unknown[] = []
  #instants = new Set<number>()
  readonly #editions: { readonly from: number; readonly edition: Edition }[] = []

  constructor(options: SimulatedWorldOptions) {
    const { random, figures, database, breakProvider } = options
    this.random = random
    this.figures = figures
    this.clock = movableClock(options.startAt)
    this.#instants.add(options.startAt)
    const note = (line: string) => this.note(line)
    const { clock } = this
    this.emulator = createEmulator({ clock, random, figures, note })
    this.#editions.push({ from: 0, edition: EDITIONS[0] ?? {} })
    this.scheduler = new StepScheduler(clock, random.stream('scheduler'), figures, note, options.race)
    this.scheduler.onTime = () => {
      this.emulator.endDue()
      this.#instants.add(this.now)
    }
    this.webhooks = new Webhooks(this.emulator, random.stream('webhooks'), figures)
    this.prepayMaxMonths = random.stream('rules').pick([1, 6, 12, 24])
    const ofBalances = random.stream('balances')
    this.balanceMax = ofBalances.pick([0, 9000, 40_000, 300_000])
    this.jobRuns = ofBalances.pick([0, 0.05, 0.3, 1])
    const { prepayMaxMonths, balanceMax, emulator, scheduler } = this
    const calendar = createCalendar('Africa/Algiers')
    this.#deps = {
      ...{ database, scheduler, emulator, clock, figures, breakProvider, random: random.stream('ids') },
      rules: { calendar, prepayMaxMonths, balanceMax, ...options.rules },
      edition: () => this.edition,
    }
    this.quietParts = quietParts(this.#deps)
    this.#processes = Array.from({ length: options.processes }, () => null)
    this.users = Array.from({ length: random.between(2, 4) }, (_, index) => `user-${index + 1}`)
    this.focus = random.pick(this.users)
  }

  get now(): number {
    return this.clock.now()
  }

  note(line: string): void {
    if (this.journal.length < LINES_KEPT) this.journal.push(line)
  }

  processes(): readonly Process[] {
    return this.#processes.filter((process) => process?.state.isAlive).filter((process) => process !== null)
  }

  anyUser(): string {
    return this.random.boolean(0.6) ? this.focus : this.random.pick(this.users)
  }

  anyProcess(): Process | null {
    const running = this.processes()
    return running.length === 0 ? null : this.random.pick(running)
  }

  show(shown: Shown): void {
    this.note(`      ${shown.userId} is shown ${shown.checkoutId}`)
    if (!this.isShown(shown.checkoutId)) this.shown.push(shown)
  }

  isShown(checkoutId: string): boolean {
    return this.shown.some((shown) => shown.checkoutId === checkoutId)
  }

  openOf(user?: string): readonly Shown[] {
    const isPending = (id: string) => this.emulator.checkout(id)?.status === 'pending'
    return this.shown.filter((one) => one.userId === (user ?? one.userId) && isPending(one.checkoutId))
  }

  get edition(): Edition {
    return this.#editions.at(-1)?.edition ?? {}
  }

  /** Another edition of the catalogue: every process is stopped, and the next ones start with it. */
  sell(edition: Edition): void {
    for (const { state } of this.processes()) this.scheduler.kill(state, 'before another catalogue')
    this.pass(1_000)
    this.#editions.push({ from: this.now, edition })
    this.pass(1_000)
  }

  swept(): void {
    this.lastSweepAt = this.now
  }

  /** Checked after all concurrent tasks have ended and the ledger has been read. */
  afterwards(check: () => void): void {
    this.#afterwards.push(check)
  }

  surprise(error: unknown): void {
    this.#surprises.push(error)
  }

  /** Starts dead processes. One that owns the database releases at its start the leases of the last one. */
  async revive(faultRates: FaultRates = NO_FAULTS): Promise<void> {
    for (const [slot, process] of this.#processes.entries()) {
      if (process?.state.isAlive) continue
      const state: ProcessState = { name: `${'AB'.charAt(slot)}${++this.#started}`, isAlive: true }
      const fresh = startProcess(state, this.#deps)
      this.#processes[slot] = fresh
      const { database, clock } = fresh.parts
      const start = () => releaseAttemptLeases(database, clock.now()).catch(unlessAway)
      if (this.#processes.length === 1)
        await this.scheduler.run([{ name: 'start', state, start }], faultRates)
    }
  }

  /** Runs the tasks concurrently, then checks all rules. */
  async run(tasks: readonly Task[], faultRates: FaultRates = NO_FAULTS): Promise<void> {
    if (tasks.length === 0) return
    await this.scheduler.run(tasks, faultRates)
    this.webhooks.collect(this.now)
    await this.check()
  }

  pass(ms: number): void {
    this.note(`  ${describeMs(ms)} pass`)
    this.scheduler.pass(ms)
    this.webhooks.collect(this.now)
  }

  /** After any write. */
  async check(): Promise<void> {
    for (const error of this.#surprises.splice(0)) throw asBrokenRule(error)
    const known = new Map(this.users.map((user) => [user, this.historyOf(user).length]))
    this.ledger = await readLedger(this.#deps.database)
    this.#facts = await readAllFacts(this.#deps.database)
    this.codes.check(this.ledger)
    this.transfers.check(this.ledger)
    this.documents.check(this.ledger, this.now)
    const instants = [...this.#instants]
    this.#instants = new Set([this.now])
    this.changes.check(this, (user) => this.#historiesSince(user, known.get(user) ?? 0), instants)
    checkByHand(this)
    this.checkNow()
    for (const check of this.#afterwards.splice(0)) check()
    this.documents.looked(this.ledger)
  }

  /** After time alone has passed: the ledger is unchanged, but access may have changed. */
  checkNow(): void {
    checkLedger(this)
    for (const userId of this.users) this.#checkAccess(userId)
  }

  historyOf(userId: string): readonly Entry[] {
    return historyOf(this, new Map(this.takings().map((taking) => [taking.checkoutId, taking])), userId)
  }

  #historiesSince(userId: string, known: number): readonly (readonly Entry[])[] {
    const history = this.historyOf(userId)
    const first = Math.min(known, history.length)
    return Array.from({ length: history.length - first + 1 }, (_, more) => history.slice(0, first + more))
  }

  /** Something of a user's standing, in each state between now and the call, at both instants. */
  meanwhile<Value>(userId: string, read: (standing: Standing, at: number) => Value): () => readonly Value[] {
    const startedAt = this.now
    const known = this.historyOf(userId).length
    return () => {
      const histories = this.#historiesSince(userId, known)
      return [startedAt, this.now].flatMap((at) =>
        histories.map((history) => read(standingAfter(history, at), at)),
      )
    }
  }

  takings(): readonly Taking[] {
    const { emulator, ledger, slips } = this
    const soldBy = (payment: BookedPayment) => this.#soldBy(payment)
    const byCard = emulator.takings().map((taking) => this.#asAccepted(this.#asSold(taking)))
    const byTransfer = takingsByTransfer(ledger, soldBy)
    return [...byCard, ...byTransfer, ...takingsAtDesk(ledger, slips), ...takingsByBalance(ledger, soldBy)]
  }

  payment(paymentId: string): BookedPayment {
    const payment = this.ledger.payments.find(({ id }) => id === paymentId)
    if (!payment) throw new Error(`${paymentId} is gone`)
    return payment
  }

  /** The price says what was bought, but of changes and top-ups: they can have any. */
  #asSold(taking: Taking): Taking {
    const { checkoutId, paymentId } = taking
    const payments = this.ledger.payments
    const payment =
      payments.find(({ checkout }) => checkout === checkoutId) ?? payments.find(({ id }) => id === paymentId)
    const isAny = payment && payment.kind !== 'purchase'
    return isAny ? { ...taking, ...this.#soldBy(payment) } : taking
  }

  #soldBy(payment: BookedPayment): SoldBy {
    const nothing = { plan: 'unknown', months: 0, single: 0 }
    if (payment.kind === 'top_up') return nothing
    if (payment.kind === 'purchase') return saleAt(payment.asked) ?? nothing
    const { payments } = this.ledger
    const { plan, createdAt } = payments.find(({ id }) => id === payment.secondOf) ?? payment
    return plan === null ? nothing : { plan, months: 0, single: this.soldAt(createdAt)[plan] ?? 0 }
  }

  /** Accepted while the provider did not answer, it is what was under review, also where that was a lie. */
  #asAccepted(taking: Taking): Taking {
    const payment = this.ledger.payments.find(({ checkout }) => checkout === taking.checkoutId)
    const said = payment && this.acceptedBlind.has(payment.id) ? payment.reviewed?.amount : null
    // Where that was not booked, the provider may have answered since.
    return said == null || payment?.amount !== said ? taking : { ...taking, amount: said }
  }

  factsOf(userId: string): subscription.SubscriptionFacts | undefined {
    return this.#facts.get(userId)
  }

  standingOf(userId: string): Standing {
    return standingAfter(this.historyOf(userId), this.now)
  }

  /** What a grant should give; undefined: nothing was asked for. */
  given({ operation, code }: BookedGrant): Omit<Gift, 'id' | 'at' | 'sold'> | undefined {
    return code === null ? this.granted.get(operation ?? '') : this.codes.giftOf(code, this.ledger)
  }

  editionAt(instant: number): Edition {
    return this.#editions.findLast(({ from }) => from <= instant)?.edition ?? {}
  }

  soldAt(instant: number): Readonly<Record<string, number>> {
    const plans = Object.entries(this.editionAt(instant))
    return Object.fromEntries(plans.map(([plan, prices]) => [plan, prices[1] ?? 0]))
  }

  #checkAccess(userId: string): void {
    const facts = this.#facts.get(userId) ?? subscription.NEVER_PAID
    const is = subscription.statusAt(facts, this.now, this.quietParts.rules)
    const { plan, status, currentPeriodEnd, instrument } = is
    const standing = this.standingOf(userId)
    const actual = JSON.stringify({ plan: plan.id, status, currentPeriodEnd, instrument })
    const wanted = JSON.stringify(accessAt(standing, this.now))
    require(actual === wanted, 'access is what was paid, plus grace', () =>
      `${userId} has ${actual}, paid for ${wanted}`)
    this.figures.count('checked: access')
    checkBalance(this, userId, standing)
  }
}

function asBrokenRule(error: unknown): BrokenRule {
  if (error instanceof BrokenRule) return error
  const evidence = error instanceof Error ? String(error.stack) : String(error)
  return new BrokenRule('only documented errors occur', evidence)
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
