// One operator of each role, and a request for each operation of the operator's API: what a role may do is
// tried on all of them.
import { previewIdOf } from '../../packages/ishtirak/src/acts/act-routes.js'
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
  /** Of the body, what the preview tells instead of asking for it. */
  readonly tells?: string
  /** The arguments of the command that asks for the same; absent: there is none. */
  readonly command?: readonly string[]
}

const why = ['--why', 'x']
const approval = { amount: 2000, received_at: '2026-11-20', payment_method: 'ccp', why: 'x' }
const read = (path: string): readonly Attempt[] => [{ act: null, path }]

type Change = Required<Omit<Attempt, 'tells'>> & Pick<Attempt, 'tells'>

/** What is an act. `command`: without the reason. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  revokeOperatorSession: [
    {
      act: 'operator.revoke',
      path: '/sessions/x/revoke',
      body: { why: 'x' },
      command: ['operators', 'revoke', 'x'],
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
      command: ['payments', 'accept', 'x'],
    },
  ],
  approvePayment: [
    {
      act: 'payment.approve',
      path: '/payments/x/approve',
      body: approval,
      command: [
        ...['payments', 'approve', 'x', '--amount', '2000', '--received-at', '2026-11-20'],
        ...['--payment-method', 'ccp'],
      ],
    },
  ],
  refusePayment: [
    {
      act: 'payment.refuse',
      path: '/payments/x/refuse',
      body: { why: 'x' },
      command: ['payments', 'refuse', 'x'],
    },
  ],
  keepPayment: [
    {
      act: 'payment.keep',
      path: '/payments/x/keep',
      body: { why: 'x' },
      command: ['payments', 'keep', 'x'],
    },
  ],
  recordPayment: [
    {
      act: 'payment.record',
      path: '/users/x/record',
      body: { plan: 'pro', method: 'cheque', amount: 1, reference: 'x', why: 'x' },
      tells: 'amount',
      command: [
        ...['payments', 'record', 'x', '--plan', 'pro', '--method', 'cheque'],
        ...['--amount', '1', '--reference', 'x'],
      ],
    },
  ],
  recordRefund: [
    {
      act: 'payment.refund',
      path: '/payments/x/refund',
      body: { why: 'x' },
      command: ['payments', 'refund', 'x'],
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
      command: ['users', 'grant', 'x', '--days', '30'],
    },
    {
      act: 'user.grant_long',
      path: '/users/x/grant',
      body: { days: 31, why: 'x' },
      command: ['users', 'grant', 'x', '--days', '31'],
    },
  ],
  endAccess: [
    {
      act: 'user.end',
      path: '/users/x/end',
      body: { why: 'x' },
      command: ['users', 'end', 'x'],
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
  closeFinding: [
    {
      act: 'finding.close',
      path: '/findings/x/close',
      body: { kind: 'differs', why: 'x' },
      command: ['findings', 'close', 'x', '--kind', 'differs'],
    },
  ],
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
      command: ['events', 'skip', 'x'],
    },
  ],
  createCodes: [
    {
      act: 'codes.create',
      path: '/codes/create',
      body: { kind: 'percent', percent: 10, count: 1, why: 'x' },
      command: ['codes', 'create', '--kind', 'percent', '--percent', '10', '--count', '1'],
    },
  ],
  revokeCodes: [
    {
      act: 'codes.revoke',
      path: '/codes/x/revoke',
      body: { why: 'x' },
      command: ['codes', 'revoke', 'x'],
    },
  ],
}

function changing({ command, body, ...attempt }: Change): Attempt {
  return { ...attempt, body, command: 'why' in body ? [...command, ...why] : command }
}

/** A preview is asked with the same members, without the reason. */
function previewing({ act, path, body, command, tells = '' }: Change): Attempt {
  const { why: _, [tells]: __, ...members }: Readonly<Record<string, unknown>> = { ...body }
  const query = new URLSearchParams(Object.entries(members).map(([name, value]) => [name, String(value)]))
  return { act, path: query.size === 0 ? path : `${path}?${query}`, command: [...command, '--preview'] }
}

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
  listOperatorSessions: read('/sessions'),
  getUserFile: read('/users/x'),
  listReconciliations: read('/reconciliations'),
  listEvents: read('/events'),
  listCodeBatches: read('/codes'),
  getCodeBatch: read('/codes/x'),
  downloadProof: [
    {
      act: 'payment.read_proof',
      path: '/payments/x/proofs/1',
      command: ['payments', 'proof', 'x', '--out', 'no-proof'],
    },
  ],
  continueReconciliation: [{ act: 'reconciliation.start', path: '/reconciliations/x/continue' }],
  downloadBackup: [{ act: 'database.backup', path: '/backup', command: ['backup', 'no-backup'] }],
  ...Object.fromEntries(
    Object.entries(CHANGES).flatMap(([operationId, changes]) => [
      [operationId, changes.map(changing)],
      [previewIdOf({ operationId }), changes.map(previewing)],
    ]),
  ),
}
