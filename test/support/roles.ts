// What a role may do is tried on each operation of the operator's API.
import type { Act } from '../../packages/ishtirak/src/acts/act.js'
import { addressOfAct, previewIdOf } from '../../packages/ishtirak/src/acts/act-routes.js'
import { actsOf, readingsOf } from '../../packages/ishtirak/src/acts/capability.js'
import { ROLES, type Role } from '../../packages/ishtirak/src/core/role.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

export const ROLE_KEYS = Object.fromEntries(
  ROLES.map((role) => [role, `key-of-the-${role}-of-the-tests`]),
) as Readonly<Record<Role, string>>

export const CUSTOM_ROLES = {
  till: [
    ...['bulk.export', 'bulk.start', 'bulk.stop', 'drawer.confirm', 'drawer.count', 'payment.record'],
    ...['payment.read_receipt', 'payment.resend_receipt', 'payment.refund'],
  ],
  night: ['payment.recheck', 'user.grant', 'user.grant_long', 'operator.revoke'],
}
export const customKey = (role: string) => `key-of-the-custom-${role}-of-the-tests`

/** The environment of a world. Operators have the names of their roles. */
export const ROLES_ENV = {
  OPERATOR_KEYS: ROLES.map((role) => `${role}:${role}:${ROLE_KEYS[role]}`).join(','),
}

interface Attempt {
  readonly act: string | null
  /** Below `/api/v1/operator`; of nothing that there is, so that nothing changes. */
  readonly path: string
  readonly body?: object
}

interface Asked {
  readonly body: object
  readonly act?: string
  /** `x` if absent. */
  readonly id?: string
  /** The field of the body that the preview returns and does not take. */
  readonly tells?: string
}

const cheque = { plan: 'pro', method: 'cheque', amount: 1, reference: 'x', why: 'x' }
const transfer = { amount: 2000, received_at: '2026-11-20', payment_method: 'ccp', why: 'x' }
const ONE = { amount: 1, why: 'x' }
const ROLE = { role: 'support', why: 'x' }

const ASKED: Readonly<Record<string, readonly Asked[]>> = {
  approvePayment: [{ body: transfer }],
  recordPayment: [{ body: cheque, tells: 'amount' }],
  grantDays: [{ body: { days: 30, why: 'x' } }, { body: { days: 31, why: 'x' }, act: 'user.grant_long' }],
  correctAddress: [{ body: { email: 'right@example.dz', why: 'x' } }],
  correctBuyer: [{ body: { kind: 'person', name: 'Lina', why: 'x' } }],
  countDrawer: [{ body: { cash: 1, cheques: 1 } }],
  correctBalance: [{ body: ONE }],
  payOutBalance: [{ body: ONE }],
  closeMonth: [{ body: {}, id: '2026-11' }],
  reopenMonth: [{ body: { why: 'x' }, id: '2026-11' }],
  startReconciliation: [{ body: { since: '2026-11-20' } }],
  createOperator: [{ body: { name: 'x', ...ROLE } }],
  setOperatorRole: [{ body: ROLE }],
  closeDiscrepancy: [{ body: { why: 'x' } }],
  createCodes: [{ body: { kind: 'percent', percent: 10, count: 1, why: 'x' } }],
}

/** The request of an act, and that of its preview: the same members without the reason. */
function attemptsOf(act: Act<never>): readonly (readonly [id: string, attempts: readonly Attempt[]])[] {
  const usual = { body: act.input.required?.includes('why') ? { why: 'x' } : {} }
  const asked: readonly Asked[] = ASKED[act.operationId] ?? [usual]
  const both = asked.map(({ body, act: name = act.name, id = 'x', tells = '' }) => {
    const path = addressOfAct(act).replace(/:\w+/, id)
    const { why: _, [tells]: __, ...members }: Readonly<Record<string, unknown>> = { ...body }
    const query = new URLSearchParams(Object.entries(members).map(([key, value]) => [key, String(value)]))
    const preview = act.secret
      ? { act: name, path: `${path}/preview`, body: members }
      : { act: name, path: query.size === 0 ? path : `${path}?${query}` }
    return { change: { act: name, path, body }, preview }
  })
  return [
    [act.operationId, both.map(({ change }) => change)],
    [previewIdOf(act), both.map(({ preview }) => preview)],
  ]
}

const reading = (act: string | null, path: string): readonly Attempt[] => [{ act, path }]
const exported = (path: string) => reading('payments.export', path)

/** Keyed by the ids of the OpenAPI document; main/roles.test.ts compares both. */
export const ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  ...Object.fromEntries(
    readingsOf<never>(CAPABILITIES).map(({ operationId, name, path }) => [
      operationId,
      reading(name ?? null, path.replace(/:\w+/g, 'x')),
    ]),
  ),
  search: reading(null, '/search?q=x'),
  getMonth: reading(null, '/months/2026-11'),
  getYear: reading(null, '/years/2026'),
  getSales: reading(null, '/months/2026-11/sales'),
  getDeclaration: exported('/months/2026-11/declaration'),
  exportSales: exported('/exports/sales?month=2026-11'),
  exportAccounts: exported('/exports/accounts?month=2026-11'),
  importBankStatement: reading('statement.import', '/bank-statements?account=ccp'),
  downloadProof: reading('payment.read_proof', '/payments/x/proofs/1'),
  downloadReceipt: reading('payment.read_receipt', '/payments/x/receipt'),
  continueBulk: reading('bulk.start', '/bulk/x/continue'),
  continueReconciliation: reading('reconciliation.start', '/reconciliations/x/continue'),
  downloadBackup: reading('database.backup', '/backup'),
  ...Object.fromEntries(actsOf<never>(CAPABILITIES).flatMap(attemptsOf)),
  // The act that it names is no act.
  startBulk: [{ act: 'bulk.start', path: '/bulk/start', body: { act: 'x', ids: ['x'], why: 'x' } }],
  previewStartBulk: [{ act: 'bulk.start', path: '/bulk/start/preview', body: { act: 'x', ids: ['x'] } }],
}
