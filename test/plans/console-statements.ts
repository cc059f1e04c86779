// What the console asks: each query with the index that it uses.
import {
  deleteOldSessions,
  deleteSession,
  liveSessions,
  selectSession,
} from '../../packages/ishtirak/src/access/sessions.sql.js'
import { findAct, findRefundInstant } from '../../packages/ishtirak/src/acts/audit.sql.js'
import { inboxOf } from '../../packages/ishtirak/src/acts/capability.js'
import { NO_USER } from '../../packages/ishtirak/src/acts/subject.js'
import {
  countEndings,
  countReceipts,
  entriesOf,
  paidByDay,
  refundedByDay,
} from '../../packages/ishtirak/src/books/figures.sql.js'
import { salesByTax, salesLines } from '../../packages/ishtirak/src/books/sales.sql.js'
import { findFinding, findingNamed } from '../../packages/ishtirak/src/compare/findings.sql.js'
import {
  lastComparison,
  listComparisons,
  paymentsOfCheckouts,
  saveComparisonStep,
  unmatchedPayments,
} from '../../packages/ishtirak/src/compare/reconcile.sql.js'
import { readSearch } from '../../packages/ishtirak/src/core/search.js'
import type { Database, Row } from '../../packages/ishtirak/src/database/database.js'
import {
  countWaitingEvents,
  findWrittenEvent,
  listEvents,
} from '../../packages/ishtirak/src/events/event-history.sql.js'
import { grantsOfUser } from '../../packages/ishtirak/src/ledger/grants.sql.js'
import { findPaymentWithUser } from '../../packages/ishtirak/src/ledger/load.sql.js'
import { newestPayments } from '../../packages/ishtirak/src/ledger/payment-list.sql.js'
import { actsOnUser } from '../../packages/ishtirak/src/ledger/user-acts.sql.js'
import { LIST_PARTS, listedUsers } from '../../packages/ishtirak/src/ledger/user-list.sql.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { trailPage } from '../../packages/ishtirak/src/overview/audit-trail.sql.js'
import {
  createInbox,
  inboxCounts,
  inboxOfUser,
  inboxPage,
} from '../../packages/ishtirak/src/overview/inbox.sql.js'
import {
  markMailed,
  noteInbox,
  unmailedEntries,
} from '../../packages/ishtirak/src/overview/operator-mail.sql.js'
import { tracesOf } from '../../packages/ishtirak/src/overview/payments.sql.js'
import {
  findPaymentsByAmount,
  findPaymentsByPart,
  findPaymentsByWord,
  findUsersByWord,
} from '../../packages/ishtirak/src/overview/search.sql.js'
import { timelinePage } from '../../packages/ishtirak/src/overview/timeline.sql.js'
import { listProofs } from '../../packages/ishtirak/src/transfers/proof.sql.js'
import { sameProofsOf } from '../../packages/ishtirak/src/transfers/same-proofs.sql.js'
import { findTransfer } from '../../packages/ishtirak/src/transfers/transfers.sql.js'
import { aPayment, days, NOON } from '../support/fixtures.js'
import { only, type Planned } from './explain.js'

const payment = aPayment({ userId: 'user-7', id: 'pay_7_5' })
const ofPayment = { userId: payment.userId, paymentId: payment.id }
const traces = (name: string) =>
  only(name, (db) => tracesOf(db, payment, 50), { 'operator.stored': [{ number: null, reports: [] }] })
export const newest = { userId: null, status: null, kind: null, after: null, limit: 50 }
const events = { userId: null, waiting: false, limit: 50 }
const lastDay = { from: NOON - days(1), to: NOON }
const inbox = createInbox(inboxOf(CAPABILITIES))
const november = {
  ...{ kind: null, until: null, since: null },
  ...{ from: NOON - days(21), to: NOON + days(9), live: false },
  days: [{ day: '2026-11-01', from: NOON - days(21) }],
}
const [endedWeeks, endingWeek] = [
  { from: NOON - days(21), to: NOON },
  { from: NOON, to: NOON + days(7) },
]
const walk = { id: 'cmp_1', method: 'chargily', sinceAt: NOON - days(3), startedAt: NOON - days(1) }
const step = {
  ...{ nextPage: null, calls: 1, checkouts: 1, findings: [], finishedAt: NOON, now: NOON },
  matched: [payment],
}
const further = { at: NOON, id: 'pay_7_1' }
const newestFinding = { comparisons: 1, findings: 5 }

