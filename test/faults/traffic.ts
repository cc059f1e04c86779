// Webhooks that never stop while the database goes and comes: a handful of senders, each at its pace. What was not answered
// 200 is brought again at once, before anything else; with nothing new to bring, old events are brought again.
import { setTimeout as elapse } from 'node:timers/promises'
import { waitFor } from '../support/wait-for.js'
import { Chance } from './chance.js'
import { type Outcome, PostOffice } from './post-office.js'
import type { Sale } from './sales.js'

/** A sender's pause between two letters: with 8 of them some 200 a second, if the service is quick. */
const PACE_MS = 40
const SENDERS = 8

export class Traffic {
  readonly office = new PostOffice()
  readonly #chance = new Chance(1)
  /** Not answered 200 yet; what came back unanswered stands in front. */
  #waiting: Sale[] = []
  readonly #old: Sale[] = []
  /** When each 200 came. */
  readonly #bookedAt: number[] = []
  #isRunning = true
  readonly #senders: Promise<void>[]

  constructor(private readonly url: string) {
    this.#senders = Array.from({ length: SENDERS }, () => this.#send())
  }

  add(sales: readonly Sale[]): void {
    this.#waiting.push(...sales)
  }

  count(outcome: Outcome): number {
    return this.office.outcomes.get(outcome) ?? 0
  }

  /** Answers that are neither "booked" nor "try again later". */
  get strange(): string[] {
    const odd = [...this.office.outcomes].filter(([outcome]) => outcome !== 200 && outcome !== 503)
    return odd.map(([outcome, times]) => `${times} × ${outcome}`)
  }

  /** The instant of the first 200 after `instant`. */
  async firstBookedAfter(instant: number): Promise<number> {
    const first = () => this.#bookedAt.find((bookedAt) => bookedAt > instant)
    await waitFor(() => first() !== undefined)
    return first() ?? Number.NaN
  }

  async answered(sales: readonly Sale[], share = 1): Promise<void> {
    const isAnswered = (sale: Sale) => this.office.answered.has(sale)
    await waitFor(() => sales.filter(isAnswered).length >= share * sales.length)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#senders)
    this.office.close()
  }

  async #send(): Promise<void> {
    while (this.#isRunning) {
      const sale = this.#waiting.shift() ?? this.#old[this.#chance.between(0, this.#old.length - 1)]
      if (sale) await this.#bring(sale)
      await elapse(PACE_MS)
    }
  }

  async #bring(sale: Sale): Promise<void> {
    const isNew = !this.office.answered.has(sale)
    const outcome = await this.office.bringOne(this.url, sale)
    if (outcome === 200) this.#bookedAt.push(performance.now())
    if (outcome === 200 && isNew) this.#old.push(sale)
    if (outcome !== 200 && isNew) this.#waiting.unshift(sale)
  }
}
