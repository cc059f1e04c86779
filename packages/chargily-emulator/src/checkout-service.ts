// The life of a checkout after its creation: pending, processing, then paid, failed, canceled or expired, once and
// for ever. Each step and the events that tell of it are one commit. It refuses to change what is final.

import { secondsOf } from './clock.js'
import { type EmulatorContext, newId } from './context.js'
import { deliveriesFor } from './deliveries.js'
import { ApiRefusal } from './errors.js'
import type {
  CheckoutRecord,
  CheckoutStatus,
  CustomerRecord,
  DeliveryRecord,
  Outcome,
  PaymentMethod,
} from './records.js'
import type { Change } from './store.js'
import type { WebhookSender } from './webhook-sender.js'

export type PayResult =
  | {
      readonly ok: true
      readonly checkout: CheckoutRecord
      readonly sendBeforeRedirect: readonly DeliveryRecord[]
    }
  | { readonly ok: false; readonly status: CheckoutStatus }

export class CheckoutService {
  /** Checkouts that time will change, oldest first; all live equally long, so the first expires first. */
  readonly #pending = new Map<string, number>()
  readonly #processing = new Map<string, number>()
  /** Called whenever time has something new to wait for. */
  onChange: () => void = () => undefined

  constructor(
    readonly desk: EmulatorContext,
    readonly sender: WebhookSender,
  ) {
    for (const checkout of desk.store.checkouts.all()) this.watch(checkout)
  }

  /** What the customer did on the payment page. `sendBeforeRedirect` must be tried before he is sent back. */
  pay(checkout: CheckoutRecord, outcome: Outcome, method: PaymentMethod): PayResult {
    if (checkout.status !== 'pending') return { ok: false, status: checkout.status }
    const wait = this.desk.faults.use('processing')
    const atCard: CheckoutRecord = { ...checkout, status: 'processing', payment_method: method }
    if (wait)
      return { ok: true, checkout: this.#postpone(atCard, outcome, wait.seconds), sendBeforeRedirect: [] }
    const reorder = this.desk.faults.use('reorder')?.order
    const staleFailure = reorder === 'failed_after_paid'
    const { final, deliveries } = this.#finish(atCard, outcome, staleFailure)
    const sendBeforeRedirect = reorder === 'webhook_before_redirect' ? deliveries : []
    return { ok: true, checkout: final, sendBeforeRedirect }
  }

  /** POST /checkouts/{id}/expire (Chargily docs, API reference, checkouts/expire: 200, 400, 403). */
  expire(checkout: CheckoutRecord): CheckoutRecord {
    if (checkout.status === 'expired')
      throw new ApiRefusal(400, { message: 'The checkout is already expired.' })
    if (checkout.status !== 'pending')
      throw new ApiRefusal(403, { message: 'Only pending checkouts can be expired.' })
    return this.#finish(checkout, 'expired').final
  }

  /** Ends what time has ended: unpaid checkouts, and those whose bank has now answered. */
  endDue(): void {
    const nowMs = this.desk.clock.now()
    for (const [id, dueAtMs] of this.#pending) {
      if (dueAtMs > nowMs) break
      const status = this.desk.faults.use('expire_as_canceled') ? 'canceled' : 'expired'
      const checkout = this.desk.store.checkouts.findAnywhere(id)
      if (checkout) this.#finish(checkout, status)
    }
    for (const [id, dueAtMs] of this.#processing) {
      const checkout = this.desk.store.checkouts.findAnywhere(id)
      if (dueAtMs <= nowMs && checkout?.awaited) this.#finish(checkout, checkout.awaited.outcome)
    }
  }

  /** Milliseconds since the epoch; null when no checkout is open. */
  nextDueAtMs(): number | null {
    const [oldestPending] = this.#pending.values()
    const dues = [...this.#processing.values(), ...(oldestPending === undefined ? [] : [oldestPending])]
    return dues.length === 0 ? null : Math.min(...dues)
  }

  /** Every checkout passes here when it is new or has changed. */
  watch({ id, status, awaited, expires_at_ms }: CheckoutRecord): void {
    this.#pending.delete(id)
    this.#processing.delete(id)
    if (status === 'pending') this.#pending.set(id, expires_at_ms)
    if (awaited) this.#processing.set(id, awaited.at_ms)
    this.onChange()
  }

  /** Stops waiting for any checkout; the store is cleared elsewhere. */
  clear(): void {
    this.#pending.clear()
    this.#processing.clear()
  }

  #postpone(atCard: CheckoutRecord, outcome: Outcome, seconds: number): CheckoutRecord {
    const nowMs = this.desk.clock.now()
    const waiting: CheckoutRecord = {
      ...atCard,
      updated_at: secondsOf(nowMs),
      awaited: { outcome, at_ms: nowMs + seconds * 1000 },
    }
    this.desk.store.commit([{ put: { checkouts: waiting } }])
    this.watch(waiting)
    return waiting
  }

  #finish(checkout: CheckoutRecord, status: Outcome | 'expired', staleFailure = false) {
    const nowSeconds = this.desk.clock.nowSeconds()
    const customer = status === 'paid' && checkout.customer_id === null ? this.#newCustomer(checkout) : null
    const final: CheckoutRecord = {
      ...checkout,
      status,
      updated_at: nowSeconds,
      paid_at: status === 'paid' ? nowSeconds : null,
      customer_id: customer?.id ?? checkout.customer_id,
      awaited: null,
    }
    const deliveries = deliveriesFor(this.desk, final, staleFailure)
    const told: Change[] = deliveries.map((delivery) => ({ put: { deliveries: delivery } }))
    const met: Change[] = customer ? [{ put: { customers: customer } }] : []
    this.desk.store.commit([...met, { put: { checkouts: final } }, ...told])
    this.watch(final)
    this.sender.accept(deliveries)
    return { final, deliveries }
  }

  /** Captured events name a customer whose ULID was made in the second of the payment. */
  #newCustomer({ livemode }: CheckoutRecord): CustomerRecord {
    const now = this.desk.clock.nowSeconds()
    const unknown = { name: null, email: null, phone: null, address: null, metadata: null }
    return { id: newId(this.desk), livemode, ...unknown, created_at: now, updated_at: now }
  }
}