const trail = (
  filter: Partial<Parameters<typeof trailPage>[1]['filter']>,
  index: RegExp,
  after: { at: number; id: string } | null = null,
): Planned => {
  const any = { actor: null, act: null, day: null, userId: null, paymentId: null, words: null }
  return [(db) => trailPage(db, { filter: { ...any, ...filter }, after, limit: 16 }), index]
}
const payments = (wanted: Partial<Parameters<typeof newestPayments>[1]>, index: RegExp): Planned => [
  (db) => newestPayments(db, { ...newest, ...wanted }, NOON),
  index,
]
const listed = (part: (typeof LIST_PARTS)[keyof typeof LIST_PARTS], index: RegExp): Planned => [
  (db) => listedUsers(db, new Map([[part, lastDay]]), null, 50),
  index,
]

/** Counts the receipts of one series, as if five of it were not counted yet. */
const uncountedReceipts: Planned = [
  async (database) => {
    const answers: Readonly<Record<string, readonly Row[]>> = {
      'figures.uncounted': [{ receipts: 5 }],
      'figures.lock_series': [{ series: '2025', last_number: 1_990 }],
    }
    const query: typeof database.query = async (asked, values) =>
      answers[asked.name] ?? (await database.query(asked, values))
    const transaction = (run: (of: typeof database) => unknown) => run({ query })
    await countReceipts({ query, transaction } as Database, 5, 'Africa/Algiers')
  },
  /receipts_number_once[\s\S]*payments_(by_id|by_paid_at|of_user|newest)/,
]

