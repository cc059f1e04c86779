// The façade that the upper floors see: everything that can be done, one line each.
import type { Locale } from '../core/locale.js'
import type { Plan } from '../core/plan.js'
import type { Subscription } from '../core/subscription.js'
import { claimRound } from '../database/job-leases.js'
import { announceTime } from '../events/announce-time.js'
import { createEventDelivery, type EventDelivery } from '../events/deliver-events.js'
import { pruneEvents } from '../events/manage-events.js'
import { type CountUsage, createCountUsage } from '../limits/count-usage.js'
import { forgetOperations } from '../limits/forget-operations.js'
import { type Overview, readOverview, updateProfile } from '../limits/overview.js'
import type { ProfileChange } from '../limits/usage.sql.js'
import { forgetOldMail, sendDueMail } from '../mail/send-mail.js'
import { createOperator, type Operator } from '../operator/operate.js'
import { repairInstants } from '../operator/repair-instants.js'
import {
  type HistoryPage,
  type HistoryRequest,
  readHistory,
  readPayment,
  readReturnedPayment,
} from '../payments/history.js'
import type { Parts } from '../payments/parts.js'
import { createRefreshOpen } from '../payments/refresh-open.js'
import { readStatus } from '../payments/status.js'
import { checkDuePayments } from '../payments/sweep.js'
import { createUpgrade, type OpenedCheckout, type UpgradeRequest } from '../payments/upgrade.js'
import { releaseAttemptLeases } from '../payments/upgrade.sql.js'
import { createLoadUser } from '../payments/users.sql.js'
import { createReceiveEvent, type ReceiveEvent } from '../payments/webhook.js'
import { createPortalSessions, type PortalSessions } from '../portal/portal-sessions.js'
import { findUserLocale } from '../portal/portal-sessions.sql.js'
import { createAskForReceipt, type PrintedReceipt, type ReceiptWish } from '../receipts/receipt.js'

export interface Billing {
  plans(): readonly Plan[]
  upgrade(request: UpgradeRequest): Promise<OpenedCheckout>
  /** The id of a request is for the log: what a look at the provider books is found by it. */
  status(userId: string, requestId?: string): Promise<Subscription>
  history(request: HistoryRequest): Promise<HistoryPage>
  payment(of: Parameters<typeof readPayment>[2]): ReturnType<typeof readPayment>
  /** The page after paying knows nothing but the payment. */
  returnedPayment(paymentId: string, requestId?: string): ReturnType<typeof readReturnedPayment>
  readonly receiveEvent: ReceiveEvent
  checkDuePayments(limit: number): Promise<number>
  /** What only a person may do. */
  readonly operator: Operator
  /** Whether this process may run the round of a job that the whole cluster runs once in `everyMs`. */
  claimRound(job: string, everyMs: number): Promise<boolean>
  /** Everything about one user, for the platform and for himself. */
  overview(userId: string, requestId?: string): Promise<Overview>
  updateProfile(userId: string, change: ProfileChange): Promise<void>
  countUsage: CountUsage
  forgetOperations(limit: number): Promise<number>
  /** Housekeeping of a database that has nobody else to do it. */
  maintainDatabase(): Promise<number>
  /** Tells the platform what time has done to up to `limit` users. */
  announceTime(limit: number): Promise<number>
  readonly eventDelivery: EventDelivery
  pruneEvents(limit: number): Promise<number>
  /** Throws `not_found`, `payment_not_paid` and `busy`. */
  receipt(of: ReceiptWish): Promise<PrintedReceipt>
  /** Who may see the portal. */
  readonly portal: PortalSessions
  sendDueMail(limit: number): Promise<number>
  forgetOldMail(limit: number): Promise<number>
  /** The language of a user's profile; null: not known. */
  localeOf(userId: string): Promise<Locale | null>
  /** Brings back what a clock that was ahead has put off. Gives how many rows. */
  repairInstants(limit: number): Promise<number>
  /** At the start of a process that has the database to itself. */
  resume(): Promise<void>
}

export function createBilling(parts: Parts): Billing {
  const refreshOpen = createRefreshOpen(parts)
  const loadUser = createLoadUser(parts.database)
  const readers = { loadUser, refreshOpen }
  return {
    plans: () => parts.catalogue.plans,
    upgrade: createUpgrade(parts),
    status: (userId, requestId) => readStatus(parts, readers, userId, requestId),
    history: (request) => readHistory(parts, readers, request),
    payment: (of) => readPayment(parts, refreshOpen, of),
    returnedPayment: (paymentId, requestId) => readReturnedPayment(parts, readers, paymentId, requestId),
    receiveEvent: createReceiveEvent(parts),
    checkDuePayments: (limit) => checkDuePayments(parts, limit),
    operator: createOperator(parts),
    claimRound: (job, everyMs) => {
      const now = parts.clock.now()
      return claimRound(parts.database, job, { now, nextRunAt: now + everyMs })
    },
    overview: (userId, requestId) => readOverview(parts, refreshOpen, userId, requestId),
    updateProfile: (userId, change) => updateProfile(parts, userId, change),
    countUsage: createCountUsage(parts),
    forgetOperations: (limit) => forgetOperations(parts, limit),
    maintainDatabase: async () => {
      await parts.database.maintain?.()
      return parts.database.maintain ? 1 : 0
    },
    announceTime: (limit) => announceTime(parts, limit),
    eventDelivery: createEventDelivery(parts),
    pruneEvents: (limit) => pruneEvents(parts, limit),
    receipt: createAskForReceipt(parts),
    portal: createPortalSessions(parts),
    sendDueMail: (limit) => sendDueMail(parts, limit),
    forgetOldMail: (limit) => forgetOldMail(parts, limit),
    localeOf: (userId) => findUserLocale(parts.database, userId),
    repairInstants: (limit) => repairInstants(parts, limit),
    resume: () => releaseAttemptLeases(parts.database, parts.clock.now()),
  }
}
