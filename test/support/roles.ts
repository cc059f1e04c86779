// One operator of each role, and a request for each operation of the operator's API: what a role may do is
// tried on all of them.
import { ROLES, type Role } from '../../packages/ishtirak/src/core/role.js'

export const ROLE_KEYS = Object.fromEntries(
  ROLES.map((role) => [role, `key-of-the-${role}-of-the-tests`]),
) as Readonly<Record<Role, string>>

/** For the environment of a world. Each is named as their role. */
export const ROLES_ENV = {
  OPERATOR_KEYS: ROLES.map((role) => `${role}:${role}:${ROLE_KEYS[role]}`).join(','),
  CODE_KEYS: 'a-key-for-the-codes-of-the-tests',
}

interface Attempt {
  /** Null: every role may. */
  readonly act: string | null
  /** Below `/api/v1/operator`; of nothing that there is, so that nothing changes. */
  readonly path: string
  readonly body?: object
  /** The arguments of the command that asks for the same; absent: there is none. */
  readonly command?: readonly string[]
}

const why = ['--why', 'x']
const approval = { amount: 2000, received_at: '2026-11-20', payment_method: 'ccp', why: 'x' }
const taken = { user_id: 'user-0', plan: 'pro', method: 'cheque', amount: 1, reference: 'x', why: 'x' }
const read = (path: string): readonly Attempt[] => [{ act: null, path }]

