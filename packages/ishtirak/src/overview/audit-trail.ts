// The audit trail: what operators did and were refused, newest first, page by page, of all or of what is
// asked for.

import { type Static, Type } from 'typebox'
import { DAY_PATTERN } from '../acts/day.js'
import { byInstant, nextCursor, pageQuery } from '../acts/paging.js'
import { wrongField } from '../core/error.js'
import { instant } from '../database/rows.js'
import { nullable, object, query } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { viewRows } from '../ledger/schemas.js'
import { ActSchema } from '../ledger/user-acts.sql.js'
import { trailPage } from './audit-trail.sql.js'

const NAME_MAX = 500

export const TrailQuerySchema = query({
  actor: Type.Optional(Type.String({ maxLength: NAME_MAX, description: 'Only acts of this operator' })),
  act: Type.Optional(
    Type.String({
      maxLength: NAME_MAX,
      description: 'Only this act',
      examples: ['payment.refund', 'operator.refused'],
    }),
  ),
  day: Type.Optional(
    Type.String({
      pattern: DAY_PATTERN,
      description: 'Only of this day in BILLING_TIMEZONE',
      examples: ['2026-11-21'],
    }),
  ),
  user_id: Type.Optional(Type.String({ maxLength: NAME_MAX, description: 'Only what is about this user' })),
  payment_id: Type.Optional(
    Type.String({ maxLength: NAME_MAX, description: 'Only what is about this payment' }),
  ),
  ...pageQuery,
})

const TrailEntrySchema = object('TrailEntry', {
  ...ActSchema.properties,
  user_id: nullable(Type.String({ description: 'Null: the act is about no single user' })),
})

export const TrailSchema = object('Trail', { data: Type.Array(TrailEntrySchema), next_cursor: nextCursor })

export type TrailDeps = Pick<CommonParts, 'database' | 'wallClock'>

/** Throws `validation_failed` where there is no such day, and `invalid_cursor`. */
export async function readTrail(
  { database, wallClock }: TrailDeps,
  query: Static<typeof TrailQuerySchema>,
): Promise<Static<typeof TrailSchema>> {
  const { actor = null, act = null, user_id: userId = null, payment_id: paymentId = null, limit = 50 } = query
  const day = query.day === undefined ? null : wallClock.dayOf(query.day)
  if (query.day !== undefined && day === null) throw wrongField('day', 'wrong_format')
  const after = query.cursor === undefined ? null : byInstant.decode(query.cursor)
  const filter = { actor, act, day, userId, paymentId }
  const rows = await trailPage(database, { filter, after, limit: limit + 1 })
  const placed = rows.map((row) => ({ row, at: instant(row, 'at'), id: String(row.id) }))
  const { items, nextCursor } = byInstant.pageOf(placed, limit)
  const data = viewRows(
    TrailEntrySchema,
    items.map(({ row }) => row),
  )
  return { data, next_cursor: nextCursor }
}
