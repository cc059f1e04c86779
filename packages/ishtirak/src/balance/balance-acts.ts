// What operators do to a balance by hand: put it right, or write down what was paid out. From the amount on
// that two operators must have seen of a transfer, two must want it here.
import { Type } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { reason } from '../acts/reason.js'
import { balanceIn, type EntryKind, type NewEntry, withEntry } from '../core/balance.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { maybeOnePerson } from '../core/sign-in.js'
import { object, request } from '../http/schemas.js'
import { BalanceQuerySchema, UserBalanceSchema } from '../ledger/balance-schemas.js'
import { loadUser, requireUser } from '../ledger/load.js'
import { type SaveDeps, saveDecided } from '../ledger/save.js'
import { type SubjectDeps, USER, UserParamsSchema } from '../ledger/subjects.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { type Ask, findAsk, saveAsk } from './asks.sql.js'
import { type ReadBalanceDeps, showBalance } from './read-balance.js'
import { balanceWords } from './words.js'

export interface BalanceActDeps extends SaveDeps, SubjectDeps {
  /** Null: one operator is enough for every amount. */
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

type Loaded = UserRecord & { readonly ask: Ask | null }

/** `entry` null: another operator is waited for. */
interface Decision {
  readonly ask: Ask
  readonly entry: NewEntry | null
}

async function load(deps: BalanceActDeps, userId: string, name: string): Promise<Loaded> {
  const user = await loadUser(deps, userId)
  return { ...user, ask: await findAsk(deps.database, userId, name) }
}

/**
 * Throws `validation_failed`, `balance_too_low` with what is missing, `second_operator_needed` where the same
 * asks again, `conflict` where two confirm it at once: it counts once, and is not asked for again.
 */
function decide(
  { subscription, ask: before }: Loaded,
  of: { readonly kind: EntryKind; readonly amount: number; readonly note?: string; readonly by: string },
  now: Instant,
  { transfers }: BalanceActDeps,
): Decision {
  const { kind, amount, note = null, by } = of
  if (amount === 0) throw wrongField('amount', 'invalid')
  const left = balanceIn(subscription) + amount
  if (amount > 0 && left > MOST)
    throw wrongField('amount', 'too_large', Math.max(MOST - balanceIn(subscription), 0))
  const missing = -left
  if (missing > 0) throw new BillingError('balance_too_low', { extra: { missing } })
  const ask = { amount, entries: subscription.balance?.entries ?? 0, by }
  const entry = { kind, amount, paymentId: null, note, at: now }
  const secondFrom = transfers?.secondApprovalFrom ?? null
  if (secondFrom === null || Math.abs(amount) < secondFrom) return { ask, entry }
  const isSame = before?.amount === amount && before.entries === ask.entries
  const isDone = before?.amount === amount && before.entries === ask.entries - 1
  if (isDone && now - (subscription.balance?.since ?? 0) < MINUTE) throw new BillingError('conflict')
  if (!isSame) return { ask, entry: null }
  if (maybeOnePerson(before.by, by)) throw new BillingError('second_operator_needed')
  return { ask, entry }
}

async function save(
  deps: BalanceActDeps,
  act: { readonly userId: string; readonly by: Parameters<typeof saveDecided>[1] },
  decided: { readonly facts: Loaded; readonly decision: Decision },
  now: Instant,
): Promise<'saved' | 'stale'> {
  const { userId, by } = act
  const { ask, entry } = decided.decision
  if (entry) {
    const subscription = withEntry(decided.facts.subscription, entry)
    const after = { subscription, entry, events: ['balance.changed'] as const }
    return saveDecided(deps, by, { userId, user: decided.facts, payment: null, after }, now)
  }
  const asked = { waits_for: 'second_operator', amount: ask.amount }
  const audit = auditEntry(deps.ids, by, { after: asked, now })
  await saveAsk(deps.database, { userId, act: by.act, ask }, audit, now)
  return 'saved'
}

function preview({ facts, decision }: { readonly facts: Loaded; readonly decision: Decision | null }) {
  const before = balanceIn(facts.subscription)
  const after = before + (decision?.entry?.amount ?? 0)
  return {
    changes: [
      { what: 'userBalance', before: String(before), after: String(after) },
      ...(decision && !decision.entry ? [{ what: 'waitsFor', before: null, after: 'secondOperator' }] : []),
    ],
    detail: null,
  }
}

const SAID = {
  roles: ['accountant'],
  on: BALANCE_OF_USER,
  countsEach: true,
  refuses: ['balance_too_low', 'second_operator_needed', 'conflict'],
} as const
const SECOND =
  'From `second_approval_from` on a second operator must say the same before it counts. 409 where there is ' +
  'less.'
const isPossible = ({ rules }: BalanceActDeps) => rules.balanceMax > 0

export const correctBalance = act<BalanceActDeps>().decides({
  ...SAID,
  name: 'balance.correct',
  operationId: 'correctBalance',
  summary: 'Put a balance right: give, or take',
  description: `The user reads the note. ${SECOND}`,
  input: CorrectionSchema,
  texts: actTexts(balanceWords, 'balance_correct'),
  load: (deps, { id }) => load(deps, id, 'balance.correct'),
  decide: (loaded, { input, by }, now, deps) =>
    decide(loaded, { ...input, kind: 'correction', by: by.operator.name }, now, deps),
  save: (deps, { id: userId, by }, { now, ...decided }) =>
    save(deps, { userId, by: { ...by, act: 'balance.correct' } }, decided, now),
  preview,
  form: { isPossible },
})

export const payOutBalance = act<BalanceActDeps>().decides({
  ...SAID,
  name: 'balance.pay_out',
  operationId: 'payOutBalance',
  summary: 'Write down what was paid out of a balance by hand',
  description: `It moves no money: pay the user first. ${SECOND}`,
  input: PayOutSchema,
  texts: actTexts(balanceWords, 'balance_pay_out'),
  load: (deps, { id }) => load(deps, id, 'balance.pay_out'),
  decide: (loaded, { input, by }, now, deps) =>
    decide(loaded, { ...input, amount: -input.amount, kind: 'paid_out', by: by.operator.name }, now, deps),
  save: (deps, { id: userId, by }, { now, ...decided }) =>
    save(deps, { userId, by: { ...by, act: 'balance.pay_out' } }, decided, now),
  preview,
  form: { isOffered: ({ user }) => balanceIn(user.subscription) > 0 },
})

const OperatorBalanceSchema = object('OperatorBalance', {
  user_id: Type.String(),
  ...UserBalanceSchema.properties,
})

export const getUserBalance = reading<ReadBalanceDeps>().reads({
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
