// What operators do to a balance by hand: put it right, or write down what was paid out. From the amount on
// that two operators must have seen of a transfer, it is the owner's alone.
import { Type } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import type { OperatorAct } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { reason } from '../acts/reason.js'
import { balanceIn, type NewEntry, withEntry } from '../core/balance.js'
import { BillingError, wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { requireRole } from '../core/role.js'
import { object, request } from '../http/schemas.js'
import { BalanceQuerySchema, UserBalanceSchema } from '../ledger/balance-schemas.js'
import { type ChangeDeps, changeBy } from '../ledger/change-user.js'
import { loadUser, requireUser } from '../ledger/load.js'
import { type SubjectDeps, USER, UserParamsSchema } from '../ledger/subjects.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { showBalance } from './read-balance.js'
import { balanceWords } from './words.js'

export interface BalanceActDeps extends ChangeDeps, SubjectDeps {
  /** Null: an accountant may move every amount. */
  readonly transfers: { readonly secondApprovalFrom: number | null } | null
}

const note = Type.Optional(
  Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}]+$', description: 'For the user to read' }),
)
/** Of an amount, and of what a correction leaves on a balance. */
const MOST = 100_000_000

const CorrectionSchema = request('BalanceCorrection', {
  amount: Type.Integer({
    minimum: -MOST,
    maximum: MOST,
    description: 'Whole dinars; below zero to take',
    examples: [-500],
  }),
  note,
  why: reason,
})
const PayOutSchema = request('BalancePayOut', {
  amount: Type.Integer({ minimum: 1, maximum: MOST, description: 'Whole dinars', examples: [3_000] }),
  note,
  why: reason,
})

const BALANCE_OF_USER = { ...USER, command: { group: 'balance', argument: 'user' } }

/**
 * Throws `validation_failed`, `balance_too_low` with what is missing, and `role_not_allowed` for an amount
 * that is the owner's alone.
 */
function decide(
  { subscription }: UserRecord,
  of: Pick<NewEntry, 'kind' | 'amount'> & { readonly note?: string; readonly by: OperatorAct },
  now: Instant,
  { transfers }: BalanceActDeps,
): NewEntry {
  const { kind, amount, note = null, by } = of
  if (amount === 0) throw wrongField('amount', 'invalid')
  const left = balanceIn(subscription) + amount
  if (amount > 0 && left > MOST)
    throw wrongField('amount', 'too_large', Math.max(MOST - balanceIn(subscription), 0))
  const missing = -left
  if (missing > 0) throw new BillingError('balance_too_low', { extra: { missing } })
  const ownersFrom = transfers?.secondApprovalFrom ?? null
  if (ownersFrom !== null && Math.abs(amount) >= ownersFrom)
    requireRole(by.operator, { name: by.act, roles: [] }, { most: ownersFrom - 1 })
  return { kind, amount, paymentId: null, note, at: now }
}

function save(
  deps: BalanceActDeps,
  { id: userId, by }: { readonly id: string; readonly by: OperatorAct },
  { facts: user, decision: entry, now }: { facts: UserRecord; decision: NewEntry; now: Instant },
): Promise<'saved' | 'stale'> {
  const subscription = withEntry(user.subscription, entry)
  const revision = { subscription, entry, events: ['balance.changed'] as const }
  return changeBy(deps, by, { userId, user }, { revision, now })
}

function preview({ facts, decision }: { readonly facts: UserRecord; readonly decision: NewEntry | null }) {
  const before = balanceIn(facts.subscription)
  const after = before + (decision?.amount ?? 0)
  return { changes: [{ what: 'userBalance', before: String(before), after: String(after) }], detail: null }
}

const SAID = {
  roles: ['accountant'],
  on: BALANCE_OF_USER,
  countsEach: true,
  refuses: ['balance_too_low'],
} as const
const OWNERS = 'From `second_approval_from` on it is the owner’s alone. 409 where there is less.'
const isPossible = ({ rules }: BalanceActDeps) => rules.balanceMax > 0

export const correctBalance = act<BalanceActDeps>().decides({
  ...SAID,
  name: 'balance.correct',
  operationId: 'correctBalance',
  summary: 'Put a balance right: give, or take',
  description: `The user reads the note. ${OWNERS}`,
  input: CorrectionSchema,
  texts: actTexts(balanceWords, 'balance_correct'),
  load: (deps, { id }) => loadUser(deps, id),
  decide: (user, { input, by }, now, deps) =>
    decide(user, { ...input, kind: 'correction', by: { ...by, act: 'balance.correct' } }, now, deps),
  save: (deps, { id, by }, decided) => save(deps, { id, by: { ...by, act: 'balance.correct' } }, decided),
  preview,
  form: { isPossible },
})

export const payOutBalance = act<BalanceActDeps>().decides({
  ...SAID,
  name: 'balance.pay_out',
  operationId: 'payOutBalance',
  summary: 'Write down what was paid out of a balance by hand',
  description: `It moves no money: pay the user first. ${OWNERS}`,
  input: PayOutSchema,
  texts: actTexts(balanceWords, 'balance_pay_out'),
  load: (deps, { id }) => loadUser(deps, id),
  decide: (user, { input: { amount, note }, by }, now, deps) => {
    const of = { kind: 'paid_out', amount: -amount, by: { ...by, act: 'balance.pay_out' } } as const
    return decide(user, { ...of, ...(note !== undefined && { note }) }, now, deps)
  },
  save: (deps, { id, by }, decided) => save(deps, { id, by: { ...by, act: 'balance.pay_out' } }, decided),
  preview,
  form: { isOffered: ({ user }) => balanceIn(user.subscription) > 0 },
})

const OperatorBalanceSchema = object('OperatorBalance', {
  user_id: Type.String(),
  ...UserBalanceSchema.properties,
})

export const getUserBalance = reading<ChangeDeps>().reads({
  path: '/users/:user_id/balance',
  operationId: 'getUserBalance',
  summary: 'The balance of a user: what there is, the standing order, and each change, newest first',
  params: UserParamsSchema,
  query: BalanceQuerySchema,
  answer: OperatorBalanceSchema,
  refuses: ['not_found', 'invalid_cursor'],
  command: { usage: 'balance show <user>' },
  read: async (deps, { params: { user_id }, query }) => {
    await requireUser(deps, user_id)
    return { user_id, ...(await showBalance(deps, user_id, query)) }
  },
})
