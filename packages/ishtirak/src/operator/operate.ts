// Everything the operator can do, one line each. Whoever calls has made sure who he is; every act is written down.
import type { Payment } from '../core/payment.js'
import {
  type EventsReport,
  type ResentEvents,
  reportEvents,
  resendAllWaiting,
  resendFrom,
  skipEvent,
} from '../events/manage-events.js'
import type { Parts } from '../payments/parts.js'
import { backUp } from './backup.js'
import { exportPayments } from './export.js'
import {
  acceptPayment,
  type By,
  listPaymentsOfAll,
  type PaymentFile,
  recheckPayment,
  refundPayment,
  showPayment,
} from './payments.js'
import {
  type ComparisonReport,
  continueComparison,
  listReconciliations,
  reconcileDaily,
  startReconciliation,
} from './reconcile.js'
import { type Found, search } from './search.js'
import { endUser, showUser, type UserFile } from './users.js'

export interface Operator {
  payments(wanted: Parameters<typeof listPaymentsOfAll>[1]): Promise<readonly Payment[]>
  payment(paymentId: string): Promise<PaymentFile>
  recheck(paymentId: string, by: By): Promise<PaymentFile>
  accept(paymentId: string, by: By): Promise<PaymentFile>
  refund(paymentId: string, by: By): Promise<PaymentFile>
  search(word: string): Promise<Found>
  user(userId: string): Promise<UserFile>
  endUser(userId: string, by: By): Promise<UserFile>
  startReconciliation(request: Parameters<typeof startReconciliation>[1]): Promise<ComparisonReport>
  continueReconciliation(id: string): Promise<ComparisonReport>
  reconciliations(): ReturnType<typeof listReconciliations>
  events(query: Parameters<typeof reportEvents>[1]): Promise<EventsReport>
  resendEvents(eventId: string, by: By): Promise<ResentEvents>
  resendWaitingEvents(by: By): Promise<{ readonly users: number }>
  skipEvent(eventId: string, by: By): Promise<void>
  export(of: Parameters<typeof exportPayments>[1]): ReturnType<typeof exportPayments>
  backUp(of: Parameters<typeof backUp>[1]): ReturnType<typeof backUp>
  /** The job behind it all: one bounded round, once a day from the start. */
  reconcileDaily(): Promise<number>
}

export function createOperator(parts: Parts): Operator {
  return {
    payments: (wanted) => listPaymentsOfAll(parts, wanted),
    payment: (paymentId) => showPayment(parts, paymentId),
    recheck: (paymentId, by) => recheckPayment(parts, paymentId, by),
    accept: (paymentId, by) => acceptPayment(parts, paymentId, by),
    refund: (paymentId, by) => refundPayment(parts, paymentId, by),
    search: (word) => search(parts, word),
    user: (userId) => showUser(parts, userId),
    endUser: (userId, by) => endUser(parts, userId, by),
    startReconciliation: (request) => startReconciliation(parts, request),
    continueReconciliation: (id) => continueComparison(parts, id),
    reconciliations: () => listReconciliations(parts),
    events: (query) => reportEvents(parts, query),
    resendEvents: (eventId, by) => resendFrom(parts, eventId, by),
    resendWaitingEvents: (by) => resendAllWaiting(parts, by),
    skipEvent: (eventId, by) => skipEvent(parts, eventId, by),
    export: (of) => exportPayments(parts, of),
    backUp: (of) => backUp(parts, of),
    reconcileDaily: () => reconcileDaily(parts),
  }
}
