// The shapes of a grant: what the operator asks for, and what is shown of it.
import { Type } from 'typebox'
import { reason } from '../acts/reason.js'
import { EventGrantSchema } from '../events/schemas.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'

/** A year, leap or not: longer ones are more likely a slip. */
export const GRANTED_DAYS_MAX = 366

export const GrantRequestSchema = request('GrantRequest', {
  days: Type.Integer({
    minimum: 1,
    maximum: GRANTED_DAYS_MAX,
    description: 'How many, of 24 hours each',
    examples: [14],
  }),
  plan: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'For a user who never had one; absent: the first that is sold',
      examples: ['pro'],
    }),
  ),
  why: reason,
})

export const GrantSchema = object('Grant', {
  ...EventGrantSchema.properties,
  granted_at: timestamp,
  granted_by: nullable(Type.String()),
  why: nullable(Type.String()),
  operation_id: nullable(Type.String()),
})
