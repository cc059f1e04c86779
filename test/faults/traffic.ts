// A few senders at a fixed rate. What is not answered 200 comes first; without new events, old ones again.
import { setTimeout as elapse } from 'node:timers/promises'
import { SeededRandom } from '../support/random.js'
import { waitFor } from '../support/wait-for.js'
import type { Sale } from './sales.js'
import { type SendOutcome, WebhookClient } from './webhook-client.js'

/** Between two events of a sender: 8 senders make about 200 a second, if the service is quick. */
const PACE_MS = 40
const SENDERS = 8

export class Traffic {
  readonly webhooks = new WebhookClient()
  readonly #random = new SeededRandom(1)
  #waiting: Sale[] = []
  readonly #old: Sale[] = []
  readonly #bookedAt: number[] = []
  #sent = 0
  #isRunning = true
  readonly #senders: Promise<void>[]

  constructor(private readonly urls: readonly string[]) {
    this.#senders = Array.from({ length: SENDERS }, () => this.#send())
  }

  add(sales: readonly Sale[]): void {
    this.#waiting.push(...sales)
  }

  count(outcome: SendOutcome): number {
    return this.webhooks.outcomes.get(outcome) ?? 0
  }

  get unexpected(): string[] {
    const odd = [...this.webhooks.outcomes].filter(([outcome]) => outcome !== 200 && outcome !== 503)
    return odd.map(([outcome, times]) => `${times} × ${outcome}`)
  }

  async firstBookedAfter(instant: number): Promise<number> {
    const first = () => this.#bookedAt.find((bookedAt) => bookedAt > instant)
    await waitFor(() => first() !== undefined)
    return first() ?? Number.NaN
  }

  async answered(sales: readonly Sale[], share = 1): Promise<void> {
    const isAnswered = (sale: Sale) => this.webhooks.answered.has(sale)
    await waitFor(() => sales.filter(isAnswered).length >= share * sales.length)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#senders)
    this.webhooks.close()
  }

  async #send(): Promise<void> {
    while (this.#isRunning) {
      const sale = this.#waiting.shift() ?? this.#old[this.#random.between(0, this.#old.length - 1)]
      if (sale) await this.#sendNext(sale)
      await elapse(PACE_MS)
    }
  }

  async #sendNext(sale: Sale): Promise<void> {
    const isNew = !this.webhooks.answered.has(sale)
    const url = this.urls[this.#sent++ % this.urls.length]
    if (url === undefined) throw new Error('there is no service')
    const outcome = await this.webhooks.send(url, sale)
    if (outcome === 200) this.#bookedAt.push(performance.now())
    if (outcome === 200 && isNew) this.#old.push(sale)
    if (outcome !== 200 && isNew) this.#waiting.unshift(sale)
  }
}
