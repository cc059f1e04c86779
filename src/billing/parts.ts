// What the use cases are given: the world behind ports, the rules as values. Built once, in wire.ts.
import type { Catalogue } from '../domain/plan.js'
import type { Terms } from '../domain/subscription.js'
import type { Provider } from '../provider/provider.js'
import type { Chance } from '../runtime/chance.js'
import type { Clock } from '../runtime/clock.js'
import type { EventSender } from '../runtime/event-sender.js'
import type { Ids } from '../runtime/id.js'
import type { Log } from '../runtime/log.js'
import type { WallClock } from '../runtime/wall-clock.js'
import type { Database } from '../store/database.js'

export interface Parts {
  readonly database: Database
  readonly provider: Provider
  readonly clock: Clock
  /** Time that passes while somebody else works; handed in with the clock, so that both can be moved. */
  readonly wait: (ms: number) => Promise<void>
  readonly ids: Ids
  readonly log: Log
  readonly catalogue: Catalogue
  readonly terms: Terms
  /** The billing time zone, for the accountant's months. */
  readonly wallClock: WallClock
  /** The end of the calendar day, in the quota's time zone, that an instant lies in. */
  readonly quotaDayEndsAt: (instant: number) => number
  /** Where users and the provider reach us, without a slash at the end. */
  readonly publicUrl: string
  /** What a receipt has to show and later changes must not touch; drawn up at the moment of booking. */
  readonly receipts: ReceiptTerms
  /** How events reach the platform; absent: they are written and not sent. */
  readonly outgoing?: Outgoing
  /** Counts what happened, for /metrics. */
  readonly count: (what: Occurrence) => void
}

export interface Outgoing {
  readonly sender: EventSender
  /** Spreads the attempts that failed together. */
  readonly chance: Chance
}

export interface ReceiptTerms {
  /** The series whose next number a payment made at this instant takes. */
  seriesAt(paidAt: number): string
  /** The seller and his tax terms at this instant. */
  sellerAt(paidAt: number): unknown
}

export type Occurrence =
  | { readonly name: 'settlement'; readonly outcome: string }
  | {
      readonly name: 'provider_event'
      readonly result: 'accepted' | 'duplicate' | 'invalid_signature' | 'malformed'
    }
  | { readonly name: 'checkout_opened' }
  | {
      readonly name: 'event_delivery'
      readonly outcome: 'delivered' | 'failed' | 'endpoint_disabled'
    }
  /** The comparison with the provider found what only one side has. */
  | { readonly name: 'finding'; readonly kind: string; readonly outcome: string }
