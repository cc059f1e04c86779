// The uses of a batch's codes: in pages, and as a file.
import type { Static } from 'typebox'
import { list } from '../acts/list.js'
import { byInstant } from '../acts/paging.js'
import { type ListDeps, showBatch } from './batches.js'
import { usesOfBatch } from './batches.sql.js'
import { BatchParamsSchema, CodeUseSchema } from './code-schemas.js'

export type CodeUse = Static<typeof CodeUseSchema>

export const useList = list<ListDeps>()({
  path: '/codes/:batch_id/uses',
  operationId: 'listCodeUses',
  summary: 'Who used the codes of a batch, newest first',
  params: BatchParamsSchema,
  item: CodeUseSchema,
  title: 'CodeUses',
  command: { usage: 'codes uses <batch>', rows: 'uses' },
  read: async (deps, { batch_id: batchId }, { cursor, limit }) => {
    const after = cursor === null ? null : byInstant.decode(cursor)
    await showBatch(deps, batchId)
    const found = await usesOfBatch(deps.database, { batchId, after, limit: limit + 1 })
    return byInstant.pageBy(found, limit, (use) => ({ at: Date.parse(use.used_at), id: use.use_id }))
  },
  file: {
    permission: { name: 'codes.export', roles: ['accountant'] },
    path: '/exports/codes/:batch_id',
    operationId: 'exportCodeUses',
    summary: 'All uses of the codes of a batch, as CSV',
    usage: 'codes export <batch>',
    name: ({ batch_id }) => `codes-${batch_id}`,
    columns: Object.keys(CodeUseSchema.properties),
  },
})
