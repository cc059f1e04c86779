// One operator of each role, and a request for each operation of the operator's API: what a role may do is
// tried on all of them.
import { type Act, verbOf } from '../../packages/ishtirak/src/acts/act.js'
import { addressOfAct, previewIdOf } from '../../packages/ishtirak/src/acts/act-routes.js'
import { actsOf, readingsOf } from '../../packages/ishtirak/src/acts/capability.js'
import type { Reading } from '../../packages/ishtirak/src/acts/reading.js'
import { ROLES, type Role } from '../../packages/ishtirak/src/core/role.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

export const ROLE_KEYS = Object.fromEntries(
  ROLES.map((role) => [role, `key-of-the-${role}-of-the-tests`]),
) as Readonly<Record<Role, string>>

/** Of OPERATOR_ROLES, each with all that it may. */
export const CUSTOM_ROLES = {
  till: [
    'bulk.start',
    'bulk.stop',
    'drawer.confirm',
    'drawer.count',
    'payment.record',
    'payment.read_receipt',
    'payment.resend_receipt',
    'payment.refund',
  ],
  night: ['payment.recheck', 'user.grant', 'user.grant_long', 'operator.revoke'],
}
export const customKey = (role: string) => `key-of-the-custom-${role}-of-the-tests`

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

/** Acts that ask for more than a reason. `command`: without it. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
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
  correctAddress: [
    {
      act: 'user.correct_address',
      path: '/users/x/correct-address',
      body: { email: 'right@example.dz', why: 'x' },
      command: ['users', 'correct-address', 'x', '--email', 'right@example.dz'],
    },
  ],
  correctBuyer: [
    {
      act: 'user.correct_buyer',
      path: '/users/x/correct-buyer',
      body: { kind: 'person', name: 'Lina', why: 'x' },
      command: ['users', 'correct-buyer', 'x', '--kind', 'person', '--name', 'Lina'],
    },
  ],
  countDrawer: [
    {
      act: 'drawer.count',
      path: '/drawer/x/count',
      body: { cash: 1, cheques: 1 },
      command: ['drawer', 'count', 'x', '--cash', '1', '--cheques', '1'],
    },
  ],
  correctBalance: [
    {
      act: 'balance.correct',
      path: '/users/x/correct',
      body: { amount: 1, why: 'x' },
      command: ['balance', 'correct', 'x', '--amount', '1'],
    },
  ],
  payOutBalance: [
    {
      act: 'balance.pay_out',
      path: '/users/x/pay-out',
      body: { amount: 1, why: 'x' },
      command: ['balance', 'pay-out', 'x', '--amount', '1'],
    },
  ],
  closeMonth: [
    { act: 'month.close', path: '/months/2026-11/close', body: {}, command: ['month', 'close', '2026-11'] },
  ],
  reopenMonth: [
    {
      act: 'month.reopen',
      path: '/months/2026-11/reopen',
      body: { why: 'x' },
      command: ['month', 'reopen', '2026-11'],
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
  createOperator: [
    {
      act: 'operator.create',
      path: '/operators/create',
      body: { name: 'x', role: 'support', why: 'x' },
      command: ['operators', 'create', '--name', 'x', '--role', 'support'],
    },
  ],
  setOperatorRole: [
    {
      act: 'operator.set_role',
      path: '/operators/x/set-role',
      body: { role: 'support', why: 'x' },
      command: ['operators', 'set-role', 'x', '--role', 'support'],
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
  revokeCode: [
    {
      act: 'codes.revoke_code',
      path: '/codes/revoke-code',
      body: { code: 'x', why: 'x' },
      command: ['codes', 'revoke-code', '--code', 'x'],
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
}

/** An act that asks for a reason at most. */
function changeOf(act: Act<never>): Change {
  const { group, argument } = act.on.command
  return {
    act: act.name,
    path: addressOfAct(act).replace(/:\w+/, 'x'),
    body: act.input.required?.includes('why') ? { why: 'x' } : {},
    command: [group, verbOf(act), ...(argument === undefined ? [] : ['x'])],
  }
}

/** A reading that asks for an id at most. */
const readingOf = ({ name, path }: Reading): readonly Attempt[] => [
  { act: name ?? null, path: path.replace(/:\w+/g, 'x') },
]

function changing({ command, body, ...attempt }: Change): Attempt {
  return { ...attempt, body, command: 'why' in body ? [...command, ...why] : command }
}

/** A preview is asked with the same members, without the reason. */
function previewing({ act, path, body, command, tells = '' }: Change, isPosted: boolean): Attempt {
  const { why: _, [tells]: __, ...members }: Readonly<Record<string, unknown>> = { ...body }
  const previewed = [...command, '--preview']
  if (isPosted) return { act, path: `${path}/preview`, body: members, command: previewed }
  const query = new URLSearchParams(Object.entries(members).map(([name, value]) => [name, String(value)]))
  return { act, path: query.size === 0 ? path : `${path}?${query}`, command: previewed }
}

/** By the ids of the OpenAPI document; main/roles.test.ts holds them against it. */
export const ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  ...Object.fromEntries(
    readingsOf<never>(CAPABILITIES).map((reading) => [reading.operationId, readingOf(reading)]),
  ),
  search: read('/search?q=x'),
  getMonth: read('/months/2026-11'),
  getYear: read('/years/2026'),
  exportYear: [
    {
      act: 'payments.export',
      path: '/exports/year?until=2026',
      command: ['export', 'year', '--until', '2026'],
    },
  ],
  getJournal: read('/months/2026-11/receipts'),
  getSales: [{ act: 'payments.export', path: '/months/2026-11/sales', command: ['sales', '2026-11'] }],
  getDeclaration: [
    { act: 'payments.export', path: '/months/2026-11/declaration', command: ['declaration', '2026-11'] },
  ],
  exportSales: [
    {
      act: 'payments.export',
      path: '/exports/sales?month=2026-11',
      command: ['export', 'sales', '--month', '2026-11'],
    },
  ],
  exportAccounts: [
    {
      act: 'payments.export',
      path: '/exports/accounts?month=2026-11',
      command: ['export', 'accounts', '--month', '2026-11'],
    },
  ],
  importBankStatement: [{ act: 'statement.import', path: '/statements?account=ccp' }],
  downloadProof: [
    {
      act: 'payment.read_proof',
      path: '/payments/x/proofs/1',
      command: ['payments', 'proof', 'x', '--out', 'no-proof'],
    },
  ],
  downloadReceipt: [
    {
      act: 'payment.read_receipt',
      path: '/payments/x/receipt',
      command: ['payments', 'receipt', 'x', '--to', 'no-receipt'],
    },
  ],
  continueBulk: [{ act: 'bulk.start', path: '/bulk/x/continue' }],
  continueReconciliation: [{ act: 'reconciliation.start', path: '/reconciliations/x/continue' }],
  downloadBackup: [{ act: 'database.backup', path: '/backup', command: ['backup', 'no-backup'] }],
  ...Object.fromEntries(
    actsOf<never>(CAPABILITIES).flatMap((act) => {
      const changes = CHANGES[act.operationId] ?? [changeOf(act)]
      return [
        [act.operationId, changes.map(changing)],
        [previewIdOf(act), changes.map((change) => previewing(change, act.asksByPost !== undefined))],
      ]
    }),
  ),
  // The act that it names is no act.
  startBulk: [{ act: 'bulk.start', path: '/bulk/start', body: { act: 'x', ids: ['x'], why: 'x' } }],
  previewStartBulk: [{ act: 'bulk.start', path: '/bulk/start/preview', body: { act: 'x', ids: ['x'] } }],
}