/** By the ids of the OpenAPI document; main/roles.test.ts holds them against it. */
export const ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  search: read('/search?q=x'),
  readInbox: read('/inbox'),
  readTrail: read('/audit'),
  readHealth: read('/health'),
  getTimeline: read('/users/x/timeline'),
  getMonth: read('/months/2026-11'),
  getJournal: read('/months/2026-11/receipts'),
  exportAccounts: [
    {
      act: 'payments.export',
      path: '/exports/accounts?month=2026-11',
      command: ['export', 'accounts', '--month', '2026-11'],
    },
  ],
  listAllPayments: read('/payments'),
  getPaymentFile: read('/payments/x'),
  previewRecordRefund: [
    {
      act: 'payment.refund',
      path: '/payments/x/refund',
      command: ['payments', 'refund', 'x', '--preview'],
    },
  ],
  previewGrantDays: [
    {
      act: 'user.grant',
      path: '/users/x/grant?days=30',
      command: ['users', 'grant', 'x', '--days', '30', '--preview'],
    },
  ],
  previewEndAccess: [{ act: 'user.end', path: '/users/x/end', command: ['users', 'end', 'x', '--preview'] }],
  previewApprovePayment: [
    {
      act: 'payment.approve',
      path: '/payments/x/approve?amount=2000&received_at=2026-11-20&payment_method=ccp',
      command: [
        ...['payments', 'approve', 'x', '--amount', '2000', '--received-at', '2026-11-20'],
        ...['--payment-method', 'ccp', '--preview'],
      ],
    },
  ],
  previewRefusePayment: [
    {
      act: 'payment.refuse',
      path: '/payments/x/refuse',
      command: ['payments', 'refuse', 'x', '--preview'],
    },
  ],
  previewKeepPayment: [
    { act: 'payment.keep', path: '/payments/x/keep', command: ['payments', 'keep', 'x', '--preview'] },
  ],
  previewResendReceipt: [
    {
      act: 'payment.resend_receipt',
      path: '/payments/x/resend-receipt',
      command: ['payments', 'resend-receipt', 'x', '--preview'],
    },
  ],
  previewRecheckPayment: [
    {
      act: 'payment.recheck',
      path: '/payments/x/recheck',
      command: ['payments', 'recheck', 'x', '--preview'],
    },
  ],
  previewAcceptPayment: [
    {
      act: 'payment.accept',
      path: '/payments/x/accept',
      command: ['payments', 'accept', 'x', '--preview'],
    },
  ],
  listOperatorSessions: read('/sessions'),
  revokeOperatorSession: [
    {
      act: 'operator.revoke',
      path: '/sessions/x/revoke',
      body: { why: 'x' },
      command: ['operators', 'revoke', 'x', ...why],
    },
  ],
  getUserFile: read('/users/x'),
  listReconciliations: read('/reconciliations'),
  listEvents: read('/events'),
  listCodeBatches: read('/codes'),
  getCodeBatch: read('/codes/x'),
  recordPayment: [
    {
      act: 'payment.record',
      path: '/payments',
      body: taken,
      command: [
        ...['payments', 'record', '--user', 'user-0', '--plan', 'pro', '--method', 'cheque'],
        ...['--amount', '1', '--reference', 'x', ...why],
      ],
    },
  ],
  recheckPayment: [
    {
      act: 'payment.recheck',
      path: '/payments/x/recheck',
      body: {},
      command: ['payments', 'recheck', 'x'],
    },
  ],
  acceptPayment: [
    {
      act: 'payment.accept',
      path: '/payments/x/accept',
      body: { why: 'x' },
      command: ['payments', 'accept', 'x', ...why],
    },
  ],
  approvePayment: [
    {
      act: 'payment.approve',
      path: '/payments/x/approve',
      body: approval,
      command: [
        ...['payments', 'approve', 'x', '--amount', '2000', '--received-at', '2026-11-20'],
        ...['--payment-method', 'ccp', ...why],
      ],
    },
  ],
  refusePayment: [
    {
      act: 'payment.refuse',
      path: '/payments/x/refuse',
      body: { why: 'x' },
      command: ['payments', 'refuse', 'x', ...why],
    },
  ],
  downloadProof: [
    {
      act: 'payment.read_proof',
      path: '/payments/x/proofs/1',
      command: ['payments', 'proof', 'x', '--out', 'no-proof'],
    },
  ],
  keepPayment: [
    {
      act: 'payment.keep',
      path: '/payments/x/keep',
      body: { why: 'x' },
      command: ['payments', 'keep', 'x', ...why],
    },
  ],
  recordRefund: [
    {
      act: 'payment.refund',
      path: '/payments/x/refund',
      body: { why: 'x' },
      command: ['payments', 'refund', 'x', ...why],
    },
  ],
  resendReceipt: [
    {
      act: 'payment.resend_receipt',
      path: '/payments/x/resend-receipt',
      body: {},
      command: ['payments', 'resend-receipt', 'x'],
    },
  ],
  grantDays: [
    {
      act: 'user.grant',
      path: '/users/x/grant',
      body: { days: 30, why: 'x' },
      command: ['users', 'grant', 'x', '--days', '30', ...why],
    },
    {
      act: 'user.grant_long',
      path: '/users/x/grant',
      body: { days: 31, why: 'x' },
      command: ['users', 'grant', 'x', '--days', '31', ...why],
    },
  ],
  endAccess: [
    {
      act: 'user.end',
      path: '/users/x/end',
      body: { why: 'x' },
      command: ['users', 'end', 'x', ...why],
    },
  ],
  startReconciliation: [
    {
      act: 'reconciliation.start',
      path: '/reconciliations/start',
      body: { since: '2026-11-20' },
      command: ['reconcile', '--since', '2026-11-20'],
    },
  ],
  continueReconciliation: [{ act: 'reconciliation.start', path: '/reconciliations/x/continue' }],
  closeFinding: [
    {
      act: 'finding.close',
      path: '/findings/x/close',
      body: { kind: 'differs', why: 'x' },
      command: ['findings', 'close', 'x', '--kind', 'differs', ...why],
    },
  ],
  downloadBackup: [{ act: 'database.backup', path: '/backup', command: ['backup', 'no-backup'] }],
  resendEvent: [
    { act: 'event.resend', path: '/events/x/resend', body: {}, command: ['events', 'resend', 'x'] },
  ],
  resendWaitingEvents: [
    {
      act: 'event.resend_waiting',
      path: '/events/resend-waiting',
      body: {},
      command: ['events', 'resend-waiting'],
    },
  ],
  skipEvent: [
    {
      act: 'event.skip',
      path: '/events/x/skip',
      body: { why: 'x' },
      command: ['events', 'skip', 'x', ...why],
    },
  ],
  previewCreateCodes: [
    {
      act: 'codes.create',
      path: '/codes/create?kind=percent&percent=10&count=1',
      command: ['codes', 'create', '--kind', 'percent', '--percent', '10', '--count', '1', '--preview'],
    },
  ],
  previewRevokeCodes: [
    { act: 'codes.revoke', path: '/codes/x/revoke', command: ['codes', 'revoke', 'x', '--preview'] },
  ],
  previewStartReconciliation: [
    {
      act: 'reconciliation.start',
      path: '/reconciliations/start?since=2026-11-20',
      command: ['reconcile', '--since', '2026-11-20', '--preview'],
    },
  ],
  previewCloseFinding: [
    {
      act: 'finding.close',
      path: '/findings/x/close?kind=differs',
      command: ['findings', 'close', 'x', '--kind', 'differs', '--preview'],
    },
  ],
  previewRevokeOperatorSession: [
    {
      act: 'operator.revoke',
      path: '/sessions/x/revoke',
      command: ['operators', 'revoke', 'x', '--preview'],
    },
  ],
  previewResendEvent: [
    {
      act: 'event.resend',
      path: '/events/x/resend',
      command: ['events', 'resend', 'x', '--preview'],
    },
  ],
  previewResendWaitingEvents: [
    {
      act: 'event.resend_waiting',
      path: '/events/resend-waiting',
      command: ['events', 'resend-waiting', '--preview'],
    },
  ],
  previewSkipEvent: [
    { act: 'event.skip', path: '/events/x/skip', command: ['events', 'skip', 'x', '--preview'] },
  ],
  createCodes: [
    {
      act: 'codes.create',
      path: '/codes/create',
      body: { kind: 'percent', percent: 10, count: 1, why: 'x' },
      command: ['codes', 'create', '--kind', 'percent', '--percent', '10', '--count', '1', ...why],
    },
  ],
  revokeCodes: [
    {
      act: 'codes.revoke',
      path: '/codes/x/revoke',
      body: { why: 'x' },
      command: ['codes', 'revoke', 'x', ...why],
    },
  ],
}
