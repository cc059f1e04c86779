// The events as the OpenAPI document shows them. A test compares each event that is sent with them.
import { Type } from 'typebox'
import type { Capability } from '../acts/capability.js'
import { BOUNDARIES, type Boundary } from '../core/announcement.js'
import { describedEvent, type EventType } from '../core/event-types.js'
import type { LimitDefinition } from '../core/limit.js'
import { nullable, request, timestamp } from '../http/schemas.js'
import { BalanceEntrySchema, balanceMembers } from '../ledger/balance-schemas.js'
import {
  BillingStatusSchema,
  PaymentSchema,
  planLimitsSchema,
  shownMetadata,
  UserIdSchema,
} from '../ledger/schemas.js'

const { id, bought_by, kind, plan, months, amount, amount_asked, currency } = PaymentSchema.properties
const { status, method, payment_method, paid_at, period_start, period_end } = PaymentSchema.properties
const EventPaymentSchema = request('EventPayment', {
  ...{ id, bought_by, kind, plan, months, amount, amount_asked, currency },
  ...{ status, method, payment_method, paid_at, period_start, period_end },
  metadata: Type.Optional(shownMetadata),
})

function eventSubscriptionSchema(limits: readonly LimitDefinition[]) {
  return request(
    'EventSubscription',
    { ...BillingStatusSchema.properties, limits: planLimitsSchema(limits) },
    { description: 'The state after the change; the limits are those in effect' },
  )
}

const boundary = Type.Enum<Boundary[]>([...BOUNDARIES], { title: 'Boundary' })
const AnnouncementSchema = request(
  'Announcement',
  {
    boundary,
    at: timestamp,
    skipped: Type.Array(boundary, {
      description:
        'Passed too while the service was stopped, and no longer true; they have no events of their own',
    }),
  },
  { description: 'Which boundary time has passed, and when' },
)

export const EventGrantSchema = request(
  'EventGrant',
  {
    id: Type.String({ examples: ['grt_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
    source: Type.Enum(['operator', 'code', 'trial']),
    plan: Type.String({ examples: ['pro'] }),
    months: Type.Integer({ description: '0 if days were granted' }),
    days: Type.Integer({ description: 'Days of 24 hours; 0 if a code gave months' }),
    period_start: timestamp,
    period_end: timestamp,
  },
  { description: 'Time that no payment bought' },
)

const EventBalanceSchema = request(
  'EventBalance',
  { ...balanceMembers, entry: nullable(BalanceEntrySchema) },
  { description: 'The balance after the change; `entry` is what changed it, null where it stayed' },
)

const EventChangeSchema = request(
  'EventChange',
  { from: Type.String({ examples: ['pro'] }), to: Type.String(), at: timestamp, until: timestamp },
  { description: 'The plans before and after, and the time that changed' },
)

/** The parts that an event may carry beside the state, and what their data is called in the document. */
const CAUSES = {
  payment: ['Payment', EventPaymentSchema],
  change: ['Changed', EventChangeSchema],
  announcement: ['Announced', AnnouncementSchema],
  grant: ['Grant', EventGrantSchema],
  balance: ['Balance', EventBalanceSchema],
  reason: ['Refused', Type.String()],
} as const

function eventSchema(type: EventType, limits: readonly LimitDefinition[]) {
  const { carries } = describedEvent(type)
  const last = carries.at(-1)
  // An event that neither time nor a grant brought about may name a payment.
  const mayNamePayment = carries.every((name) => name === 'balance')
  return request(`${pascalCase(type)}Event`, {
    type: Type.Literal(type),
    timestamp,
    data: request(`${last ? CAUSES[last][0] : 'Subscription'}EventData`, {
      user_id: Type.String(),
      sequence: Type.Integer({
        minimum: 1,
        description: 'Counts the events of this user, without gaps: late events are recognised by it',
      }),
      subscription: eventSubscriptionSchema(limits),
      ...Object.fromEntries(carries.map((name) => [name, CAUSES[name][1]])),
      ...(mayNamePayment && { payment: Type.Optional(EventPaymentSchema) }),
    }),
  })
}

/** `subscription.past_due` as `SubscriptionPastDue`. */
function pascalCase(type: string): string {
  return type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())
}

const HEADERS = Object.entries({
  'webhook-id': 'The same at every attempt: a receiver that knows it has the event already',
  'webhook-timestamp': 'Seconds since 1970, of this attempt',
  'webhook-signature': 'One `v1,…` for each secret, separated by spaces (Standard Webhooks 1.0)',
}).map(([name, description]) => {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string' as const } }
})

/** The member `webhooks` of the document (OpenAPI 3.1), with the types and notices of all capabilities. */
export function describeWebhooks(
  types: readonly EventType[],
  limits: readonly LimitDefinition[],
  notices: readonly Notices[],
) {
  const describe = (type: string, { meaning, schema }: Notices[string]) => ({
    post: {
      operationId: `on${pascalCase(type)}`,
      security: [],
      tags: ['events'],
      summary: meaning,
      parameters: HEADERS,
      requestBody: {
        required: true,
        // The copy leaves out the hidden marks of TypeBox: the rest is a JSON schema.
        content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
      },
      responses: {
        '2XX': {
          description:
            'Accepted. After any other answer it is sent again: after 5 s, 5 min, 30 min, 2 h … 24 h',
        },
        '410': { description: 'No more events are wanted: the address is switched off' },
      },
    },
  })
  const ofUsers = types.map((type) => {
    return [type, { meaning: describedEvent(type).meaning, schema: eventSchema(type, limits) }] as const
  })
  const all = [...ofUsers, ...notices.flatMap((some) => Object.entries(some))]
  return Object.fromEntries(all.map(([type, of]) => [type, describe(type, of)]))
}

type Notices = NonNullable<Capability['notices']>

export const listQuery = {
  user_id: Type.Optional(Type.String({ ...UserIdSchema, description: 'Only those of this user' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 50, description: 'How many, 50 if absent' }),
  ),
}
