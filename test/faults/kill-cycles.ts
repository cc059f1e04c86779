// After each start the database must contain everything that was answered 200, and nothing twice.
import { setTimeout as elapse } from 'node:timers/promises'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { call } from '../process/calls.js'
import { launchService, type ServiceProcess } from '../support/process.js'
import { SeededRandom } from '../support/random.js'
import { waitFor } from '../support/wait-for.js'
import { audit } from './audit.js'
import type { Installation } from './installations.js'
import { inParallel, openSales, type Sale, TOP_UP } from './sales.js'
import { WebhookClient } from './webhook-client.js'

interface KillOptions {
  readonly cycles: number
  readonly seed: number
  readonly salesPerCycle: number
  readonly installation: Installation
  readonly emulator: Emulator
  readonly onCycle?: (figures: KillFigures) => void
}

export interface KillFigures {
  cycles: number
  killedWhileStarting: number
  answered: number
  booked: number
  lost: number
  doubled: number
  faults: string[]
  /** Committed, but not answered because of the kill: the next delivery of the event finds them. */
  bookedUnanswered: number
  readonly restartMs: number[]
}

/** As many as a busy provider sends concurrently; more than the service has connections to its database. */
const AT_ONCE = 24
const TOP_UP_EVERY = 3
/** One start in eight is killed too, as by an impatient supervisor. */
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
  readonly #webhooks = new WebhookClient()
  readonly #random: SeededRandom
  readonly #figures: KillFigures = {
    ...{ cycles: 0, killedWhileStarting: 0, answered: 0, booked: 0, bookedUnanswered: 0 },
    ...{ lost: 0, doubled: 0, faults: [], restartMs: [] },
  }
  #waiting: Sale[] = []
  #old: Sale[] = []
  #service: ServiceProcess | undefined

  constructor(private readonly options: KillOptions) {
    this.#random = new SeededRandom(options.seed)
  }

  async cycle(number: number): Promise<void> {
    const { salesPerCycle, emulator, installation } = this.options
    const service = this.#service ?? (await this.#start())
    const userIds = Array.from({ length: salesPerCycle }, (_, index) => `user-${number}-${index}`)
    const sales = await openSales({ serviceUrl: service.url, emulator, userIds, topUpEvery: TOP_UP_EVERY })
    const concerned = [...sales, ...this.#waiting]
    await this.#sendAndKill(service, concerned)
    if (number % installation.auditEvery === 0) await this.#examine()
    const restarted = await this.#restart()
    const booked = await inParallel(concerned, AT_ONCE, (sale) => this.#isBooked(restarted, sale))
    this.#waiting = concerned.filter((sale) => !this.#webhooks.answered.has(sale))
    this.#figures.bookedUnanswered += concerned.filter(
      (sale, index) => booked[index] && !this.#webhooks.answered.has(sale),
    ).length
    this.#old = [...this.#old, ...sales].slice(-salesPerCycle)
    this.#figures.cycles += 1
    this.#figures.answered = this.#webhooks.answered.size
    this.options.onCycle?.(this.#figures)
  }

  /** Sends what is still waiting, without a kill, and audits the database a last time. */
  async finish(): Promise<KillFigures> {
    const service = this.#service ?? (await this.#start())
    const outcomes = await this.#webhooks.sendAll(service.url, this.#waiting, { atOnce: AT_ONCE })
    const refused = outcomes.filter((outcome) => outcome !== 200).length
    if (refused > 0) this.#figures.faults.push(`${refused} events refused without a kill`)
    await this.#examineBalances(service)
    await service.kill('SIGKILL')
    this.#service = undefined
    await this.#examine()
    this.#figures.answered = this.#webhooks.answered.size
    if (this.#figures.booked !== this.#webhooks.sent.size) {
      this.#figures.faults.push(
        `${this.#webhooks.sent.size} events delivered, ${this.#figures.booked} booked`,
      )
    }
    return this.#figures
  }

  async stop(): Promise<void> {
    this.#webhooks.close()
    await this.#service?.kill('SIGKILL')
  }

  async #sendAndKill(service: ServiceProcess, sales: readonly Sale[]): Promise<void> {
    const random = this.#random
    // A third is sent twice, and a few events of the previous cycle again: copies of what is already booked.
    const twice = sales.filter(() => random.next() < 1 / 3)
    const events = random.shuffled([...sales, ...twice, ...this.#old.slice(0, 5)])
    const moment = random.between(0, events.length - 1)
    const isAfterAnAnswer = random.next() < 0.5
    let seen = 0
    let killed: Promise<unknown> | undefined
    const look = () => {
      seen += 1
      if (seen > moment) killed ??= service.kill('SIGKILL')
    }
    const watch = isAfterAnAnswer ? { onAnswer: look } : { onSend: look }
    await this.#webhooks.sendAll(service.url, events, { atOnce: AT_ONCE, ...watch })
    await (killed ?? service.kill('SIGKILL'))
    this.#service = undefined
  }

  async #restart(): Promise<ServiceProcess> {
    if (this.#random.between(1, CUT_STARTS) === 1) {
      const interrupted = launchService(this.options.installation.env)
      // A random time instead of a condition: no observable condition says "in the middle of recovery".
      await elapse(this.#random.next() * median(this.#figures.restartMs, 500))
      await interrupted.kill('SIGKILL')
      this.#figures.killedWhileStarting += 1
    }
    return await this.#start()
  }

  async #start(): Promise<ServiceProcess> {
    const before = performance.now()
    const launched = launchService(this.options.installation.env)
    this.#service = { ...launched, url: await launched.listening() }
    this.#figures.restartMs.push(performance.now() - before)
    return this.#service
  }

  /** As the user sees it: exactly one payment, paid if its event was answered, and what a balance bought. */
  async #isBooked(service: ServiceProcess, sale: Sale): Promise<boolean> {
    const { data } = await ask(service, sale, '/payments')
    const asked = data.filter(({ id }: { id: string }) => id === sale.paymentId)
    const isPaid = asked[0]?.status === 'paid'
    if (asked.length !== 1 || data.length > (sale.topsUp && isPaid ? 2 : 1))
      this.#figures.faults.push(`${sale.userId} has ${data.length} payments`)
    if (!isPaid && this.#webhooks.answered.has(sale)) {
      this.#figures.faults.push(`${sale.userId} was answered 200 and sees ${asked[0]?.status}`)
    }
    return isPaid
  }

  async #examineBalances(service: ServiceProcess): Promise<void> {
    const topUps = [...this.#webhooks.sent].filter(({ topsUp }) => topsUp)
    await inParallel(topUps, AT_ONCE, async (sale) => {
      const { amount } = await ask(service, sale, '/balance')
      const { status } = await ask(service, sale, '/status')
      if (amount !== TOP_UP.left || status !== 'active')
        this.#figures.faults.push(`${sale.userId} has ${amount} DZD and is ${status}`)
    })
  }

  async #examine(): Promise<void> {
    const { whileStopped } = this.options.installation
    const { booked, lost, doubled, faults } = await whileStopped((found) => audit(found, this.#webhooks))
    this.#figures.booked = booked
    this.#figures.lost = Math.max(this.#figures.lost, lost)
    this.#figures.doubled = Math.max(this.#figures.doubled, doubled)
    this.#figures.faults.push(...faults)
  }
}

/** Asks until it is answered 200: a busy service may say 503. */
async function ask(service: ServiceProcess, { token }: Sale, path: string) {
  let answer = await call(service, token, `/billing${path}`)
  await waitFor(
    async () => {
      if (answer.status !== 200) answer = await call(service, token, `/billing${path}`)
      return answer.status === 200
    },
    () => `${path}: ${JSON.stringify(answer)}`,
  )
  return answer.body
}

export function median(values: readonly number[], otherwise = 0): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? otherwise
}
