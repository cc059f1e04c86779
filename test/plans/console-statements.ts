import {
  deleteOldSessions,
  deleteSession,
  liveSessions,
  selectSession,
} from '../../packages/ishtirak/src/access/sessions.sql.js'
import { auditEntry, findAct, findRefundInstant } from '../../packages/ishtirak/src/acts/audit.sql.js'
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import { NO_USER } from '../../packages/ishtirak/src/acts/subject.js'
import { countEndings, sumsOf } from '../../packages/ishtirak/src/books/figures.sql.js'
import { linesOf } from '../../packages/ishtirak/src/books/lines.sql.js'
import {
  countDelivered,
  countWaitingEvents,
  listEvents,
  replayDelivered,
  showEvent,
} from '../../packages/ishtirak/src/events/event-history.sql.js'
import { grantsOfUser } from '../../packages/ishtirak/src/ledger/grants.sql.js'
import { newestPayments } from '../../packages/ishtirak/src/ledger/payment-list.sql.js'
import { actsOnUser } from '../../packages/ishtirak/src/ledger/user-acts.sql.js'
import { type ListPart, listedUsers } from '../../packages/ishtirak/src/ledger/user-list.sql.js'
import { findPaymentWithUser } from '../../packages/ishtirak/src/ledger/users.sql.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { trailPage } from '../../packages/ishtirak/src/overview/audit-trail.sql.js'
import {
  createInbox,
  inboxOfUser,
  inboxPage,
  inboxWaits,
  markMailed,
  noteInbox,
  unmailedEntries,
} from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { tracesOf } from '../../packages/ishtirak/src/overview/payments.sql.js'
import {
  findPaymentsByAmount,
  findPaymentsByPart,
  findPaymentsByWord,
  findUsersByWord,
} from '../../packages/ishtirak/src/overview/search.sql.js'
import { readSearch } from '../../packages/ishtirak/src/overview/search-words.js'
import { timelinePage } from '../../packages/ishtirak/src/overview/timeline.sql.js'
import {
  findDiscrepancy,
  readReconciliations,
} from '../../packages/ishtirak/src/reconciliation/discrepancies.sql.js'
import {
  lastReconciliation,
  paymentsOfCheckouts,
  saveStep,
  unmatchedPayments,
} from '../../packages/ishtirak/src/reconciliation/reconcile.sql.js'
import { listProofs, sameProofsOf } from '../../packages/ishtirak/src/transfers/proof.sql.js'
import { findTransfer } from '../../packages/ishtirak/src/transfers/transfers.sql.js'
import { aPayment, days, NOON } from '../support/fixtures.js'
import { only, type Run } from './explain.js'

const payment = aPayment({ userId: 'user-7', id: 'pay_7_5' })
const ofPayment = { userId: payment.userId, paymentId: payment.id }
const traces = (name: string) =>
  only(name, (db) => tracesOf(db, payment, 50), { 'operator.stored': [{ number: null, reports: [] }] })
export const newest = { userId: null, status: null, method: null, since: null, after: null, limit: 50 }
const events = { userId: null, waiting: false, limit: 50 }
const ended = { operator: { name: 'amina' }, act: 'operator.revoke', reason: null }
const lastDay = { from: NOON - days(1), to: NOON }
const inbox = createInbox(inboxOf(CAPABILITIES))
const november = {
  ...{ from: NOON - days(21), to: NOON + days(9), live: false, until: null, since: null },
  filter: { parts: ['sale', 'late', 'refund', 'document'], tax: null, withAdvances: true },
} as const
const [endedWeeks, endingWeek] = [
  { from: NOON - days(21), to: NOON },
  { from: NOON, to: NOON + days(7) },
]
const walk = { id: 'rcn_1', method: 'chargily', sinceAt: NOON - days(3), startedAt: NOON - days(1) }
const step = {
  ...{ nextPage: null, calls: 1, checkouts: 1, discrepancies: [], finishedAt: NOON, now: NOON },
  matched: [payment],
}
const further = { at: NOON, id: 'pay_7_1' }
const newestDiscrepancies = { reconciliations: 1, discrepancies: 5 }

const trail =
  (filter: Parameters<typeof trailPage>[1], after: Parameters<typeof trailPage>[2] = null): Run =>
  (db) =>
    trailPage(db, filter, after, 16)
const payments =
  (wanted: Partial<Parameters<typeof newestPayments>[1]>): Run =>
  (db) =>
    newestPayments(db, { ...newest, ...wanted }, NOON)
const listed =
  (by: ListPart['by']): Run =>
  (db) =>
    listedUsers(db, [{ by, ...lastDay }], null, 50)

