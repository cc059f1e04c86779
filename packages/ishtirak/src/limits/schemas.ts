// The schemas of the platform API, and of the user's own overview.
import { type Static, type TInteger, type TRecord, Type } from 'typebox'
import { EMAIL_PATTERN } from '../core/email.js'
import {
  countsByMonth,
  type LimitDefinition,
  OPERATION_AMOUNT_MAX,
  scopeField,
  USED_MAX,
} from '../core/limit.js'
import { locale, nullable, object, request, timestamp } from '../http/schemas.js'
import { BillingStatusSchema, PaymentSchema, planLimitsSchema } from '../ledger/schemas.js'
import { timeList } from '../ledger/time-list.js'

/** One line of text: no control characters, C1 included. */
const line = (longest: number) => `^[^\\u0000-\\u001f\\u007f-\\u009f]{1,${longest}}$`

const operationId = Type.String({
  pattern: line(128),
  description:
    'Names this operation of this user, 1 to 128 printable characters. Sent again within 48 hours it ' +
    'is answered the same and counts once.',
  examples: ['deploy-7f3a'],
})
const amount = (description: string) =>
  Type.Integer({ minimum: 1, maximum: OPERATION_AMOUNT_MAX, description })

export const AllowanceSchema = object('Allowance', {
  allowed: Type.Boolean(),
  limit: Type.Integer({ description: 'The most that the plan in effect allows' }),
  used: Type.Integer({ description: 'After this operation' }),
  remaining: Type.Integer({ description: 'Never below 0' }),
  resets_at: nullable(timestamp),
  reason: Type.Union([Type.Literal('limit_reached'), Type.Literal('over_limit'), Type.Null()], {
    description: 'Why not; null when allowed. `over_limit`: the plan has shrunk below what is in use.',
  }),
})

export const UserUpdateSchema = request('UserUpdate', {
  email: Type.Optional(nullable(Type.String({ pattern: EMAIL_PATTERN }))),
  name: Type.Optional(nullable(Type.String({ pattern: line(200) }))),
  locale: Type.Optional(nullable(locale)),
})

const RenewalSchema = object(
  'Renewal',
  {
    allowed: Type.Boolean({ description: 'Whether an upgrade would be accepted now' }),
    plan: Type.String(),
    amount: Type.Integer({ description: 'Whole dinars' }),
    currency: Type.String(),
    would_start: timestamp,
    would_end: timestamp,
    renewable_from: nullable(timestamp),
  },
  {
    examples: [
      {
        ...{ allowed: false, plan: 'pro', amount: 2_000, currency: 'DZD' },
        ...{ would_start: '2026-12-21T12:00:00Z', would_end: '2027-01-21T12:00:00Z' },
        renewable_from: '2026-12-14T12:00:00Z',
      },
    ],
  },
)

type PlatformSchemas = ReturnType<typeof platformSchemas>

export function platformSchemas(limits: readonly LimitDefinition[]) {
  const user = userProperties(limits)
  const scope = scopeFields(limits, (named) =>
    Type.Optional(
      Type.String({ pattern: line(255), description: `Only, and always, for ${namesOf(named)}` }),
    ),
  )
  return {
    ConsumeRequest: request('ConsumeRequest', {
      amount: Type.Optional(amount('1 if absent')),
      operation_id: operationId,
      ...scope,
    }),
    ReleaseRequest: request('ReleaseRequest', {
      amount: Type.Optional(
        amount('If absent, all that the consumed operation has left; 1 where none is named'),
      ),
      operation_id: operationId,
      consume_operation_id: Type.Optional(
        Type.String({
          pattern: line(128),
          description:
            'The operation that is given back. If absent it is the one consumed under this ' +
            'release’s own `operation_id`, if there is one.',
        }),
      ),
      ...scope,
    }),
    UsageReport: request('UsageReport', {
      used: Type.Integer({ minimum: 0, maximum: USED_MAX, description: 'All that is in use now' }),
      ...scope,
    }),
    User: object('User', user),
    Overview: object('Overview', {
      ...user,
      pending_payment: nullable(PaymentSchema, { description: 'A checkout that can be paid now' }),
      time: timeList,
    }),
  }
}

export const namesOf = (limits: readonly LimitDefinition[]) =>
  limits.map(({ name }) => `\`${name}\``).join(', ')

/** `project_id` and `scope_id`, each if a limit has it. The type has both as optional. */
function scopeFields<Field>(limits: readonly LimitDefinition[], describe: (named: typeof limits) => Field) {
  const fields = (['project_id', 'scope_id'] as const).flatMap((field) => {
    const named = limits.filter((limit) => scopeField(limit) === field)
    return named.length > 0 ? [[field, describe(named)]] : []
  })
  return Object.fromEntries(fields) as { readonly project_id: Field; readonly scope_id: Field }
}

function userProperties(limits: readonly LimitDefinition[]) {
  const overLimit = object('OverLimit', {
    limit: Type.Unsafe<string>(Type.Enum(limits.map(({ name }) => name))),
    ...scopeFields(limits, () => Type.Optional(Type.String())),
    used: Type.Integer(),
    max: Type.Integer(),
  })
  const monthEnd = { month_resets_at: Type.Optional(timestamp) }
  return {
    user_id: Type.String(),
    ...BillingStatusSchema.properties,
    limits: planLimitsSchema(limits),
    usage: usageSchema(limits),
    resets_at: timestamp,
    ...(countsByMonth(limits) ? monthEnd : ({} as typeof monthEnd)),
    over_limit: Type.Array(overLimit, {
      description:
        'Usage above what the plan in effect allows. Nothing is deleted; creating more is refused.',
    }),
    renewal: nullable(RenewalSchema, { description: 'Null when nothing is for sale' }),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    locale: nullable(locale),
  }
}

const ofWindow = {
  day: 'The usage of the day that ends at `resets_at`',
  month: 'The usage of the month that ends at `month_resets_at`',
}

function usageSchema(limits: readonly LimitDefinition[]) {
  const members = limits.map(({ name, window, per }): [string, TInteger | TRecord<'^.*$', TInteger>] => {
    const described = window === null ? {} : { description: ofWindow[window] }
    if (per === null) return [name, Type.Integer({ ...described, examples: [4] })]
    const description = `The usage by ${per}; zeros are left out`
    return [name, Type.Record(Type.String(), Type.Integer(), { description })]
  })
  return object('Usage', Object.fromEntries(members))
}

export const FullHourSchema = object('FullLimit', {
  limit: Type.String({ examples: ['projects'] }),
  scope: Type.String({ description: 'The id of the counted thing; empty: the user' }),
  refused: Type.Integer({ description: 'How often, in one hour' }),
  asked: Type.Integer({ description: 'The sum of what was refused' }),
  used: Type.Integer({ description: 'The usage at the last refusal' }),
  maximum: Type.Integer({ description: 'The limit at that time' }),
  first_at: timestamp,
  last_at: timestamp,
})

export type ConsumeRequest = Static<PlatformSchemas['ConsumeRequest']>
export type ReleaseRequest = Static<PlatformSchemas['ReleaseRequest']>
export type UsageReport = Static<PlatformSchemas['UsageReport']>
export type Allowance = Static<typeof AllowanceSchema>
export type UserUpdate = Static<typeof UserUpdateSchema>
export type PlatformUser = Static<PlatformSchemas['User']>
export type PlatformOverview = Static<PlatformSchemas['Overview']>
