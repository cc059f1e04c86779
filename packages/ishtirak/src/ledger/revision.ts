// What a decision about a user may change: their payment, time, balance, documents and events.
import type { OperatorAct } from '../acts/audit.sql.js'
import type { AnnouncementDecision, MailKey } from '../core/announcement.js'
import type { NewEntry } from '../core/balance.js'
import type { ChangeOfEvent } from '../core/change.js'
import type { EventType } from '../core/event-types.js'
import type { Grant } from '../core/grant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { StoredReport } from '../core/stored-report.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { NewDocument } from './documents.sql.js'
import type { ReceivedEvent } from './provider-events.sql.js'

/** The changes of a decision. Everything that it does not name stays. */
export interface Revision {
  /** The operator who asked for it, and the line of the audit trail. */
  readonly by?: OperatorAct | undefined
  /** The payment afterwards; null: no payment changes. */
  readonly payment?: Payment | null
  /** The payment has no row yet. */
  readonly isNew?: boolean
  /** The payment is booked with this revision, so its receipt is drawn up. */
  readonly isBooked?: boolean
  readonly subscription?: SubscriptionFacts | null
  /** The paid periods of other payments that a refund moves. */
  readonly moved?: readonly MovedPeriod[]
  /** The time that is granted without a payment, by this code if `codeHash` is set. */
  readonly grant?: (Grant & { readonly codeHash?: string }) | undefined
  /** The balance entry, which `subscription` already includes. */
  readonly entry?: NewEntry | undefined
  readonly events: readonly EventType[]
  /** The mail that replaces those that the events usually send. */
  readonly mail?: MailKey | undefined
  /** A document besides the receipt. */
  readonly document?: NewDocument | undefined
  /** The plan change, for the events. */
  readonly change?: ChangeOfEvent | undefined
  /** The events show this reason. */
  readonly reason?: string | undefined
  /** What is announced because time has passed, and when the job checks next. */
  readonly schedule?: AnnouncementDecision
  /** Cancels the user's other open checkouts with a page; the sweep ends them at the provider. */
  readonly withdrawsOpen?: boolean
  /** The hash of the code that loses a use. If it has none left, nothing is saved. */
  readonly takesCode?: string | undefined
  /** The provider's event that led here. */
  readonly received?: ReceivedEvent | undefined
  /** The part of the report that the payment stores. */
  readonly report?: StoredReport | undefined
  /** The trace that the delivery of the events continues, if traces are collected. */
  readonly traceparent?: string | undefined
}
