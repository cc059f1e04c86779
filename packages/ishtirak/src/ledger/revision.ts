// What a decision about a user writes: its changes, and where they come from.
import type { OperatorAct } from '../acts/audit.sql.js'
import type { AnnouncementDecision, MailKey } from '../core/announcement.js'
import type { Decision } from '../core/decision.js'
import type { Payment } from '../core/payment.js'
import type { StoredReport } from '../core/stored-report.js'
import type { NewDocument } from './documents.js'
import type { ReceivedEvent } from './provider-events.sql.js'
import type { UserRecord } from './users.sql.js'

export interface Revision extends Decision {
  /** The operator who asked for it, and the line of the audit trail. */
  readonly by?: OperatorAct | undefined
  /** The payment is booked with this revision, so its receipt is drawn up. */
  readonly isBooked?: boolean
  readonly document?: NewDocument | undefined
  /** The mail that replaces those that the events usually send. */
  readonly mail?: MailKey | undefined
  /** What is announced because time has passed, and when the job checks next. */
  readonly schedule?: AnnouncementDecision
  /** The hash of the code that loses a use. If it has none left, nothing is saved. */
  readonly takesCode?: string | undefined
  readonly received?: ReceivedEvent | undefined
  /** The part of the report that the payment stores. */
  readonly report?: StoredReport | undefined
  /** The trace that the delivery of the events continues, if traces are collected. */
  readonly traceparent?: string | undefined
}

/** The facts of a decision, read at one version of the user. */
export interface UserFacts {
  readonly userId: string
  /** Null: the user is unknown, and nothing of theirs can change. */
  readonly user: UserRecord | null
  readonly payment?: Payment | null
}

export interface KnownUserFacts extends UserFacts {
  readonly user: UserRecord
}
