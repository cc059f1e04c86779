// Which gateway a click asks for a page: the first that takes the amount; where it opens none, the next. Only
// a payment that never had an address leaves its gateway, so no user has two pages to pay on.
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { kindOf, type Payment } from '../core/payment.js'
import type { PaymentMethod, ProviderFailure } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import { unavailable } from '../ledger/refusals.js'
import { createRecentFailures, type RecentFailures } from '../runtime/bounded-map.js'
import { endRequestedPayment, moveAttemptLease } from './upgrade.sql.js'

/** A gateway is given 4 s, and a click is answered within 6. */
const NEXT_WITHIN_MS = 2 * SECOND

/** In this process: a gateway that was out of reach in the last minute is asked after the others. */
export const createOutages = () => createRecentFailures(1, MINUTE)

/** Those that one click may still ask. */
export interface GatewayQueue {
  readonly names: readonly string[]
  /** Undefined: none is left that takes the amount. */
  next(amount: number): PaymentMethod | undefined
  failed(name: string, failure: ProviderFailure, now: Instant): void
  readonly mayGoOnUntil: Instant
}

interface GatewayDeps extends Pick<CommonParts, 'methods' | 'clock'> {
  readonly upgrades: { readonly outages: RecentFailures }
}

/** `kind`: as callers choose it. Throws `unknown_method` where nothing is paid in that way. */
export function queueGateways(
  { methods: { all }, clock, upgrades }: GatewayDeps,
  kind: string,
): GatewayQueue {
  const { outages } = upgrades
  const now = clock.now()
  const methods = all.filter(({ name, begunBy }) => begunBy === 'user' && kindOf(name) === kind)
  if (methods.length === 0) throw new BillingError('unknown_method')
  const isOut = ({ name }: PaymentMethod) => outages.nextAttemptAt(name, now) !== null
  let left = [...methods.filter((method) => !isOut(method)), ...methods.filter(isOut)]
  return {
    names: methods.map(({ name }) => name),
    next: (amount) => left.find(({ leastAmount }) => leastAmount <= amount),
    failed: (name, { kind }, at) => {
      left = left.filter((method) => method.name !== name)
      if (kind === 'unavailable') outages.note(name, at)
    },
    mayGoOnUntil: now + NEXT_WITHIN_MS,
  }
}

/**
 * Null: the user's place is free for the next gateway. Throws `provider_rejected` or `provider_unavailable`
 * where there is none, or no time. `mayExist`: the checkout may be there; the sweep finds and ends it.
 */
export async function failOver(
  { database, clock }: Pick<CommonParts, 'database' | 'clock'>,
  queue: GatewayQueue,
  payment: Payment,
  { failure, mayExist }: { readonly failure: ProviderFailure; readonly mayExist: boolean },
): Promise<null> {
  const now = clock.now()
  queue.failed(payment.method, failure, now)
  const hasNext = queue.next(payment.price.amount) !== undefined
  const isRefused = failure.kind === 'rejected' && !mayExist
  if (hasNext || isRefused) await endRequestedPayment(database, payment, 'canceled', mayExist ? now : null)
  // The attempt is over, so the next click need not wait for its end.
  else await moveAttemptLease(database, payment, now)
  if (hasNext && now < queue.mayGoOnUntil) return null
  throw isRefused ? new BillingError('provider_rejected') : unavailable(failure)
}
