// Sends events to the merchant: the same bytes, up to three times. Due deliveries are in the store, so a kill
// between two attempts only delays them. It makes no events.
import { setMaxListeners } from 'node:events'
import type { EmulatorContext } from './context.js'
import { EmulatorError } from './errors.js'
import { type AttemptResult, postWebhook } from './post-webhook.js'
import type { DeliveryRecord } from './records.js'

/**
 * Chargily documents no retries; these are the defaults of spatie/laravel-webhook-server, its likely sender.
 */
const MAX_TRIES = 3
const retryDelayMs = (tries: number) => 10 ** tries * 1000
/** A long queue must not open a thousand connections to one merchant. */
const MAX_IN_FLIGHT = 32

export class WebhookSender {
  readonly #owed = new Map<string, DeliveryRecord>()
  readonly #inFlight = new Map<string, Promise<unknown>>()
  #abort = newAbort()
  /** Called when there may be something to send: a new delivery, or room for the next. */
  onChange: () => void = () => undefined

  constructor(
    readonly context: EmulatorContext,
    readonly timeoutMs: number,
  ) {
    for (const delivery of context.store.deliveries.values()) this.#track(delivery)
  }

  /** Takes over deliveries that are in the store already. */
  accept(deliveries: readonly DeliveryRecord[]): void {
    for (const delivery of deliveries) this.#track(delivery)
    this.onChange()
  }

  /** Makes the first attempt of these at once and waits for it. */
  async sendFirst(deliveries: readonly DeliveryRecord[]): Promise<void> {
    await Promise.all(deliveries.map(({ id }) => this.#firstTry(id)))
  }

  /** Milliseconds since the epoch of the next attempt that has not started; null when nothing is owed. */
  nextDueAtMs(): number | null {
    let next: number | null = null
    for (const delivery of this.#owed.values()) {
      const { next_attempt_at_ms } = delivery
      if (next_attempt_at_ms === null || !this.#isReady(delivery)) continue
      if (next === null || next_attempt_at_ms < next) next = next_attempt_at_ms
    }
    return next
  }

  /** Starts every attempt that is due, in order, as far as connections allow. */
  sendDue(): void {
    const nowMs = this.context.clock.now()
    for (const delivery of this.#owed.values()) {
      if (this.#abort.signal.aborted || this.#inFlight.size >= MAX_IN_FLIGHT) return
      const isDue = (delivery.next_attempt_at_ms ?? Number.POSITIVE_INFINITY) <= nowMs
      if (isDue && this.#isReady(delivery)) this.#start(delivery)
    }
  }

  /** Resolves when no attempt is under way and none is due. */
  async settled(): Promise<void> {
    for (;;) {
      this.sendDue()
      if (this.#inFlight.size === 0) return
      await Promise.race(this.#inFlight.values())
    }
  }

  /** One attempt outside the schedule, with the same bytes. */
  async resend(deliveryId: string): Promise<DeliveryRecord> {
    const { deliveries } = this.context.store
    const delivery = deliveries.get(deliveryId)
    if (!delivery) throw new EmulatorError(`there is no delivery ${deliveryId}`)
    await this.#inFlight.get(deliveryId)
    await this.#start(delivery, true)
    return deliveries.get(deliveryId) ?? delivery
  }

  /** Aborts what is under way and forgets what is owed; later deliveries are sent. */
  async clear(): Promise<void> {
    this.#owed.clear()
    await this.close()
    this.#abort = newAbort()
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all(this.#inFlight.values())
  }

  /** Not under way, and the delivery it must follow was attempted. */
  #isReady({ id, after_id }: DeliveryRecord): boolean {
    const before = after_id === null ? undefined : this.#owed.get(after_id)
    return !this.#inFlight.has(id) && (before === undefined || before.tries > 0)
  }

  #firstTry(id: string): Promise<unknown> | undefined {
    const delivery = this.#owed.get(id)
    const isDue = delivery && (delivery.next_attempt_at_ms ?? 0) <= this.context.clock.now()
    return this.#inFlight.get(id) ?? (isDue ? this.#start(delivery) : undefined)
  }

  #start({ id, url, body, signature }: DeliveryRecord, isResend = false): Promise<unknown> {
    const { timeoutMs } = this
    const { signal } = this.#abort
    const attempt = postWebhook({ url, body, signature, timeoutMs, signal }).then((result) => {
      this.#inFlight.delete(id)
      // An aborted attempt does not count: the next start still owes it.
      if (!signal.aborted) this.#record(id, result, isResend)
      if (this.#owed.size > 0) this.onChange()
    })
    this.#inFlight.set(id, attempt)
    return attempt
  }

  #record(deliveryId: string, result: AttemptResult, isResend: boolean): void {
    const { store, clock, log } = this.context
    const delivery = store.deliveries.get(deliveryId)
    if (!delivery) return
    const nowMs = clock.now()
    const attempts = [...delivery.attempts, { at_ms: nowMs, ...result }]
    const tries = delivery.tries + (isResend ? 0 : 1)
    const next = { ...delivery, attempts, tries, ...stateAfter(delivery, { tries, nowMs, ...result }) }
    // Not flushed: a kill sends the event once more, which a merchant must accept anyway.
    store.commit([{ put: { deliveries: next } }], false)
    this.#track(next)
    const { event_id, type, url, state } = next
    log({ message: 'webhook attempt', event_id, type, url, state, ...result })
  }

  #track(delivery: DeliveryRecord): void {
    if (delivery.state === 'pending') this.#owed.set(delivery.id, delivery)
    else this.#owed.delete(delivery.id)
  }
}

/** Every attempt listens to it, and there may be many at once. */
function newAbort(): AbortController {
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  return abort
}

function stateAfter(
  before: DeliveryRecord,
  { tries, nowMs, status }: { tries: number; nowMs: number; status: number | null },
): Pick<DeliveryRecord, 'state' | 'next_attempt_at_ms'> {
  if (status !== null && status >= 200 && status < 300)
    return { state: 'delivered', next_attempt_at_ms: null }
  // A failed resend neither ends nor restarts the schedule, and does not undo an earlier success.
  if (tries === before.tries) return { state: before.state, next_attempt_at_ms: before.next_attempt_at_ms }
  if (tries >= MAX_TRIES) return { state: 'failed', next_attempt_at_ms: null }
  return { state: 'pending', next_attempt_at_ms: nowMs + retryDelayMs(tries) }
}
