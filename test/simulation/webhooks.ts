// What is not answered with 200 is sent again, three times in all, as the emulator's sender does.
import { createHmac } from 'node:crypto'
import type { SeededRandom } from '../support/random.js'
import { PROVIDER_KEY, type SimulatedEmulator } from './emulator.js'
import type { SimulationFigures } from './figures.js'

export interface WebhookMessage {
  readonly eventId: string
  readonly checkoutId: string
  readonly body: string
  readonly signature: string
  readonly isGenuine: boolean
  readonly dueAt: number
  readonly tries: number
}

type Fate = 'lost' | 'late' | 'doubled' | 'prompt'

const MOST_TRIES = 3

export class Webhooks {
  /** Events answered with 200, and their checkouts. */
  readonly acknowledged = new Set<string>()
  readonly acknowledgedCheckouts = new Set<string>()
  /** Events whose signature is wrong. */
  readonly forged = new Set<string>()
  #waiting: WebhookMessage[] = []
  /** Signatures carry no time, so any delivered message can be replayed. */
  readonly #delivered: WebhookMessage[] = []
  readonly #fates: Partial<Record<Fate, number>>

  constructor(
    private readonly emulator: SimulatedEmulator,
    private readonly random: SeededRandom,
    private readonly figures: SimulationFigures,
  ) {
    // One seed in six has no webhooks at all, one in six hardly any in time.
    const reliability = random.weighted({ none: 1, poor: 1, usual: 4 })
    const poor = { lost: 2, late: 6, doubled: 2 }
    this.#fates = { none: {}, poor, usual: { lost: 2, late: 2, doubled: 3, prompt: 5 } }[reliability]
  }

  collect(now: number): void {
    for (const { event_id: eventId, checkout_id: checkoutId, body, signature } of this.emulator.newEvents()) {
      const isGenuine = signature === createHmac('sha256', PROVIDER_KEY).update(body).digest('hex')
      if (!isGenuine) this.forged.add(eventId)
      const fate = Object.keys(this.#fates).length === 0 ? 'lost' : this.random.weighted(this.#fates)
      this.figures.count(`webhooks: ${fate}`)
      const copies = fate === 'lost' ? 0 : fate === 'doubled' ? this.random.between(2, 3) : 1
      for (let copy = 0; copy < copies; copy++) {
        const dueAt = now + this.#delayMs(fate)
        const message = { eventId, checkoutId, body, signature: signature ?? '', isGenuine, dueAt, tries: 0 }
        this.#waiting.push(message)
      }
    }
  }

  /** Up to `most` messages that are due, in random order. */
  due(now: number, most: number): readonly WebhookMessage[] {
    const due = this.#waiting.filter((message) => message.dueAt <= now)
    const chosen: WebhookMessage[] = []
    while (due.length > 0 && chosen.length < most)
      chosen.push(...due.splice(this.random.between(0, due.length - 1), 1))
    this.#waiting = this.#waiting.filter((message) => !chosen.includes(message))
    return chosen
  }

  /** A delivered message, replayed without further tries; none if nothing was delivered yet. */
  old(): readonly WebhookMessage[] {
    if (this.#delivered.length === 0) return []
    return [{ ...this.random.pick(this.#delivered), tries: MOST_TRIES }]
  }

  /** From a sender who knows the address but not the key: an old message under another id. */
  forge(): readonly WebhookMessage[] {
    return this.old().map((original) => {
      this.figures.count('faults: forged webhook')
      const eventId = `forged${this.forged.size}`
      this.forged.add(eventId)
      const body = original.body.replaceAll(original.eventId, eventId)
      const signature = this.random.pick([original.signature, '', 'f'.repeat(64)])
      return { ...original, eventId, body, signature, isGenuine: false }
    })
  }

  delivered(message: WebhookMessage): void {
    if (message.isGenuine) this.#delivered.push(message)
  }

  answered(message: WebhookMessage, isTaken: boolean, now: number): void {
    if (isTaken) {
      this.acknowledged.add(message.eventId)
      this.acknowledgedCheckouts.add(message.checkoutId)
      return
    }
    const tries = message.tries + 1
    // The defaults of the emulator's webhook sender: ten seconds, then a hundred.
    if (tries < MOST_TRIES) this.#waiting.push({ ...message, tries, dueAt: now + 10 ** tries * 1000 })
  }

  #delayMs(fate: Fate): number {
    if (fate === 'prompt' || (fate === 'doubled' && this.random.boolean(0.6))) return 0
    const longestMinutes = this.random.pick([1, 10, 60, 6 * 60, 40 * 24 * 60])
    return this.random.between(0, longestMinutes * 60_000)
  }
}
