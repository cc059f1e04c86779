// Errors of a purchase: the decision sells nothing, or the provider opens no checkout.
import { BillingError } from '../core/error.js'
import { type Instant, SECOND, toTimestamp } from '../core/instant.js'
import type { QuoteRefusal } from '../core/quote.js'
import type { TopUpRefusal, UpgradeDecision } from '../core/upgrade.js'
import type { ProviderFailure } from './method.js'

const DEFAULT_RETRY_SECONDS = 5

type Refused = Extract<UpgradeDecision, { kind: 'not_sold' | 'too_many_checkouts' | 'wait' }>

export function purchaseRefusal(decision: Refused, now: Instant): BillingError {
  switch (decision.kind) {
    case 'not_sold':
      return quoteRefusal(decision.refusal)
    case 'too_many_checkouts':
      return new BillingError('too_many_checkouts', {
        retryAfterSeconds: secondsUntil(decision.retryAt, now),
      })
    case 'wait':
      return busyUntil(decision.payment.attemptEndsAt, now)
  }
}

export function quoteRefusal(refused: QuoteRefusal | TopUpRefusal): BillingError {
  const extra = {
    ...('most' in refused && { most: refused.most }),
    ...('currentPeriodEnd' in refused && { current_period_end: toTimestamp(refused.currentPeriodEnd) }),
    ...('renewableFrom' in refused && { renewable_from: toTimestamp(refused.renewableFrom) }),
    ...('fitsFrom' in refused && { fits_from: toTimestamp(refused.fitsFrom) }),
  }
  return new BillingError(refused.kind, { extra })
}

/** Another process calls the provider for this payment until `at`. */
export function busyUntil(at: Instant, now: Instant): BillingError {
  return new BillingError('provider_unavailable', { retryAfterSeconds: secondsUntil(at, now) })
}

export function secondsUntil(at: Instant, now: Instant): number {
  return Math.max(1, Math.ceil((at - now) / SECOND))
}

export function providerRefusal(failure: ProviderFailure): BillingError {
  return failure.kind === 'rejected' ? new BillingError('provider_rejected') : unavailable(failure)
}

export function unavailable(failure: ProviderFailure | null): BillingError {
  const asked = failure?.kind === 'unavailable' ? failure.retryAfterSeconds : null
  return new BillingError('provider_unavailable', { retryAfterSeconds: asked ?? DEFAULT_RETRY_SECONDS })
}
