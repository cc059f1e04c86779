// Who used the codes of a batch: pages, and a file.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { AuditDeps } from '../acts/audit.sql.js'
import { CSV } from '../acts/descriptions.js'
import { type AskedFile, FILE_ROWS, sendList } from '../acts/list-file.js'
import { byInstant } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import type { Permission } from '../core/role.js'
import { type CodePage, type ListDeps, showBatch } from './batches.js'
import { usesOfBatch } from './batches.sql.js'
import { BatchParamsSchema, CodeUseSchema, CodeUsesQuerySchema, CodeUsesSchema } from './code-schemas.js'

export type CodeUse = Static<typeof CodeUseSchema>

/** Newest first. Throws `not_found` and `invalid_cursor`. */
export async function pageOfUses(deps: ListDeps, batchId: string, { cursor, limit }: CodePage) {
  const after = cursor === null ? null : byInstant.decode(cursor)
  await showBatch(deps, batchId)
  const found = await usesOfBatch(deps.database, { batchId, after, limit: limit + 1 })
  return byInstant.pageBy(found, limit, (use) => ({ at: Date.parse(use.used_at), id: use.use_id }))
}

export const listCodeUses = reading<ListDeps>().reads({
  path: '/codes/:batch_id/uses',
  operationId: 'listCodeUses',
  summary: 'Who used the codes of a batch, newest first',
  params: BatchParamsSchema,
  query: CodeUsesQuerySchema,
  answer: CodeUsesSchema,
  refuses: ['invalid_cursor'],
  command: { usage: 'codes uses <batch>', show: ({ data, ...rest }) => ({ uses: data, ...rest }) },
  read: async (deps, { params, query: { cursor = null, limit = 50 } }) => {
    const { items, nextCursor } = await pageOfUses(deps, params.batch_id, { cursor, limit })
    return { data: items, next_cursor: nextCursor }
  },
})

export const CODES_EXPORT = { name: 'codes.export', roles: ['accountant'] } as const satisfies Permission

const USE_HEADS = Object.keys(CodeUseSchema.properties) as (keyof CodeUse)[]

/** Throws `role_not_allowed` and `not_found`. */
export function sendUses(
  deps: ListDeps & AuditDeps,
  asked: AskedFile<{ readonly batch_id: string }>,
): Promise<FastifyReply> {
  const { batch_id: batchId } = asked.filter
  return sendList(deps, asked, {
    permission: CODES_EXPORT,
    name: `codes-${batchId}`,
    heads: USE_HEADS,
    cells: (use: CodeUse) => USE_HEADS.map((name) => use[name]),
    page: (cursor) => pageOfUses(deps, batchId, { cursor, limit: FILE_ROWS }),
  })
}

export const exportCodeUses = reading<ListDeps & AuditDeps>().reads({
  ...CODES_EXPORT,
  path: '/exports/codes/:batch_id',
  operationId: 'exportCodeUses',
  summary: 'All uses of the codes of a batch, as CSV',
  params: BatchParamsSchema,
  answer: CSV,
  command: { usage: 'codes export <batch>', isFile: true },
  read: (deps, { params, operator, reply }) => sendUses(deps, { filter: params, operator, reply }),
})