/** Of one user, payment, comparison or word. */
export const CONSOLE: readonly Planned[] = [
  [
    (db) => findUsersByWord(db, readSearch('user-7@host.example', true)),
    /users_by_id[\s\S]*users_by_email[\s\S]*(user_search_by_key[\s\S]*){6}/,
  ],
  [
    (db) => {
      const receipt = { series: '2025', number: 7 }
      return findPaymentsByWord(db, { word: '2025-000007', receipt }, ['2025-000007'])
    },
    /payments_by_id[\s\S]*payments_by_reference[\s\S]*receipts_number_once/,
  ],
  [(db) => findPaymentsByPart(db, ['K4M9']), /payments_reference_begins[\s\S]*payments_reference_ends/],
  // It reads the payments of the day; on this one there are none.
  [
    (db) => {
      const day = { from: NOON - days(20), to: NOON - days(19) }
      return findPaymentsByAmount(db, { ending: 2000, digits: 4 }, day)
    },
    /payments_by_paid_at[\s\S]*payments_in_review[\s\S]*payments_newest/,
  ],
  [(db) => paidByDay(db, { first: '2026-11-01', last: '2026-11-30', live: true }), /daily_figures_once/],
  [
    (db) => timelinePage(db, { userId: 'user-7', now: NOON, after: null, limit: 50 }),
    /audit_by_id[\s\S]*mails_once[\s\S]*outbox_in_sequence[\s\S]*provider_events/,
  ],
  [(db) => selectSession(db, 'digest', NOON), /operator_sessions_(session_digest_key|by_end)/],
  [(db) => liveSessions(db, NOON), /operator_sessions_by_end/],
  payments({ userId: 'user-7' }, /Index Cond: \(+user_id = /),
  [(db) => deleteSession(db, 'ops_1'), /operator_sessions_by_id/],
  [(db) => grantsOfUser(db, 'user-7', 50), /grants_(by_id|once)/],
  [(db) => actsOnUser(db, 'user-7', 50), /audit_by_id/],
  [(db) => findAct(db, { userId: NO_USER, operationId: 'ticket-4711' }), /audit_operations/],
  [(db) => findRefundInstant(db, ofPayment), /audit_(of_payment|by_id)/],
  [(db) => actsOnUser(db, NO_USER, 20), /audit_by_id/],
  trail({ userId: 'user-7' }, /audit_(by_id|of_payment|operations)/),
  trail({ paymentId: 'pay_7_5' }, /payments_by_id|audit_(of_payment|by_id)/),
  [(db) => findFinding(db, findingNamed('differs chargily chk_7_5 user-7')), /comparison_findings_once/],
  [(db) => sameProofsOf(db, ofPayment), /transfer_proofs_same/],
  [(db) => findPaymentWithUser(db, 'pay_7_5'), /payments_by_id[\s\S]*users_by_id/],
  [traces('operator.received'), /provider_events_once/],
  [traces('operator.sent'), /outbox_in_sequence/],
  [traces('operator.stored'), /payments_by_id[\s\S]*receipts_one_per_payment/],
  [traces('operator.acts_on_payment'), /audit_(of_payment|by_id)/],
  [(db) => findTransfer(db, ofPayment), /transfers_one_per_payment/],
  [(db) => listProofs(db, ofPayment), /transfer_proofs_(by_number|differ)/],
  [(db) => listComparisons(db, 'cmp_1', { comparisons: 1, findings: 1_000 }), /comparison_findings_newest/],
  [(db) => findWrittenEvent(db, 'evt_7_1'), /outbox_by_id[\s\S]*users_by_id/],
]

const INBOX =
  'payments_in_review transfers_to_decide payments_second comparison_findings_newest users_deliver ' +
  'mails_failed payments_transfers_open'

/** Across users. */
export const CONSOLE_LISTS: readonly Planned[] = [
  [
    (db) => inboxPage(db, inbox, { kind: null, after: null, limit: 50, now: NOON }),
    new RegExp(INBOX.replaceAll(' ', '[^]*')),
  ],
  [(db) => inboxOfUser(db, inbox, { userId: 'user-7', limit: 50, now: NOON }), /users_by_id/],
  trail({}, /audit_newest/),
  trail({}, /audit_newest[\s\S]*Index Cond: .*ROW\(acted_at, id\) < ROW/, { at: NOON, id: 'act_1' }),
  trail({ day: lastDay }, /audit_newest/),
  trail({ actor: 'amina' }, /audit_by_actor/),
  trail({ words: 'act_7' }, /audit_by_words/),
  trail({ act: 'payment.refund' }, /audit_by_act\b/),
  [(db) => inboxCounts(db, inbox, NOON), /payments_in_review[\s\S]*mails_failed/],
  uncountedReceipts,
  [(db) => countEndings(db, endedWeeks, endingWeek), /users_by_end[\s\S]*users_ended[\s\S]*users_by_end/],
  [(db) => refundedByDay(db, november), /audit_by_act\b/],
  [(db) => entriesOf(db, 'payment', november, null, 5), /payments_by_paid_at/],
  [(db) => entriesOf(db, 'refund', november, null, 5), /audit_by_act\b/],
  [
    (db) => entriesOf(db, 'payment', november, further, 50),
    /payments_by_paid_at[\s\S]*Index Cond: .*paid_at >=/,
  ],
  [
    (db) => entriesOf(db, 'refund', november, further, 50),
    /audit_by_act\b[\s\S]*Index Cond: .*ROW\(acted_at, id\) > ROW/,
  ],
  [
    (db) => salesLines(db, { ...november, filter: { tax: null, side: null } }, null, 50),
    /payments_by_paid_at[\s\S]*audit_by_act\b/,
  ],
  [(db) => salesByTax(db, november), /payments_by_paid_at[\s\S]*audit_by_act\b/],
  listed(LIST_PARTS.byEnd, /users_by_end/),
  listed(LIST_PARTS.ended, /users_ended/),
  listed(LIST_PARTS.unpaid, /users_unpaid/),
  listed(LIST_PARTS.withBalance, /users_with_balance/),
  payments({ status: 'review' }, /payments_listed/),
  payments({ kind: 'transfer' }, /payments_listed/),
  payments({ limit: 5 }, /payments_newest/),
  [(db) => listEvents(db, { ...events, limit: 5 }), /outbox_by_age/],
  [countWaitingEvents, /users_deliver/],
  [
    (db) => lastComparison(db, 'chargily'),
    /comparisons_unfinished[\s\S]*comparisons_newest[\s\S]*payments_newest/,
  ],
  [(db) => paymentsOfCheckouts(db, 'chargily', ['chk_7_1', 'chk_8_1']), /payments_by_reference/],
  [(db) => unmatchedPayments(db, walk, 5), /payments_by_paid_at[\s\S]*comparison_findings_once/],
  [(db) => saveComparisonStep(db, 'cmp_1', step), /comparisons_by_id/],
  [(db) => deleteOldSessions(db, NOON), /operator_sessions_by_end/],
  [only('comparisons.list', (db) => listComparisons(db, null, newestFinding)), /comparisons_newest/],
  [(db) => listComparisons(db, null, newestFinding), /comparison_findings_newest/],
]

/**
 * They read all that waits, up to a thousand of a kind, or sort it, if only by a plan that was made while the
 * table was empty.
 */
export const CONSOLE_WAITING: readonly Planned[] = [
  payments(
    { after: { createdAt: NOON, id: 'pay_7_5' }, limit: 5 },
    /payments_newest[\s\S]*Index Cond: .*ROW\(created_at, id\) </,
  ),
  [
    (db) => noteInbox(db, inbox, { now: NOON, beside: [] }),
    /payments_in_review[\s\S]*users_deliver[\s\S]*mails_failed[\s\S]*inbox_known_once/,
  ],
  [unmailedEntries, /inbox_known/],
  [(db) => markMailed(db, [{ kind: 'finding', id: 'a' }]), /inbox_known_once/],
  [
    (db) => listEvents(db, { ...events, waiting: true, limit: 5 }),
    /users_deliver[\s\S]*outbox_in_sequence|outbox_by_age[\s\S]*users_by_id/,
  ],
]
