// The calls about usage and users with the platform's key, and the user's own overview.
import { type TProperties, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { countsByMonth, scopeField } from '../core/limit.js'
import type { CommonParts } from '../ledger/parts.js'
import { viewPayment, viewStatus } from '../ledger/schemas.js'
import { viewTimeList } from '../ledger/time-list.js'
import { saveProfile } from '../ledger/users.sql.js'
import { type Overview, type OverviewDeps, readOverview } from './overview.js'
import { AllowanceSchema, namesOf, platformSchemas, UserUpdateSchema } from './schemas.js'
import { type CountUsageDeps, countUsage } from './usage.js'

type Rules = Pick<CommonParts, 'rules'>

const schemasOf = ({ rules }: Rules) => platformSchemas(rules.catalogue.limits)

const user = userCall<OverviewDeps>()({
  name: 'user',
  operationId: 'getUser',
  summary: 'A user: status, limits, usage, renewal',
  description: 'An unknown user is on the free plan. All figures are of one instant.',
  method: 'GET',
  path: '',
  byPlatform: true,
  answer: (deps) => schemasOf(deps).User,
  run: async (deps, { user: { userId }, requestId }) =>
    viewPlatformUser(await readOverview(deps, userId, requestId)),
})

const updateUser = userCall<OverviewDeps>()({
  name: 'updateUser',
  operationId: 'updateUser',
  summary: 'Update a user',
  description:
    'For mail and receipts. What is absent stays, null clears. Answers with the user as they are now.',
  method: 'PUT',
  path: '',
  byPlatform: true,
  input: UserUpdateSchema,
  answer: (deps) => schemasOf(deps).User,
  refuses: ['malformed_json'],
  run: async (deps, { user: { userId }, requestId, input }) => {
    await saveProfile(deps.database, userId, input, deps.clock.now())
    return viewPlatformUser(await readOverview(deps, userId, requestId))
  },
})

/** Consume, give back and report: each is about one limit of one user and returns what is left. */
const COUNTED = {
  byPlatform: true,
  params: ({ rules }: Rules): TProperties => ({
    limit: Type.String({ description: namesOf(rules.catalogue.limits) }),
  }),
  answer: AllowanceSchema,
} as const
const COUNT_REFUSALS = ['unknown_limit', 'malformed_json'] as const

const consume = userCall<CountUsageDeps>()({
  ...COUNTED,
  name: 'consume',
  operationId: 'consumeLimit',
  summary: 'Consume',
  description:
    'Counts if there is room; yes and no are both 200. Exact under any concurrency: the figures ' +
    'come from the statement that decided. A denied operation is not remembered, so the same ' +
    '`operation_id` may be sent again after an upgrade.',
  method: 'POST',
  path: '/limits/:limit/consume',
  input: (deps) => schemasOf(deps).ConsumeRequest,
  refuses: [...COUNT_REFUSALS, 'conflict'],
  run: (deps, request) => countUsage(deps, 'consume', request, request.input.amount ?? 1),
})

const release = userCall<CountUsageDeps>()({
  ...COUNTED,
  name: 'release',
  operationId: 'releaseLimit',
  summary: 'Give back',
  description:
    'Never below zero, and nothing twice. What was consumed on a day that is over is not given back ' +
    'to today.',
  method: 'POST',
  path: '/limits/:limit/release',
  input: (deps) => schemasOf(deps).ReleaseRequest,
  refuses: [...COUNT_REFUSALS, 'conflict'],
  run: (deps, request) => countUsage(deps, 'release', request, request.input.amount ?? null),
})

const reportUsage = userCall<CountUsageDeps>()({
  ...COUNTED,
  name: 'reportUsage',
  operationId: 'reportUsage',
  summary: 'Report usage',
  description:
    'The platform’s own count, absolute. It is never refused, even above the limit. Report 0 for a ' +
    'project that is gone.',
  method: 'PUT',
  path: '/limits/:limit/usage',
  input: (deps) => schemasOf(deps).UsageReport,
  refuses: COUNT_REFUSALS,
  run: (deps, request) => countUsage(deps, 'report', request, request.input.used),
})

const overview = userCall<OverviewDeps>()({
  name: 'overview',
  operationId: 'getOverview',
  tag: 'portal',
  summary: 'Overview',
  description:
    'Plan, limits, usage, what a renewal would buy, the checkout that is waiting to be paid, and ' +
    'all time that was paid or granted.',
  method: 'GET',
  path: '/overview',
  answer: (deps) => schemasOf(deps).Overview,
  run: async (deps, { user: { userId }, api, requestId }) => {
    const read = await readOverview(deps, userId, requestId)
    const { pendingPayment: pending, now } = read
    return {
      ...viewPlatformUser(read),
      pending_payment: pending && viewPayment(pending, now, { methods: deps.methods, api }),
      time: viewTimeList(await deps.loadTimeList(userId)),
    }
  },
})

export const limitCalls = [overview, user, updateUser, consume, release, reportUsage]

/** Spreads come last: a field after one costs 2 µs. */
function viewPlatformUser(read: Overview) {
  const { email, name, locale } = read.profile
  const { renewal } = read
  return {
    user_id: read.userId,
    limits: read.subscription.plan.limits,
    usage: read.usage,
    resets_at: toTimestamp(read.resetsAt.day),
    over_limit: read.overLimits.map(({ limit, scopeId, used, max }) => ({
      limit: limit.name,
      ...(scopeId === null ? {} : { [scopeField(limit) ?? 'scope_id']: scopeId }),
      used,
      max,
    })),
    renewal: renewal && {
      allowed: renewal.allowed,
      plan: renewal.plan.id,
      amount: renewal.amount,
      currency: renewal.plan.currency,
      would_start: toTimestamp(renewal.wouldStart),
      would_end: toTimestamp(renewal.wouldEnd),
      renewable_from: timestampOrNull(renewal.renewableFrom),
    },
    email,
    name,
    locale,
    ...(countsByMonth(read.limits) ? { month_resets_at: toTimestamp(read.resetsAt.month) } : {}),
    ...viewStatus(read.subscription),
  }
}
