// What the console asks, with the index that each statement rides on.

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
import type { Database, Queryable, Row } from '../../packages/ishtirak/src/database/database.js'
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

export type Run = (database: Queryable) => Promise<unknown>
export type Asked = [name: string, run: Run, index: RegExp]

/** Of several statements this one; the others are answered with no rows, or with these. */
const only =
  (name: string, run: Run, answers: Readonly<Record<string, readonly Row[]>> = {}): Run =>
  (database) =>
    run({
      query: async (asked, values) =>
        asked.name === name ? database.query(asked, values) : (answers[asked.name] ?? []),
    })

const payment = aPayment({ userId: 'user-7', id: 'pay_7_5' })
const ofPayment = { userId: payment.userId, paymentId: payment.id }
const traces = (name: string) =>
  only(name, (database) => tracesOf(database, payment, 50), {
    'operator.stored': [{ number: null, reports: [] }],
  })
export const newest = { userId: null, status: null, kind: null, after: null, limit: 50 }
const events = { userId: null, waiting: false, limit: 50 }
const anyAct = { actor: null, act: null, day: null, userId: null, paymentId: null, words: null }
const lastDay = { from: NOON - days(1), to: NOON }
const inbox = createInbox(inboxOf(CAPABILITIES))
const november = {
  ...{ kind: null, until: null, since: null },
  ...{ from: NOON - days(21), to: NOON + days(9), live: false },
  days: [{ day: '2026-11-01', from: NOON - days(21) }],
}
const walk = { id: 'cmp_1', method: 'chargily', sinceAt: NOON - days(3), startedAt: NOON - days(1) }
const step = {
  ...{ nextPage: null, calls: 1, checkouts: 1, findings: [], finishedAt: NOON, now: NOON },
  matched: [payment],
}
const further = { at: NOON, id: 'pay_7_1' }

