// An operator grants days: how many the role allows, and on which plan.
import { type Static, Type } from 'typebox'
import { act, change, reason } from '../acts/act.js'
import { BillingError, wrongField } from '../core/error.js'
import { decideGrant, planToGrant } from '../core/grant.js'
import { DAY, type Instant } from '../core/instant.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import { lastPlan } from '../core/subscription.js'
import { request } from '../http/schemas.js'
import { planName } from '../i18n/messages.js'
import { type ChangeDeps, changeBy } from '../ledger/change-user.js'
import { daysGrantedBelowOwners } from '../ledger/grants.sql.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import type { UserRecord } from '../ledger/users.sql.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field } from '../pages/field.js'

export type GrantDeps = ChangeDeps & SubjectDeps

/** The most days that operators but owners grant one user in any `GRANT_SPAN`, by default. */
const GRANT_DAYS_MAX = 30
const GRANT_SPAN = 30 * DAY

const GRANT_LONG: Permission = { name: 'user.grant_long', roles: [] }
const GRANT = {
  name: 'user.grant',
  roles: ['support'],
  bound: { most: GRANT_DAYS_MAX, of: 'days', beyond: GRANT_LONG },
} as const satisfies Permission

/** A year, leap or not. More days are likely a slip. */
const GRANTED_DAYS_MAX = 366

const GrantRequestSchema = request('GrantRequest', {
  days: Type.Integer({
    minimum: 1,
    maximum: GRANTED_DAYS_MAX,
    description: 'How many, of 24 hours each',
    examples: [14],
  }),
  plan: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only for a user who never had a plan; absent: the first that is sold',
      examples: ['pro'],
    }),
  ),
  why: reason,
})

type Wanted = Static<typeof GrantRequestSchema>

export const grantDays = act<GrantDeps>()({
  ...GRANT,
  on: USER,
  operationId: 'grantDays',
  summary: 'Grant days without a payment: the end moves by so many times 24 hours',
  description: 'Without paid time the days begin now. 409 when the user has or had another plan.',
  input: GrantRequestSchema,
  rank: 'common',
  bulk: true,
  refuses: ['unknown_plan', 'plan_not_purchasable'],
  fields: async (pages, view, { id }) =>
    id === '' ? [daysField(view)] : daysFields(pages, view, await loadUser(pages, id)),
  plan: async (deps, { id: userId, input, by }) => {
    const user = await loadUser(deps, userId)
    // Read after the user: a grant in between makes the user stale, so two at once stay within the limit.
    const left = await daysLeft(deps, userId, by.operator)
    if (left !== null && input.days > left) requireRole(by.operator, GRANT_LONG, { days_left: left })
    const now = deps.clock.now()
    const revision = grantTo(deps, user, input, now, by.operationName ?? null)
    return {
      version: user.version,
      changes: [
        change.count('daysAsked', input.days),
        change.access(user.subscription, revision.subscription, now, deps.rules),
      ],
      save: () => changeBy(deps, by, { userId, user }, { revision, now }),
    }
  },
})

async function daysLeft({ database, clock }: GrantDeps, userId: string, operator: Operator) {
  const most = mostOf(operator, GRANT)
  if (most === null) return null
  const before = await daysGrantedBelowOwners(database, userId, clock.now() - GRANT_SPAN)
  return Math.max(0, most - before)
}

function grantTo(
  deps: GrantDeps,
  { subscription }: UserRecord,
  { days, plan: wanted }: Wanted,
  now: Instant,
  operationId: string | null,
) {
  const plan = planToGrant(subscription, wanted ?? null, now, deps.rules)
  if (plan === 'other_plan')
    throw new BillingError('conflict', { extra: { plan: lastPlan(subscription)?.id } })
  if (typeof plan === 'string') throw new BillingError(plan)
  const id = deps.ids.next('grt', now)
  const decided = decideGrant(subscription, { id, plan, days, operationId }, now, deps.rules)
  if (!decided) throw wrongField('days', 'too_large')
  return decided
}

/** The form asks for a plan if the user never had one. */
function daysFields({ clock, rules }: ConsolePages & GrantDeps, view: View, { subscription }: UserRecord) {
  const { say, locale } = view
  const now = clock.now()
  const plans = rules.catalogue.plans.filter(
    ({ id }) => typeof planToGrant(subscription, id, now, rules) !== 'string',
  )
  const choices = plans.map(({ id, name }) => [id, planName(name, locale)] as const)
  const plan: Field = { name: 'plan', label: say('plan'), value: '', type: 'text', choices }
  return [daysField(view), ...(choices.length > 1 ? [plan] : [])]
}

function daysField({ say, session }: View): Field {
  const most = Math.min(mostOf(session.operator, GRANT) ?? GRANTED_DAYS_MAX, GRANTED_DAYS_MAX)
  return { name: 'days', label: say('daysLabel', { most: String(most) }), value: '', type: 'number', most }
}
