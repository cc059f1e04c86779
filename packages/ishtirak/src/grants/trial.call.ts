// A trial: the days of a plan that the platform gives once to a user who never had paid time. It is granted
// time with rules of its own (core/subscription.ts): it has no grace, and purchases start at its end.
import { type Static, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { BillingError, wrongField } from '../core/error.js'
import { decideGrant } from '../core/grant.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import { planById, soldPlan } from '../core/plan.js'
import { statusAt } from '../core/subscription.js'
import { request } from '../http/schemas.js'
import { type ChangeDeps, changeUser, type Decided } from '../ledger/change-user.js'
import { hadPaidTime } from '../ledger/grants.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import type { UserFacts } from '../ledger/revision.js'
import { type BillingStatus, BillingStatusSchema, viewStatus } from '../ledger/schemas.js'
import { findUser, rememberUser } from '../ledger/users.sql.js'

export type TrialDeps = ChangeDeps & Pick<CommonParts, 'catalogue'>

const TrialRequestSchema = request('TrialRequest', {
  plan: Type.String({ description: 'A plan with `trial_days`', examples: ['pro'] }),
})

export interface TrialCalls {
  /** Only once, for a user who never had paid time. Throws `conflict` otherwise. */
  startTrial(userId: string, request: Static<typeof TrialRequestSchema>): Promise<BillingStatus>
}

const startTrial = userCall<TrialDeps>()({
  name: 'startTrial',
  operationId: 'startTrial',
  summary: 'Start a trial',
  description:
    'Gives the `trial_days` of the plan once, to a user who never had paid time; 409 `conflict` otherwise, ' +
    'and for a repetition. What the user buys during the trial starts at its end. A trial has no grace.',
  method: 'POST',
  path: '/trial',
  byPlatform: true,
  input: TrialRequestSchema,
  answer: BillingStatusSchema,
  example: { payment_method: null },
  refuses: ['malformed_json', 'unknown_plan', 'conflict'],
  run: async (deps, { user: { userId }, input }) => {
    const trial = trialOf(deps, input.plan)
    return changeUser(deps, {
      what: 'a trial',
      inTurnOf: userId,
      load: async () => ({ userId, user: await findUser(deps.database, userId) }),
      decide: ({ user }, now) => decideTrial(deps, { userId, user, trial }, now),
    })
  },
})

async function decideTrial(
  deps: TrialDeps,
  { userId, user, trial }: UserFacts & { readonly trial: ReturnType<typeof trialOf> },
  now: Instant,
): Promise<Decided<BillingStatus>> {
  if (!user) {
    await rememberUser(deps.database, { userId }, now)
    return { result: 'stale' }
  }
  // After the user: what is bought or given in between makes them stale.
  const end = timestampOrNull(user.subscription.paidUntil)
  const refused = new BillingError('conflict', { extra: { current_period_end: end } })
  if (await hadPaidTime(deps.database, userId)) throw refused
  const wanted = { ...trial, id: deps.ids.next('tri', now), operationId: null }
  const revision = decideGrant(user.subscription, wanted, now, deps.rules)
  if (!revision) throw refused
  return { revision, result: viewStatus(statusAt(revision.subscription, now, deps.rules)) }
}

/** Throws `unknown_plan`, and `validation_failed` for a plan without a trial. */
function trialOf({ catalogue }: TrialDeps, planId: string) {
  const sold = planById(catalogue, planId)
  if (!sold) throw new BillingError('unknown_plan')
  if (sold.trialDays === undefined) throw wrongField('plan', 'not_allowed')
  return { plan: soldPlan(sold), days: sold.trialDays }
}

export const trialCalls = [startTrial]
