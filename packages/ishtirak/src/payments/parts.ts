// What the use cases are given: the world behind ports, the rules as values. Built once, in wire.ts.

import type { Locale } from '../core/locale.js'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { Terms } from '../core/subscription.js'
import type { Database } from '../database/database.js'
import type { EventSender } from '../events/webhook-sender.js'
import type { Formats } from '../i18n/formats.js'
import type { MailAddress, Mailer } from '../mail/mailer.js'
import type { Typesetter } from '../receipts/typesetter.js'
import type { WorkQueue } from '../runtime/async.js'
import type { WallClock } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
import type { Ids, Random } from '../runtime/random.js'
import type { Provider } from './provider.js'
import type { Settlements } from './settle.sql.js'

export interface Parts {
  readonly database: Database
  /** The way to book: reports that arrive together are loaded and saved together. */
  readonly settlements: Settlements
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
  /** Absent: no mail is sent. */
  readonly mail?: MailParts
  /** Counts what happened, for /metrics. */
  readonly count: (what: Occurrence) => void
}

export interface Outgoing {
  readonly sender: EventSender
  /** Spreads the attempts that failed together. */
  readonly random: Random
}

export interface ReceiptTerms {
  /** Who sells, and how his sales are taxed from which day on. */
  readonly seller: Seller
  /** The day of an instant in the billing time zone, `YYYY-MM-DD`. */
  readonly dayOf: (instant: number) => string
  readonly typesetter: Typesetter
  /** Pages are set one by one: each holds the main thread for some 10 ms. */
  readonly press: WorkQueue
}

export interface MailParts {
  readonly mailer: Mailer
  /** Whom a letter in this language is from. */
  readonly from: (locale: Locale) => MailAddress
  readonly formats: Formats
}

export type Occurrence =
  | { readonly name: 'settlement'; readonly outcome: string }
  | {
      readonly name: 'provider_event'
      readonly result: 'accepted' | 'duplicate' | 'invalid_signature' | 'malformed'
    }
  | { readonly name: 'checkout_opened' }
  | { readonly name: 'mail'; readonly outcome: string }
  | {
      readonly name: 'event_delivery'
      readonly outcome: 'delivered' | 'failed' | 'endpoint_disabled'
    }
  /** The comparison with the provider found what only one side has. */
  | { readonly name: 'finding'; readonly kind: string; readonly outcome: string }
