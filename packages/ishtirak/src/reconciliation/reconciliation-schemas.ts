// The schemas of the reconciliation with the provider.
import { Type } from 'typebox'
import { reason } from '../acts/act.js'
import { dayOrInstantSchema } from '../acts/day.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'

export const ReconcileRequestSchema = request('ReconcileRequest', {
  since: dayOrInstantSchema('How far back'),
  unknown: Type.Optional(
    Type.Enum(['report', 'book'], {
      default: 'report',
      description:
        '`book` enters payments that have no row here, after the restore of an older backup. Do not use it ' +
        'if two deployments share an account of the provider.',
    }),
  ),
  why: Type.Optional(reason),
})

export const ReconciliationSchema = object('Reconciliation', {
  id: Type.String(),
  since: timestamp,
  started_by: Type.String(),
  started_at: timestamp,
  finished_at: nullable(timestamp),
  next_round_at: timestamp,
  calls: Type.Integer({ description: 'Calls to the provider so far' }),
  checkouts: Type.Integer(),
  discrepancies: Type.Integer(),
})

export const DiscrepancySchema = object('Discrepancy', {
  id: Type.String(),
  kind: Type.Enum(['paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid']),
  outcome: Type.String({ description: 'The outcome; `reported`: it waits for an operator' }),
  user_id: nullable(Type.String()),
  payment_id: nullable(Type.String()),
  gateway: Type.String({ examples: ['chargily'] }),
  checkout_id: Type.String(),
  found_at: timestamp,
  seen_at: timestamp,
  details: Type.Unknown(),
  version: Type.Integer({ description: 'Grows by one when the discrepancy changes' }),
  closed_at: nullable(timestamp),
  closed_by: nullable(Type.String()),
  closed_because: nullable(Type.String()),
})

export const DiscrepancyParamsSchema = Type.Object({ discrepancy_id: Type.String({ maxLength: 100 }) })

export const RoundSchema = object('ReconciliationRound', {
  reconciliation: ReconciliationSchema,
  discrepancies: Type.Array(DiscrepancySchema),
  failure: nullable(
    Type.Object({
      reason: Type.String({
        description: '`rejected`: a later round will fail too',
        examples: ['timeout'],
      }),
      detail: Type.String({ examples: ['HTTP 503: no message (text/html, 162 bytes)'] }),
    }),
    { description: 'The provider’s failure in this round; null if it answered' },
  ),
})

export const ReconciliationParamsSchema = Type.Object({ reconciliation_id: Type.String({ maxLength: 100 }) })
