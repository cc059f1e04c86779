// The states of a checkout after its creation: pending, processing, then finally paid, failed, canceled or
// expired. Each step and its events are one commit. A final checkout is never changed.
import { type EmulatorContext, newResource } from './context.js'
import { deliveriesFor } from './deliveries.js'
import { ApiError } from './errors.js'
import {
  type CheckoutRecord,
  type CheckoutStatus,
  type CustomerRecord,
  type DeliveryRecord,
  EMPTY_CUSTOMER,
  type Outcome,
  type PaymentMethod,
} from './records.js'
import type { Change } from './store.js'
import type { WebhookSender } from './webhook-sender.js'

type PayResult =
  | {
      readonly ok: true
      readonly checkout: CheckoutRecord
      readonly sendBeforeRedirect: readonly DeliveryRecord[]
    }
  | { readonly ok: false; readonly status: CheckoutStatus }

export class CheckoutService {
  /** When pending checkouts expire, oldest first: all live equally long, so the first is due first. */
  readonly #pending = new Map<string, number>()
  readonly #processing = new Map<string, number>()
  /** Called when there may be a new due time. */
  onChange: () => void = () => undefined

  constructor(
    readonly context: EmulatorContext,
    readonly sender: WebhookSender,
  ) {
    for (const checkout of context.store.checkouts.values()) this.#watch(checkout)
  }

  /**
   * A payer's choice on the payment page. `sendBeforeRedirect` must be attempted before the payer is sent
   * back.
   */
  pay(checkout: CheckoutRecord, outcome: Outcome, method: PaymentMethod): PayResult {
    if (checkout.status !== 'pending') return { ok: false, status: checkout.status }
    const { faults, clock } = this.context
    const delay = faults.use('processing')
    const chosen: CheckoutRecord = { ...checkout, status: 'processing', payment_method: method }
    if (delay) {
      const awaited = { outcome, at_ms: clock.now() + delay.seconds * 1000 }
      const processing = { ...chosen, updated_at: clock.nowSeconds(), awaited }
      this.save(processing)
      return { ok: true, checkout: processing, sendBeforeRedirect: [] }
    }
    const order = faults.use('reorder')?.order
    const { final, deliveries } = this.#finish(chosen, outcome, order === 'failed_after_paid')
    const sendBeforeRedirect = order === 'webhook_before_redirect' ? deliveries : []
    return { ok: true, checkout: final, sendBeforeRedirect }
  }

  /** POST /checkouts/{id}/expire (Chargily docs, API reference, checkouts/expire: 200, 400, 403). */
  expire(checkout: CheckoutRecord): CheckoutRecord {
    if (checkout.status === 'expired')
      throw new ApiError(400, { message: 'The checkout is already expired.' })
    if (checkout.status !== 'pending')
      throw new ApiError(403, { message: 'Only pending checkouts can be expired.' })
    return this.#finish(checkout, 'expired').final
  }

  /** Finishes the checkouts that are due: unpaid ones, and those the bank has now answered. */
  endDue(): void {
    const { clock, faults, store } = this.context
    const nowMs = clock.now()
    for (const [id, dueAtMs] of this.#pending) {
      if (dueAtMs > nowMs) break
      const status = faults.use('expire_as_canceled') ? 'canceled' : 'expired'
      const checkout = store.checkouts.get(id)
      if (checkout) this.#finish(checkout, status)
    }
    for (const [id, dueAtMs] of this.#processing) {
      const checkout = store.checkouts.get(id)
      if (dueAtMs <= nowMs && checkout?.awaited) this.#finish(checkout, checkout.awaited.outcome)
    }
  }

  /** Milliseconds since the epoch; null when no checkout is open. */
  nextDueAtMs(): number | null {
    const [oldestPending] = this.#pending.values()
    const due = [...this.#processing.values(), ...(oldestPending === undefined ? [] : [oldestPending])]
    return due.length === 0 ? null : Math.min(...due)
  }

  /** Stops waiting for any checkout; the store is cleared elsewhere. */
  clear(): void {
    this.#pending.clear()
    this.#processing.clear()
  }

  #finish(checkout: CheckoutRecord, status: Outcome | 'expired', staleFailure = false) {
    const isPaid = status === 'paid'
    // Captured events name a customer whose ULID was made in the second of the payment.
    const resource = isPaid && checkout.customer_id === null && newResource(this.context, checkout.livemode)
    const customers = resource ? { ...EMPTY_CUSTOMER, ...resource } : null
    const updated_at = this.context.clock.nowSeconds()
    const final: CheckoutRecord = {
      ...checkout,
      status,
      updated_at,
      paid_at: isPaid ? updated_at : null,
      customer_id: customers?.id ?? checkout.customer_id,
      awaited: null,
    }
    const deliveries = deliveriesFor(this.context, final, staleFailure)
    const puts = deliveries.map((delivery) => ({ put: { deliveries: delivery } }))
    this.save(final, ...(customers ? [{ put: { customers } }] : []), ...puts)
    this.sender.accept(deliveries)
    return { final, deliveries }
  }

  /** Saves a new or changed checkout in one commit with what belongs to it. */
  save(checkouts: CheckoutRecord, ...others: Change[]): void {
    this.context.store.commit([{ put: { checkouts } }, ...others])
    this.#watch(checkouts)
    this.onChange()
  }

  /** Adds all records in one commit. */
  add(records: {
    readonly customers: readonly CustomerRecord[]
    readonly checkouts: readonly CheckoutRecord[]
  }): void {
    this.context.store.commit([
      ...records.customers.map((customers) => ({ put: { customers } })),
      ...records.checkouts.map((checkouts) => ({ put: { checkouts } })),
    ])
    for (const checkout of records.checkouts) this.#watch(checkout)
    this.onChange()
  }

  #watch({ id, status, awaited, expires_at_ms }: CheckoutRecord): void {
    this.#pending.delete(id)
    this.#processing.delete(id)
    if (status === 'pending') this.#pending.set(id, expires_at_ms)
    if (awaited) this.#processing.set(id, awaited.at_ms)
  }
}
