// The shapes of the platform API, and of the user's own overview. The TypeScript client writes its own types down; a test
// holds them against these (test/client/types.test.ts).
import { type Static, Type } from 'typebox'
import { AMOUNT_MAX, USED_MAX } from '../core/limit.js'
import { LOCALES } from '../core/locale.js'
import { LIMIT_NAMES } from '../core/plan.js'
import { USER_ID_PATTERN } from '../core/user-id.js'
import { nameSchemas } from '../http/schemas.js'
import {
  BillingStatusSchema,
  nullable,
  PaymentSchema,
  PlanLimitsSchema,
  timestamp,
} from '../payments/schemas.js'

/** One line of text: no control characters, C1 included. */
const line = (longest: number) => `^[^\\u0000-\\u001f\\u007f-\\u009f]{1,${longest}}$`

const projectId = Type.String({
  pattern: line(255),
  description: 'Only, and always, for `domains_per_project`',
})
const operationId = Type.String({
  pattern: line(128),
  description:
    'Names this operation of this user, 1 to 128 printable characters. Sent again within 48 hours it is answered the same and counts once.',
  examples: ['deploy-7f3a'],
})
const amount = (description: string) => Type.Integer({ minimum: 1, maximum: AMOUNT_MAX, description })

export const locale = Type.Enum([...LOCALES])

export const UserParamsSchema = Type.Object({
  user_id: Type.String({ pattern: USER_ID_PATTERN, description: 'The `sub` of the user’s token' }),
})

export const LimitParamsSchema = Type.Object({
  ...UserParamsSchema.properties,
  limit: Type.String({ description: LIMIT_NAMES.map((name) => `\`${name}\``).join(', ') }),
})

export const ConsumeRequestSchema = Type.Object(
  {
    amount: Type.Optional(amount('1 if absent')),
    operation_id: operationId,
    project_id: Type.Optional(projectId),
  },
  { additionalProperties: false },
)

export const ReleaseRequestSchema = Type.Object(
  {
    amount: Type.Optional(
      amount('If absent, all that the consumed operation has left; 1 where none is named'),
    ),
    operation_id: operationId,
    consume_operation_id: Type.Optional(
      Type.String({
        pattern: line(128),
        description:
          'The operation that is given back. If absent it is the one consumed under this release’s own `operation_id`, if there is one.',
      }),
    ),
    project_id: Type.Optional(projectId),
  },
  { additionalProperties: false },
)

export const UsageReportSchema = Type.Object(
  {
    used: Type.Integer({ minimum: 0, maximum: USED_MAX, description: 'All that is in use now' }),
    project_id: Type.Optional(projectId),
  },
  { additionalProperties: false },
)

export const AllowanceSchema = Type.Object({
  allowed: Type.Boolean(),
  limit: Type.Integer({ description: 'What the plan in effect allows' }),
  used: Type.Integer({ description: 'After this operation' }),
  remaining: Type.Integer({ description: 'Never below 0' }),
  resets_at: nullable(timestamp),
  reason: Type.Union([Type.Literal('limit_reached'), Type.Literal('over_limit'), Type.Null()], {
    description: 'Why not; null when allowed. `over_limit`: the plan has shrunk below what is in use.',
  }),
})

export const UserUpdateSchema = Type.Object(
  {
    email: Type.Optional(
      nullable(
        Type.String({
          pattern:
            '^(?=.{3,254}$)[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+$',
        }),
      ),
    ),
    name: Type.Optional(nullable(Type.String({ pattern: line(200) }))),
    locale: Type.Optional(Type.Union([locale, Type.Null()])),
  },
  { additionalProperties: false },
)

const RenewalSchema = Type.Object({
  allowed: Type.Boolean({ description: 'Whether an upgrade would be accepted now' }),
  plan: Type.String(),
  amount: Type.Integer({ description: 'Whole dinars' }),
  currency: Type.String(),
  would_start: timestamp,
  would_end: timestamp,
  renewable_from: nullable(timestamp),
})

const OverLimitSchema = Type.Object({
  limit: Type.Enum([...LIMIT_NAMES]),
  project_id: Type.Optional(Type.String()),
  used: Type.Integer(),
  max: Type.Integer(),
})

export const PlatformUserSchema = Type.Object({
  user_id: Type.String(),
  ...BillingStatusSchema.properties,
  limits: PlanLimitsSchema,
  usage: Type.Object({
    projects: Type.Integer(),
    domains_per_project: Type.Record(Type.String(), Type.Integer(), {
      description: 'By project; those without a domain are left out',
    }),
    deploys_per_day: Type.Integer({ description: 'Of the day that ends at `resets_at`' }),
    storage_mb: Type.Integer(),
  }),
  resets_at: timestamp,
  over_limit: Type.Array(OverLimitSchema, {
    description:
      'Where more is in use than the plan in effect allows. Nothing is deleted; creating is refused.',
  }),
  renewal: Type.Union([RenewalSchema, Type.Null()], { description: 'Null when nothing is for sale' }),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  locale: Type.Union([locale, Type.Null()]),
})

export const OverviewSchema = Type.Object({
  ...PlatformUserSchema.properties,
  pending_payment: Type.Union([PaymentSchema, Type.Null()], {
    description: 'A checkout that can be paid now',
  }),
})

nameSchemas({
  Locale: locale,
  ConsumeRequest: ConsumeRequestSchema,
  ReleaseRequest: ReleaseRequestSchema,
  UsageReport: UsageReportSchema,
  Allowance: AllowanceSchema,
  UserUpdate: UserUpdateSchema,
  Renewal: RenewalSchema,
  OverLimit: OverLimitSchema,
  Usage: PlatformUserSchema.properties.usage,
  User: PlatformUserSchema,
  Overview: OverviewSchema,
})

export type ConsumeRequest = Static<typeof ConsumeRequestSchema>
export type ReleaseRequest = Static<typeof ReleaseRequestSchema>
export type UsageReport = Static<typeof UsageReportSchema>
export type Allowance = Static<typeof AllowanceSchema>
export type UserUpdate = Static<typeof UserUpdateSchema>
export type PlatformUser = Static<typeof PlatformUserSchema>
export type PlatformOverview = Static<typeof OverviewSchema>
