// The real process under a storm of webhooks, killed with SIGKILL at a random moment, started again on the same data,
// over and over. After each start the books must hold all that was answered 200, and nothing twice.
import { setTimeout as elapse } from 'node:timers/promises'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { launchService, type ServiceProcess } from '../support/process.js'
import { type Audit, audit } from './books.js'
import { Chance } from './chance.js'
import type { Home } from './homes.js'
import { PostOffice } from './post-office.js'
import { inParallel, openSales, type Sale } from './sales.js'

export interface KillOptions {
  readonly cycles: number
  readonly seed: number
  readonly salesPerCycle: number
  readonly home: Home
  readonly emulator: Emulator
  readonly onCycle?: (figures: KillFigures) => void
}

export interface KillFigures {
  cycles: number
  /** Kills on top, while it was starting and recovering. */
  killedWhileStarting: number
  answered: number
  booked: number
  lost: number
  doubled: number
  faults: string[]
  /** Commits that the kill left without an answer: the next delivery of the event finds them. */
  bookedUnanswered: number
  readonly restartMs: number[]
}

/** As many as a busy provider sends side by side; more than the service has connections to its database. */
const AT_ONCE = 24
/** Every eighth start is cut off as well: a supervisor that is impatient, a machine that goes down again. */
const CUT_STARTS = 8

export async function runKillCycles(options: KillOptions): Promise<KillFigures> {
  const run = new KillRun(options)
  try {
    for (let cycle = 1; cycle <= options.cycles; cycle++) await run.cycle(cycle)
    return await run.finish()
  } finally {
    await run.stop()
  }
}

class KillRun {
  readonly #office = new PostOffice()
  readonly #chance: Chance
  readonly #figures: KillFigures = {
    cycles: 0,
    killedWhileStarting: 0,
    answered: 0,
    booked: 0,
    lost: 0,
    doubled: 0,
    faults: [],
    bookedUnanswered: 0,
    restartMs: [],
  }
  /** Sent and not answered with 200: to be sent again. */
  #waiting: Sale[] = []
  #old: Sale[] = []
  #service: ServiceProcess | undefined

  constructor(private readonly options: KillOptions) {
    this.#chance = new Chance(options.seed)
  }

  async cycle(number: number): Promise<void> {
    const { salesPerCycle, emulator, home } = this.options
    const service = this.#service ?? (await this.#start())
    const userIds = Array.from({ length: salesPerCycle }, (_, index) => `user-${number}-${index}`)
    const sales = await openSales({ serviceUrl: service.url, emulator, userIds })
    const concerned = [...sales, ...this.#waiting]
    await this.#stormAndKill(service, concerned)
    if (home.booksAreOpenEvery(number))
      await this.#examine(await home.whileStopped((books) => this.#audit(books)))
    const restarted = await this.#restart()
    const booked = await inParallel(concerned, AT_ONCE, (sale) => this.#isBooked(restarted, sale))
    this.#waiting = concerned.filter((sale) => !this.#office.answered.has(sale))
    this.#figures.bookedUnanswered += concerned.filter(
      (sale, index) => booked[index] && !this.#office.answered.has(sale),
    ).length
    this.#old = [...this.#old, ...sales].slice(-salesPerCycle)
    this.#figures.cycles += 1
    this.#figures.answered = this.#office.answered.size
    this.options.onCycle?.(this.#figures)
  }

  /** Brings what is still waiting, in peace, and looks at the books a last time. */
  async finish(): Promise<KillFigures> {
    const service = this.#service ?? (await this.#start())
    const outcomes = await this.#office.bring(service.url, this.#waiting, { atOnce: AT_ONCE })
    const refused = outcomes.filter((outcome) => outcome !== 200).length
    if (refused > 0) this.#figures.faults.push(`${refused} events refused in peace`)
    await service.kill('SIGKILL')
    this.#service = undefined
    await this.#examine(await this.options.home.whileStopped((books) => this.#audit(books)))
    this.#figures.answered = this.#office.answered.size
    if (this.#figures.booked !== this.#office.posted.size) {
      this.#figures.faults.push(
        `${this.#office.posted.size} events delivered, ${this.#figures.booked} booked`,
      )
    }
    return this.#figures
  }

  async stop(): Promise<void> {
    this.#office.close()
    await this.#service?.kill('SIGKILL')
  }

  async #stormAndKill(service: ServiceProcess, sales: readonly Sale[]): Promise<void> {
    const chance = this.#chance
    // A third come twice in the same storm, and a few from the storm before: copies of what was booked long ago.
    const twice = sales.filter(() => chance.next() < 1 / 3)
    const letters = chance.shuffled([...sales, ...twice, ...this.#old.slice(0, 5)])
    const moment = chance.between(0, letters.length - 1)
    const isAfterAnAnswer = chance.next() < 0.5
    let seen = 0
    let killed: Promise<unknown> | undefined
    const look = () => {
      seen += 1
      if (seen > moment) killed ??= service.kill('SIGKILL')
    }
    const watch = isAfterAnAnswer ? { onAnswer: look } : { onPost: look }
    await this.#office.bring(service.url, letters, { atOnce: AT_ONCE, ...watch })
    await (killed ?? service.kill('SIGKILL'))
    this.#service = undefined
  }

  async #restart(): Promise<ServiceProcess> {
    if (this.#chance.between(1, CUT_STARTS) === 1) {
      const unlucky = launchService(this.options.home.env)
      // The one place where time itself is the dice: nothing that can be waited for says "in the middle of recovery".
      await elapse(this.#chance.next() * median(this.#figures.restartMs, 500))
      await unlucky.kill('SIGKILL')
      this.#figures.killedWhileStarting += 1
    }
    return await this.#start()
  }

  async #start(): Promise<ServiceProcess> {
    const before = performance.now()
    const launched = launchService(this.options.home.env)
    this.#service = { ...launched, url: await launched.listening() }
    this.#figures.restartMs.push(performance.now() - before)
    return this.#service
  }

  /** As the user sees it: exactly one payment, paid if its event was answered. */
  async #isBooked(service: ServiceProcess, sale: Sale): Promise<boolean> {
    const headers = { authorization: `Bearer ${sale.token}` }
    const response = await fetch(`${service.url}/api/v1/billing/payments`, { headers })
    const { data } = JSON.parse(await response.text())
    const isPaid = data[0]?.status === 'paid'
    if (data.length !== 1) this.#figures.faults.push(`${sale.userId} has ${data.length} payments`)
    if (!isPaid && this.#office.answered.has(sale)) {
      this.#figures.faults.push(`${sale.userId} was answered 200 and sees ${data[0]?.status}`)
    }
    return isPaid
  }

  #audit(books: Parameters<typeof audit>[0]): Promise<Audit> {
    return audit(books, this.#office)
  }

  async #examine({ booked, lost, doubled, faults }: Audit): Promise<void> {
    this.#figures.booked = booked
    this.#figures.lost = Math.max(this.#figures.lost, lost)
    this.#figures.doubled = Math.max(this.#figures.doubled, doubled)
    this.#figures.faults.push(...faults)
  }
}

export function median(values: readonly number[], otherwise = 0): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? otherwise
}
