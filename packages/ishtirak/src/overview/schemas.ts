// The schemas of users and payments as operators and the platform see them.

import { Type } from 'typebox'
import { type FileParts, withParts } from '../acts/file-parts.js'
import type { InboxKind } from '../acts/inbox-kind.js'
import { StandingSchema } from '../acts/preview.js'
import type { LimitDefinition } from '../core/limit.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { BillingStatusSchema, PlatformPaymentSchema, planLimitsSchema } from '../ledger/schemas.js'
import { timeList } from '../ledger/time-list.js'
import { ActSchema } from '../ledger/user-acts.sql.js'
import { USER_STATES } from '../ledger/user-list.js'

import { inboxEntry } from './inbox.js'

export const ListedUserSchema = object('ListedUser', {
  user_id: Type.String(),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  state: Type.Enum([...USER_STATES]),
  ...StandingSchema.properties,
  ended_plan: nullable(Type.String({ description: 'The plan of time that is over' })),
  balance: Type.Integer(),
  created_at: timestamp,
})

export const ChangedUserSchema = object('ChangedUser', {
  ...ListedUserSchema.properties,
  changed_at: timestamp,
})

export const ListedPaymentSchema = object('ListedPayment', {
  user_id: Type.String(),
  ...PlatformPaymentSchema.properties,
})

/** What operators see of a payment, and its user and the platform do not. */
export const OperatorMembersSchema = Type.Object({
  checkout_id: nullable(Type.String()),
  live: Type.Boolean(),
  second_of: nullable(Type.String({ description: 'The payment of the same order that was paid before' })),
  next_check_at: nullable(timestamp),
  review: nullable(
    object('Review', {
      differences: Type.Array(Type.String()),
      provider_status: Type.String(),
      amount: nullable(Type.Integer()),
      currency: nullable(Type.String()),
      paid_at: timestamp,
      checkout_id: Type.String(),
    }),
  ),
})
export const OperatorPaymentSchema = object('OperatorPayment', {
  ...ListedPaymentSchema.properties,
  ...OperatorMembersSchema.properties,
})

export const StoredReportSchema = object('StoredReport', {
  at: timestamp,
  source: Type.Enum(['webhook', 'read', 'sweep', 'upgrade', 'operator', 'reconcile']),
  event_id: nullable(Type.String()),
  outcome: Type.String({ description: '`review`: not believed', examples: ['booked'] }),
  status: Type.String({ examples: ['paid'] }),
  amount: nullable(Type.Integer()),
  currency: nullable(Type.String()),
  live: nullable(Type.Boolean()),
  payment_id: nullable(Type.String()),
  checkout_id: Type.String(),
  paid_at: nullable(timestamp),
  paid_at_believed: Type.Boolean({
    description:
      'False: the provider named an instant that cannot be true, or none; the payment counts from another',
  }),
})

const traced = { id: Type.String(), type: Type.String(), at: timestamp }
export const ReceivedEventSchema = Type.Object({
  ...traced,
  outcome: Type.String(),
  amount: nullable(Type.Integer()),
})
export const SentSchema = Type.Object({ ...traced, sequence: Type.Integer() })

export const PaymentFileSchema = object('PaymentFile', {
  payment: OperatorPaymentSchema,
  receipt: nullable(
    Type.Object({
      number: Type.String({ examples: ['2026-000042'] }),
      issued_at: timestamp,
      stamp_duty: Type.Number({ description: 'Dinars, on top of the amount; 0 unless it was paid in cash' }),
      total: Type.Number({ description: 'The amount paid, in dinars' }),
    }),
  ),
  settled_by: nullable(
    Type.String({
      description: 'The source of the report that settled it; null: it is not settled',
      examples: ['webhook', 'sweep', 'operator'],
    }),
  ),
  reports: Type.Array(StoredReportSchema, {
    description: 'The provider’s reports that changed the payment, oldest first',
  }),
  received: Type.Array(ReceivedEventSchema),
  sent: Type.Array(SentSchema),
  audit: Type.Array(ActSchema),
})

/** The schema includes the catalogue's limits by name. */
export function userFileSchema(
  limits: readonly LimitDefinition[],
  inbox: readonly InboxKind[],
  { user }: FileParts,
) {
  const members = {
    user_id: Type.String(),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    phone: nullable(Type.String({ description: 'The telephone number of a customer of the desk: E.164' })),
    locale: nullable(Type.String()),
    created_at: timestamp,
    ...BillingStatusSchema.properties,
    limits: planLimitsSchema(limits),
    anchor_at: nullable(timestamp),
    paid_until: nullable(timestamp),
    ended_at: nullable(timestamp),
    waiting: Type.Array(inboxEntry(inbox), { description: 'The entries of the inbox about this user' }),
    time: timeList,
    payments: Type.Array(OperatorPaymentSchema),
    audit: Type.Array(ActSchema),
  }
  return withParts('UserFile', members, user)
}
