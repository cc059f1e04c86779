// Brings events to the merchant: the same bytes up to three times, then no more. What it still owes stands in the
// store, so a kill between two tries only delays. It never makes an event and never asks whether one is true.
import { setMaxListeners } from 'node:events'
import type { EmulatorContext } from './context.js'
import { EmulatorError } from './errors.js'
import { type AttemptResult, postWebhook } from './post-webhook.js'
import type { DeliveryRecord } from './records.js'

/** Chargily documents no retries; these are the defaults of spatie/laravel-webhook-server, its likely sender. */
const MAX_TRIES = 3
const retryAfterMs = (tries: number) => 10 ** tries * 1000
/** A long queue must not open a thousand connections to one merchant. */
const MAX_IN_FLIGHT = 32

export class WebhookSender {
  readonly #owed = new Map<string, DeliveryRecord>()
  readonly #inFlight = new Map<string, Promise<unknown>>()
  #abort = new AbortController()
  /** Called whenever there may be something to send: a new delivery, or room for the next. */
  onChange: () => void = () => undefined

  constructor(
    readonly desk: EmulatorContext,
    readonly timeoutMs: number,
  ) {
    setMaxListeners(0, this.#abort.signal)
    for (const delivery of desk.store.deliveries.all()) this.#remember(delivery)
  }

  /** Takes over deliveries that are in the store already. */
  accept(deliveries: readonly DeliveryRecord[]): void {
    for (const delivery of deliveries) this.#remember(delivery)
    this.onChange()
  }

  /** Makes the first try of these at once and waits for it: the merchant hears before the payer is back. */
  async sendFirst(deliveries: readonly DeliveryRecord[]): Promise<void> {
    await Promise.all(deliveries.map(({ id }) => this.#firstTry(id)))
  }

  /** Milliseconds since the epoch of the next try that nobody is making yet; null when nothing is owed. */
  nextDueAtMs(): number | null {
    let next: number | null = null
    for (const delivery of this.#owed.values()) {
      const { next_attempt_at_ms } = delivery
      if (next_attempt_at_ms === null || !this.#isFree(delivery)) continue
      if (next === null || next_attempt_at_ms < next) next = next_attempt_at_ms
    }
    return next
  }

  /** Starts every try that is due, in order, as far as connections allow. */
  sendDue(): void {
    const nowMs = this.desk.clock.now()
    for (const delivery of this.#owed.values()) {
      if (this.#abort.signal.aborted || this.#inFlight.size >= MAX_IN_FLIGHT) return
      const isDue = (delivery.next_attempt_at_ms ?? Number.POSITIVE_INFINITY) <= nowMs
      if (isDue && this.#isFree(delivery)) this.#start(delivery)
    }
  }

  /** Resolves when no try is under way and none is due. */
  async settled(): Promise<void> {
    for (;;) {
      this.sendDue()
      if (this.#inFlight.size === 0) return
      await Promise.race(this.#inFlight.values())
    }
  }

  /** One try outside the schedule, with the bytes of the first. */
  async resend(deliveryId: string): Promise<DeliveryRecord> {
    const delivery = this.desk.store.deliveries.findAnywhere(deliveryId)
    if (!delivery) throw new EmulatorError(`there is no delivery ${deliveryId}`)
    await this.#inFlight.get(deliveryId)
    await this.#start(delivery, true)
    return this.desk.store.deliveries.findAnywhere(deliveryId) ?? delivery
  }

  /** Aborts what is under way and forgets what is owed; later deliveries are sent again. */
  async clear(): Promise<void> {
    this.#owed.clear()
    await this.close()
    this.#abort = new AbortController()
    setMaxListeners(0, this.#abort.signal)
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#inFlight.values())
  }

  /** Nobody is making this try, and the one it must follow has been made. */
  #isFree({ id, after_id }: DeliveryRecord): boolean {
    const before = after_id === null ? undefined : this.#owed.get(after_id)
    return !this.#inFlight.has(id) && (before === undefined || before.tries > 0)
  }

  #firstTry(id: string): Promise<unknown> | undefined {
    const delivery = this.#owed.get(id)
    const isDue = delivery && (delivery.next_attempt_at_ms ?? 0) <= this.desk.clock.now()
    return this.#inFlight.get(id) ?? (isDue ? this.#start(delivery) : undefined)
  }

  #start(delivery: DeliveryRecord, outsideSchedule = false): Promise<unknown> {
    const { id, url, body, signature } = delivery
    const { signal } = this.#abort
    const post = { url, body, signature, timeoutMs: this.timeoutMs, signal }
    const attempt = postWebhook(post).then((result) => {
      this.#inFlight.delete(id)
      // What closing broke off was not tried: the next start owes it still.
      if (!signal.aborted) this.#record(id, result, outsideSchedule)
      if (this.#owed.size > 0) this.onChange()
    })
    this.#inFlight.set(id, attempt)
    return attempt
  }

  #record(deliveryId: string, result: AttemptResult, outsideSchedule: boolean): void {
    const delivery = this.desk.store.deliveries.findAnywhere(deliveryId)
    if (!delivery) return
    const nowMs = this.desk.clock.now()
    const attempts = [...delivery.attempts, { at_ms: nowMs, ...result }]
    const tries = delivery.tries + (outsideSchedule ? 0 : 1)
    const next = { ...delivery, attempts, tries, ...stateAfter(delivery, { tries, nowMs, ...result }) }
    // Not flushed: after a kill the merchant hears of the event once more, which he must bear anyway.
    this.desk.store.commit([{ put: { deliveries: next } }], false)
    this.#remember(next)
    const { event_id, type, url, state } = next
    this.desk.log({ message: 'webhook attempt', event_id, type, url, state, ...result })
  }

  #remember(delivery: DeliveryRecord): void {
    if (delivery.state === 'pending') this.#owed.set(delivery.id, delivery)
    else this.#owed.delete(delivery.id)
  }
}

type StateAfter = Pick<DeliveryRecord, 'state' | 'next_attempt_at_ms'>

function stateAfter(
  before: DeliveryRecord,
  { tries, nowMs, status }: { tries: number; nowMs: number; status: number | null },
): StateAfter {
  if (status !== null && status >= 200 && status < 300)
    return { state: 'delivered', next_attempt_at_ms: null }
  // A vain resend neither ends nor restarts the schedule, and does not undo an earlier success.
  if (tries === before.tries) return { state: before.state, next_attempt_at_ms: before.next_attempt_at_ms }
  if (tries >= MAX_TRIES) return { state: 'failed', next_attempt_at_ms: null }
  return { state: 'pending', next_attempt_at_ms: nowMs + retryAfterMs(tries) }
}
