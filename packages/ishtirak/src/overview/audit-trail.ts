// The audit trail: what operators did and were refused, newest first, page by page, of all or of what is
// asked for.

import { type Static, Type } from 'typebox'
import type { CommandAnswer } from '../acts/act.js'
import { type CsvCell, csvLine } from '../acts/csv.js'
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

/** What the trail is asked for. */
export const TrailFilterSchema = Type.Object({
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
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAME_MAX,
      description: 'Only with these words in the reason, or this id',
      examples: ['ticket 4711'],
    }),
  ),
})
export const TrailQuerySchema = query({ ...TrailFilterSchema.properties, ...pageQuery })

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
  const {
    actor = null,
    act = null,
    user_id: userId = null,
    payment_id: paymentId = null,
    q: words = null,
  } = query
  const { limit = 50 } = query
  const day = query.day === undefined ? null : wallClock.dayOf(query.day)
  if (query.day !== undefined && day === null) throw wrongField('day', 'wrong_format')
  const after = query.cursor === undefined ? null : byInstant.decode(query.cursor)
  const filter = { actor, act, day, userId, paymentId, words }
  const rows = await trailPage(database, { filter, after, limit: limit + 1 })
  const { items, nextCursor } = byInstant.pageBy(rows, limit, (row) => ({
    at: instant(row, 'at'),
    id: String(row.id),
  }))
  return { data: viewRows(TrailEntrySchema, items), next_cursor: nextCursor }
}

type TrailEntry = Static<typeof TrailEntrySchema>

export const TRAIL_HEADS = ['id', 'at', 'actor', 'act', 'user_id', 'payment_id', 'why', 'before', 'after']

/** As a line of a file. */
export function trailCells({ before, after, ...entry }: TrailEntry): readonly CsvCell[] {
  const { id, at, actor, act, user_id, payment_id, why } = entry
  return [id, at, actor, act, user_id, payment_id, why, JSON.stringify(before), JSON.stringify(after)]
}

/** Of an answer, for a spreadsheet. */
export function trailAsCsv({ data }: CommandAnswer): string {
  return [TRAIL_HEADS, ...(data as readonly TrailEntry[]).map(trailCells)]
    .map((line) => csvLine(line))
    .join('')
}
