// The schemas of bulk acts: the request, the progress, and the result of each target.
import { type Static, Type } from 'typebox'
import { reason } from '../acts/act.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { UserIdSchema } from '../ledger/schemas.js'

/** The most ids in a request. A filter may find more. */
const IDS_MAX = 10_000
export const TARGETS_MAX = 100_000

export const BulkRequestSchema = request('BulkRequest', {
  act: Type.String({
    maxLength: 100,
    description: 'The act’s name in the audit trail: an act on users, payments or events',
    examples: ['user.grant'],
  }),
  ids: Type.Optional(
    Type.Array(UserIdSchema, {
      minItems: 1,
      maxItems: IDS_MAX,
      description: 'The ids of users, payments or events; a repeated id counts once',
    }),
  ),
  filter: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      description: `Instead of \`ids\`: the query of the list of users or payments; ${TARGETS_MAX} at most`,
      examples: [{ active_from: '2026-11-20', active_until: '2026-11-20' }],
    }),
  ),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The input of the act without the reason, the same for each',
      examples: [{ days: 7 }],
    }),
  ),
  why: reason,
})
export type BulkRequest = Static<typeof BulkRequestSchema>

export const BulkSchema = object('Bulk', {
  id: Type.String({ examples: ['blk_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
  act: Type.String(),
  input: Type.Unknown(),
  filter: nullable(Type.Unknown()),
  why: Type.String(),
  operator: Type.String(),
  made_at: timestamp,
  finished_at: nullable(timestamp),
  stopped_because: nullable(Type.String()),
  targets: Type.Integer(),
  done: Type.Integer(),
  refused: Type.Integer({ description: 'Refused by the rules of the act, each with its code' }),
  failed: Type.Integer({ description: 'Not done in three attempts, each with its code' }),
  stopped: Type.Integer({
    description: 'No longer tried. With the code `outcome_unknown` it was tried, and may have been done',
  }),
  left: Type.Integer(),
})

export const BulkParamsSchema = Type.Object({ bulk_id: Type.String({ maxLength: 100 }) })

const RESULTS = ['done', 'refused', 'failed', 'stopped'] as const
export type Result = (typeof RESULTS)[number]

export const BulkResultsFilterSchema = Type.Object({
  result: Type.Optional(Type.Enum([...RESULTS], { description: 'Only those of this result' })),
})

export const BulkResultSchema = object('BulkResult', {
  target: Type.String(),
  result: nullable(Type.Enum([...RESULTS]), { description: 'Null: it is still to be done' }),
  code: nullable(Type.String({ description: 'Why it was not done, or not yet' })),
})
