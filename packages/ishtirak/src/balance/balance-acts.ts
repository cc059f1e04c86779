// Operators correct a balance, or record what was paid out by hand. Amounts that need two operators for a
// transfer are reserved to the owner here.
import { Type } from 'typebox'
import { type ActPlan, act, type Call, change, reason } from '../acts/act.js'
import { reading } from '../acts/reading.js'
import { balanceIn, type NewEntry, withEntry } from '../core/balance.js'
import { BillingError, wrongField } from '../core/error.js'
import { requireRole } from '../core/role.js'
import { object, request } from '../http/schemas.js'
import { BalanceQuerySchema, UserBalanceSchema } from '../ledger/balance-schemas.js'
import { type ChangeDeps, changeBy } from '../ledger/change-user.js'
import { loadUser, requireUser } from '../ledger/load.js'
import { type SubjectDeps, USER, UserParamsSchema } from '../ledger/subjects.js'
import { showBalance } from './balance.call.js'

export interface BalanceActDeps extends ChangeDeps, SubjectDeps {
  /** Null: an accountant may move every amount. */
  readonly transfers: { readonly secondApprovalFrom: number | null } | null
}

const note = Type.Optional(
  Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}]+$', description: 'The user reads this note' }),
)
/** The largest amount of an act, and the largest balance after a correction. */
const AMOUNT_MAX = 100_000_000

const CorrectionSchema = request('BalanceCorrection', {
  amount: Type.Integer({
    minimum: -AMOUNT_MAX,
    maximum: AMOUNT_MAX,
    description: 'Whole dinars; below zero to take',
    examples: [-500],
  }),
  note,
  why: reason,
})
const PayOutSchema = request('BalancePayOut', {
  amount: Type.Integer({ minimum: 1, maximum: AMOUNT_MAX, description: 'Whole dinars', examples: [3_000] }),
  note,
  why: reason,
})

const BALANCE_OF_USER = { ...USER, command: { group: 'balance', argument: 'user' } }

/** Throws `validation_failed`, `balance_too_low`, and `role_not_allowed` for amounts of the owner. */
async function planEntry(
  deps: BalanceActDeps,
  { id: userId, by }: Call<unknown>,
  { kind, amount, note = null }: Pick<NewEntry, 'kind' | 'amount'> & { readonly note?: string | null },
): Promise<ActPlan> {
  const user = await loadUser(deps, userId)
  const before = balanceIn(user.subscription)
  if (amount === 0) throw wrongField('amount', 'invalid')
  const after = before + amount
  if (amount > 0 && after > AMOUNT_MAX)
    throw wrongField('amount', 'too_large', Math.max(AMOUNT_MAX - before, 0))
  if (after < 0) throw new BillingError('balance_too_low', { extra: { missing: -after } })
  const ownersFrom = deps.transfers?.secondApprovalFrom ?? null
  if (ownersFrom !== null && Math.abs(amount) >= ownersFrom)
    requireRole(by.operator, { name: by.act, roles: [] }, { most: ownersFrom - 1 })
  return {
    version: user.version,
    changes: [change.dinars('userBalance', before, after)],
    save: () => {
      const now = deps.clock.now()
      const entry: NewEntry = { kind, amount, paymentId: null, note, at: now }
      const subscription = withEntry(user.subscription, entry)
      const revision = { subscription, entry, events: ['balance.changed'] as const }
      return changeBy(deps, by, { userId, user }, { revision, now })
    },
  }
}

const SHARED = {
  roles: ['accountant'],
  on: BALANCE_OF_USER,
  bulk: true,
  countsEach: true,
  refuses: ['balance_too_low'],
} as const
const OWNER_ALONE = 'From `second_approval_from` on it is the owner’s alone. 409 where there is less.'

export const correctBalance = act<BalanceActDeps>()({
  ...SHARED,
  name: 'balance.correct',
  operationId: 'correctBalance',
  summary: 'Put a balance right: give, or take',
  description: `The user reads the note. ${OWNER_ALONE}`,
  input: CorrectionSchema,
  isOffered: (_file, { rules }) => rules.balanceMax > 0,
  plan: (deps, call) => planEntry(deps, call, { ...call.input, kind: 'correction' }),
})

export const payOutBalance = act<BalanceActDeps>()({
  ...SHARED,
  name: 'balance.pay_out',
  rank: 'destructive',
  operationId: 'payOutBalance',
  summary: 'Write down what was paid out of a balance by hand',
  description: `It moves no money: pay the user first. ${OWNER_ALONE}`,
  input: PayOutSchema,
  isOffered: ({ user }) => balanceIn(user.subscription) > 0,
  plan: (deps, call) =>
    planEntry(deps, call, { ...call.input, kind: 'paid_out', amount: -call.input.amount }),
})

const OperatorBalanceSchema = object('OperatorBalance', {
  user_id: Type.String(),
  ...UserBalanceSchema.properties,
})

export const getUserBalance = reading<ChangeDeps>()({
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