/** Queries about one user, payment, reconciliation or word. */
export const CONSOLE: readonly Run[] = [
  (db) => findUsersByWord(db, readSearch('user-7@host.example', true)),
  (db) => {
    const receipt = { series: '2025', number: 7 }
    return findPaymentsByWord(db, { word: '2025-000007', receipt }, ['2025-000007'])
  },
  (db) => findPaymentsByPart(db, ['K4M9']),
  // It reads the payments of the day; on this one there are none.
  (db) => {
    const day = { from: NOON - days(20), to: NOON - days(19) }
    return findPaymentsByAmount(db, { ending: 2000, digits: 4 }, day)
  },
  (db) => timelinePage(db, 'user-7', { after: null, limit: 50 }, NOON),
  (db) => selectSession(db, 'digest', NOON),
  (db) => liveSessions(db, NOON),
  payments({ userId: 'user-7' }),
  (db) => deleteSession(db, 'ops_1', auditEntry({ next: () => 'act_1' }, ended, { now: NOON }), NOON),
  (db) => grantsOfUser(db, 'user-7', 50),
  (db) => actsOnUser(db, 'user-7', 50),
  (db) => findAct(db, { userId: NO_USER, operationId: 'ticket-4711' }),
  (db) => findRefundInstant(db, ofPayment),
  (db) => actsOnUser(db, NO_USER, 20),
  trail({ user_id: 'user-7' }),
  trail({ payment_id: 'pay_7_5' }),
  (db) => findDiscrepancy(db, 'dsc_7'),
  (db) => sameProofsOf(db, ofPayment),
  (db) => findPaymentWithUser(db, 'pay_7_5'),
  traces('operator.received'),
  traces('operator.sent'),
  traces('operator.stored'),
  traces('operator.acts_on_payment'),
  (db) => findTransfer(db, ofPayment),
  (db) => listProofs(db, ofPayment),
  (db) => readReconciliations(db, 'rcn_1', { reconciliations: 1, discrepancies: 1_000 }),
  (db) => showEvent(db, 'evt_7_1'),
]

export const CONSOLE_LISTS: readonly Run[] = [
  (db) => inboxPage(db, inbox, { kind: null, after: null, limit: 50 }, NOON),
  (db) => inboxOfUser(db, inbox, { userId: 'user-7', limit: 50, now: NOON }),
  trail({}),
  trail({}, { at: NOON, id: 'act_1' }),
  trail({ day: lastDay }),
  trail({ actor: 'amina' }),
  trail({ q: 'act_7' }),
  trail({ act: 'payment.refund' }),
  (db) => inboxWaits(db, inbox, NOON),
  (db) => countEndings(db, endedWeeks, endingWeek),
  (db) => linesOf(db, november, null, 50),
  (db) => linesOf(db, november, further, 50),
  (db) => sumsOf(db, november, 'Africa/Algiers'),
  listed('end'),
  listed('ended'),
  listed('unpaid'),
  listed('balance'),
  payments({ status: 'review' }),
  payments({ method: 'transfer' }),
  payments({ limit: 5 }),
  (db) => listEvents(db, { ...events, limit: 5 }),
  (db) => listEvents(db, { ...events, userId: 'user-7' }),
  (db) => listEvents(db, { ...events, userId: 'user-7', waiting: true }),
  (db) => countDelivered(db, { userId: 'user-7', since: 0 }),
  (db) => replayDelivered(db, { userId: 'user-7', since: 0 }, { now: NOON, limit: 5 }),
  countWaitingEvents,
  (db) => lastReconciliation(db, 'chargily'),
  (db) => paymentsOfCheckouts(db, 'chargily', ['chk_7_1', 'chk_8_1']),
  (db) => unmatchedPayments(db, walk, 5),
  (db) => saveStep(db, 'rcn_1', step),
  (db) => deleteOldSessions(db, NOON),
  only('reconciliations.list', (db) => readReconciliations(db, null, newestDiscrepancies)),
  (db) => readReconciliations(db, null, newestDiscrepancies),
]

/** They read all that waits, up to a thousand of a kind, or sort it. */
export const CONSOLE_WAITING: readonly Run[] = [
  payments({ after: { createdAt: NOON, id: 'pay_7_5' }, limit: 5 }),
  (db) => noteInbox(db, inbox, { now: NOON, beside: [] }),
  unmailedEntries,
  (db) => markMailed(db, [{ kind: 'discrepancy', id: 'a' }]),
  (db) => listEvents(db, { ...events, waiting: true, limit: 5 }),
]