/** Of one user, payment, comparison or word. */
export const CONSOLE: Asked[] = [
  [
    'the users that a word names',
    (database) => findUsersByWord(database, readSearch('user-7@host.example', true)),
    /users_by_id[\s\S]*users_by_email[\s\S]*(user_search_by_key[\s\S]*){6}/,
  ],
  [
    'the payments that a word names',
    (database) =>
      findPaymentsByWord(database, { word: '2025-000007', receipt: { series: '2025', number: 7 } }, [
        '2025-000007',
      ]),
    /payments_by_id[\s\S]*payments_by_reference[\s\S]*receipts_number_once/,
  ],
  [
    'the payments that a part of a reference names',
    (database) => findPaymentsByPart(database, ['K4M9']),
    /payments_reference_begins[\s\S]*payments_reference_ends/,
  ],
  // It reads the payments of the day; on this one there are none.
  [
    'payments of an amount on a day',
    (database) =>
      findPaymentsByAmount(
        database,
        { ending: 2000, digits: 4 },
        { from: NOON - days(20), to: NOON - days(19) },
      ),
    /payments_by_paid_at[\s\S]*payments_in_review[\s\S]*payments_newest/,
  ],
  [
    'the sums of a month',
    (database) => paidByDay(database, { first: '2026-11-01', last: '2026-11-30', live: true }),
    /daily_figures_once/,
  ],
  [
    'the timeline of a user',
    (database) => timelinePage(database, { userId: 'user-7', now: NOON, after: null, limit: 50 }),
    /audit_by_id[\s\S]*mails_once[\s\S]*outbox_in_sequence[\s\S]*provider_events/,
  ],
  [
    'a session of the console',
    (database) => selectSession(database, 'digest', NOON),
    /operator_sessions_(session_digest_key|by_end)/,
  ],
  ['the sessions of the console', (database) => liveSessions(database, NOON), /operator_sessions_by_end/],
  [
    'the newest payments of a user',
    (database) => newestPayments(database, { ...newest, userId: 'user-7' }, NOON),
    /Index Cond: \(+user_id = /,
  ],
  [
    'the end of a session of the console',
    (database) => deleteSession(database, 'ops_1'),
    /operator_sessions_by_id/,
  ],
  ['the grants of a user', (database) => grantsOfUser(database, 'user-7', 50), /grants_(by_id|once)/],
  ['the acts on a user', (database) => actsOnUser(database, 'user-7', 50), /audit_by_id/],
  [
    'the act of an operation',
    (database) => findAct(database, { userId: NO_USER, operationId: 'ticket-4711' }),
    /audit_operations/,
  ],
  [
    'the refund of a payment',
    (database) => findRefundInstant(database, ofPayment),
    /audit_(of_payment|by_id)/,
  ],
  ['the acts on no user', (database) => actsOnUser(database, NO_USER, 20), /audit_by_id/],
  [
    'the trail of a user',
    (database) => trailPage(database, { filter: { ...anyAct, userId: 'user-7' }, after: null, limit: 16 }),
    /audit_(by_id|of_payment|operations)/,
  ],
  [
    'the trail of a payment',
    (database) =>
      trailPage(database, { filter: { ...anyAct, paymentId: 'pay_7_5' }, after: null, limit: 16 }),
    /payments_by_id|audit_(of_payment|by_id)/,
  ],
  [
    'a finding',
    (database) => findFinding(database, findingNamed('differs chargily chk_7_5 user-7')),
    /comparison_findings_once/,
  ],
  ['payments with the same proof', (database) => sameProofsOf(database, ofPayment), /transfer_proofs_same/],
  [
    'a payment and its user',
    (database) => findPaymentWithUser(database, 'pay_7_5'),
    /payments_by_id[\s\S]*users_by_id/,
  ],
  ['what came in about a payment', traces('operator.received'), /provider_events_once/],
  ['what went out about a payment', traces('operator.sent'), /outbox_in_sequence/],
  ['what is stored of a payment', traces('operator.stored'), /payments_by_id[\s\S]*receipts_one_per_payment/],
  ['the acts on a payment', traces('operator.acts_on_payment'), /audit_(of_payment|by_id)/],
  ['the transfer of a payment', (database) => findTransfer(database, ofPayment), /transfers_one_per_payment/],
  [
    'the proofs of a transfer',
    (database) => listProofs(database, ofPayment),
    /transfer_proofs_(by_number|differ)/,
  ],
  [
    'the findings of one comparison',
    (database) => listComparisons(database, 'cmp_1', { comparisons: 1, findings: 1_000 }),
    /comparison_findings_newest/,
  ],
  ['an event', (database) => findWrittenEvent(database, 'evt_7_1'), /outbox_by_id[\s\S]*users_by_id/],
]

/** Across users. */
export const CONSOLE_LISTS: Asked[] = [
  [
    'a page of the inbox',
    (database) => inboxPage(database, inbox, { kind: null, after: null, limit: 50, now: NOON }),
    new RegExp(
      [
        'payments_in_review',
        'transfers_to_decide',
        'payments_second',
        'comparison_findings_newest',
        'users_deliver',
        'mails_failed',
        'payments_transfers_open',
      ].join('[^]*'),
    ),
  ],
  [
    'what waits of a user',
    (database) => inboxOfUser(database, inbox, { userId: 'user-7', limit: 50, now: NOON }),
    /users_by_id/,
  ],
  [
    'the trail of all',
    (database) => trailPage(database, { filter: anyAct, after: null, limit: 16 }),
    /audit_newest/,
  ],
  [
    'a further page of the trail of all',
    (database) => trailPage(database, { filter: anyAct, after: { at: NOON, id: 'act_1' }, limit: 16 }),
    new RegExp(`audit_newest[\\s\\S]*${String.raw`Index Cond: .*ROW\(acted_at, id\) < ROW`}`),
  ],
  [
    'the trail of a day',
    (database) => trailPage(database, { filter: { ...anyAct, day: lastDay }, after: null, limit: 16 }),
    /audit_newest/,
  ],
  [
    'the trail of an operator',
    (database) => trailPage(database, { filter: { ...anyAct, actor: 'amina' }, after: null, limit: 16 }),
    /audit_by_actor/,
  ],
  [
    'the trail of a word',
    (database) => trailPage(database, { filter: { ...anyAct, words: 'act_7' }, after: null, limit: 16 }),
    /audit_by_words/,
  ],
  [
    'the trail of an act',
    (database) =>
      trailPage(database, { filter: { ...anyAct, act: 'payment.refund' }, after: null, limit: 16 }),
    /audit_by_act\b/,
  ],
  [
    'how much waits in the inbox',
    (database) => inboxCounts(database, inbox, NOON),
    /payments_in_review[\s\S]*mails_failed/,
  ],
  [
    'receipts that are not counted yet',
    async (database) => {
      // What is not counted is asked first, and the series are locked before theirs is counted.
      const answers: Readonly<Record<string, readonly Row[]>> = {
        'figures.uncounted': [{ receipts: 5 }],
        'figures.lock_series': [{ series: '2025', last_number: 1_990 }],
      }
      const transaction: Queryable = {
        query: async (asked, parameters) => answers[asked.name] ?? (await database.query(asked, parameters)),
      }
      // The one method of a database that it uses beside them.
      const pretended = {
        ...transaction,
        transaction: (run: (database: Queryable) => unknown) => run(transaction),
      }
      await countReceipts(pretended as Database, 5, 'Africa/Algiers')
    },
    /receipts_number_once[\s\S]*payments_(by_id|by_paid_at|of_user|newest)/,
  ],
  [
    'users whose time ends',
    (database) =>
      countEndings(database, { from: NOON - days(21), to: NOON }, { from: NOON, to: NOON + days(7) }),
    /users_by_end[\s\S]*users_ended[\s\S]*users_by_end/,
  ],
  ['refunds of a month by day', (database) => refundedByDay(database, november), /audit_by_act\b/],
  [
    'the first lines of the accountant’s payments',
    (database) => entriesOf(database, 'payment', november, null, 5),
    /payments_by_paid_at/,
  ],
  [
    'the first lines of the accountant’s refunds',
    (database) => entriesOf(database, 'refund', november, null, 5),
    /audit_by_act\b/,
  ],
  [
    'a further page of the journal',
    (database) => entriesOf(database, 'payment', november, further, 50),
    /payments_by_paid_at[\s\S]*Index Cond: .*paid_at >=/,
  ],
  [
    'further lines of the accountant’s refunds',
    (database) => entriesOf(database, 'refund', november, further, 50),
    /audit_by_act\b[\s\S]*Index Cond: .*ROW\(acted_at, id\) > ROW/,
  ],
  [
    'a page of the journal of sales',
    (database) => salesLines(database, { ...november, filter: { tax: null, side: null } }, null, 50),
    /payments_by_paid_at[\s\S]*audit_by_act\b/,
  ],
  [
    'the sales of a month by tax',
    (database) => salesByTax(database, november),
    /payments_by_paid_at[\s\S]*audit_by_act\b/,
  ],
  ...(
    [
      ['by their ends', LIST_PARTS.byEnd, /users_by_end/],
      ['whose access was ended', LIST_PARTS.ended, /users_ended/],
      ['who never had time', LIST_PARTS.unpaid, /users_unpaid/],
      ['with a balance', LIST_PARTS.withBalance, /users_with_balance/],
    ] as const
  ).map(
    ([name, part, index]): Asked => [
      `users ${name}`,
      (database) => listedUsers(database, new Map([[part, lastDay]]), null, 50),
      index,
    ],
  ),
  [
    'payments under review',
    (database) => newestPayments(database, { ...newest, status: 'review' }, NOON),
    /payments_listed/,
  ],
  [
    'payments by transfer',
    (database) => newestPayments(database, { ...newest, kind: 'transfer' }, NOON),
    /payments_listed/,
  ],
  [
    'the newest payments',
    (database) => newestPayments(database, { ...newest, limit: 5 }, NOON),
    /payments_newest/,
  ],
  ['the newest events', (database) => listEvents(database, { ...events, limit: 5 }), /outbox_by_age/],
  ['how many events wait', countWaitingEvents, /users_deliver/],
  [
    'when the last comparison began',
    (database) => lastComparison(database, 'chargily'),
    /comparisons_unfinished[\s\S]*comparisons_newest[\s\S]*payments_newest/,
  ],
  [
    'payments of the checkouts on a page',
    (database) => paymentsOfCheckouts(database, 'chargily', ['chk_7_1', 'chk_8_1']),
    /payments_by_reference/,
  ],
  [
    'paid payments that a comparison has not shown',
    (database) => unmatchedPayments(database, walk, 5),
    /payments_by_paid_at[\s\S]*comparison_findings_once/,
  ],
  ['a step of a comparison', (database) => saveComparisonStep(database, 'cmp_1', step), /comparisons_by_id/],
  [
    'sessions of the console that are over',
    (database) => deleteOldSessions(database, NOON),
    /operator_sessions_by_end/,
  ],
  [
    'the last comparison',
    only('comparisons.list', (database) => listComparisons(database, null, { comparisons: 1, findings: 5 })),
    /comparisons_newest/,
  ],
  [
    'the last findings',
    (database) => listComparisons(database, null, { comparisons: 1, findings: 5 }),
    /comparison_findings_newest/,
  ],
]

/**
 * They read all that waits, up to a thousand of a kind, or sort it, if only by a plan that was made while the
 * table was empty.
 */
export const CONSOLE_WAITING: Asked[] = [
  [
    'a further page of payments',
    (database) =>
      newestPayments(database, { ...newest, after: { createdAt: NOON, id: 'pay_7_5' }, limit: 5 }, NOON),
    /payments_newest[\s\S]*Index Cond: .*ROW\(created_at, id\) </,
  ],
  [
    'what entered the inbox',
    (database) => noteInbox(database, inbox, { now: NOON, beside: [] }),
    /payments_in_review[\s\S]*users_deliver[\s\S]*mails_failed[\s\S]*inbox_known_once/,
  ],
  ['what operators are to be told of', unmailedEntries, /inbox_known/],
  [
    'what operators were told of',
    (database) => markMailed(database, [{ kind: 'finding', id: 'a' }]),
    /inbox_known_once/,
  ],
  [
    'events that wait',
    (database) => listEvents(database, { ...events, waiting: true, limit: 5 }),
    /users_deliver[\s\S]*outbox_in_sequence|outbox_by_age[\s\S]*users_by_id/,
  ],
]
