// What operators read of codes: batches, newest first, and who used their codes.
import { type Static, Type } from 'typebox'
import type { ActDeps } from '../acts/act.js'
import { list } from '../acts/list.js'
import { byInstant } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import type { CommonParts } from '../ledger/parts.js'
import { addressOf } from '../pages/console-frame.js'
import { findBatch, newestBatches, usesOfBatch } from './batches.sql.js'
import { BatchParamsSchema, CodeBatchSchema, CodeUseSchema } from './code-schemas.js'
import type { CodeConfig } from './settings.js'

export interface CodesDeps
  extends ActDeps,
    CodeConfig,
    Pick<CommonParts, 'catalogue' | 'rules' | 'wallClock'> {
  readonly drawCode: () => string
}

type ListDeps = Pick<CodesDeps, 'database'>

export const CODES = onNothing('codes', '/codes', 'codes', '/console/codes')

export const BATCH: Subject<ListDeps> = {
  name: 'batch',
  path: '/codes/:batch_id',
  params: BatchParamsSchema,
  command: { group: 'codes', argument: 'batch' },
  about: async (deps, batchId) => {
    await showBatch(deps, batchId)
    return { userId: NO_USER, label: () => batchId }
  },
  page: (batchId) => addressOf('', 'codes', batchId),
}

export async function showBatch({ database }: ListDeps, batchId: string) {
  const batch = await findBatch(database, batchId)
  if (!batch) throw new BillingError('not_found', { extra: { batch_id: batchId } })
  return batch
}

export const batchList = list<ListDeps>()({
  path: '/codes',
  operationId: 'listCodeBatches',
  summary: 'Batches of codes, newest first, with what is used and left',
  filter: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 100, description: 'Words of the reason of a batch' })),
  }),
  item: CodeBatchSchema,
  title: 'CodeBatches',
  command: {
    ...{ usage: 'codes list', rows: 'batches' },
    columns: [
      ...['batch_id', 'kind', 'plan', 'months', 'percent', 'amount', 'count', 'used', 'left'],
      ...['until', 'revoked_at', 'why'],
    ],
  },
  read: async ({ database }, { q = '' }, { cursor, limit }) => {
    const after = cursor === null ? null : byInstant.decode(cursor)
    const found = await newestBatches(database, { after, q, limit: limit + 1 })
    return byInstant.pageBy(found, limit, ({ at, batch_id: id }) => ({ at, id }))
  },
})

export const getCodeBatch = reading<ListDeps>()({
  path: '/codes/:batch_id',
  operationId: 'getCodeBatch',
  summary: 'One batch of codes, with what is used and left',
  params: BatchParamsSchema,
  answer: CodeBatchSchema,
  command: { usage: 'codes show <batch>' },
  read: (deps, { params }) => showBatch(deps, params.batch_id),
})

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
    return byInstant.pageBy(found, limit, ({ at, use_id: id }) => ({ at, id }))
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
