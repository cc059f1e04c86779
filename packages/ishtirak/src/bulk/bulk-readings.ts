// What is read of acts on lists, and the call that works at one.
import type { FastifyReply } from 'fastify'
import { csvLine } from '../acts/csv.js'
import { CSV } from '../acts/descriptions.js'
import { list } from '../acts/list.js'
import { allPages, pageCursor } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { CSV_TYPE, sendFile } from '../acts/send-file.js'
import { query } from '../http/schemas.js'
import { viewRows } from '../ledger/schemas.js'
import { bulks, resultsOf, type TargetResult } from './bulk.sql.js'
import { showBulk, startBulk } from './bulk-act.js'
import {
  BulkParamsSchema,
  BulkResultSchema,
  BulkResultsFilterSchema,
  BulkSchema,
  BulksSchema,
} from './bulk-schemas.js'
import { type WorkDeps, workOff } from './work-off.js'

const reads = reading<WorkDeps>().reads

const SHOWN = 50

const listBulks = reads({
  path: '/bulk',
  operationId: 'listBulks',
  summary: 'Acts on lists, newest first, with how far each is',
  answer: BulksSchema,
  command: { usage: 'bulk list', show: ({ data }) => ({ bulks: data }) },
  read: async ({ database }) => ({ data: viewRows(BulkSchema, await bulks(database, { limit: SHOWN })) }),
})

const getBulk = reads({
  path: '/bulk/:bulk_id',
  operationId: 'getBulk',
  summary: 'How far an act on a list is',
  params: BulkParamsSchema,
  answer: BulkSchema,
  command: { usage: 'bulk show <bulk>' },
  read: (deps, { params }) => showBulk(deps, params.bulk_id),
})

const byPlace = pageCursor<{ readonly place: number }>(
  ({ place }) => [place],
  ([place]) => (typeof place === 'number' ? { place } : null),
)

const resultList = list<WorkDeps>()({
  path: '/bulk/:bulk_id/results',
  operationId: 'getBulkResults',
  summary: 'What became of each target of an act on a list',
  params: BulkParamsSchema,
  filter: BulkResultsFilterSchema,
  item: BulkResultSchema,
  title: 'BulkResults',
  command: { usage: 'bulk results <bulk>', rows: 'results' },
  read: async ({ database }, { bulk_id: bulkId, result = null }, { cursor, limit }) => {
    await showBulk({ database }, bulkId)
    const after = cursor === null ? 0 : byPlace.decode(cursor).place
    return byPlace.pageOf(await resultsOf(database, { bulkId, after, result, limit: limit + 1 }), limit)
  },
  view:
    () =>
    ({ place: _, ...one }) =>
      one,
})

/** Throws `not_found`. */
export async function sendResults(
  { database }: Pick<WorkDeps, 'database'>,
  bulkId: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await showBulk({ database }, bulkId)
  const read = (last: TargetResult | null, limit: number) =>
    resultsOf(database, { bulkId, after: last?.place ?? 0, result: null, limit })
  const lines = async function* () {
    yield csvLine(['target', 'result', 'code'])
    for await (const page of allPages(read))
      yield page.map(({ target, result, code }) => csvLine([target, result, code])).join('')
  }
  return sendFile(reply, { type: CSV_TYPE, name: `${bulkId}.csv`, content: lines() })
}

const getResultsFile = reads({
  path: '/bulk/:bulk_id/file',
  operationId: 'downloadBulkResults',
  summary: 'What became of each target of an act on a list, as CSV',
  params: BulkParamsSchema,
  query: query({}),
  answer: CSV,
  command: null,
  read: (deps, { params, reply }) => sendResults(deps, params.bulk_id, reply),
})

/** Of a call that goes on: some seconds of work. */
const A_CALL = 500

const continueBulk = reads({
  method: 'POST',
  name: startBulk.name,
  roles: startBulk.roles,
  path: '/bulk/:bulk_id/continue',
  operationId: 'continueBulk',
  summary: 'Work at an act on a list now, as the service does by itself; then how far it is',
  params: BulkParamsSchema,
  answer: BulkSchema,
  command: null,
  read: async (deps, { params: { bulk_id: id } }) => {
    await workOff(deps, id, { most: A_CALL })
    return showBulk(deps, id)
  },
})

export const BULK_READINGS = [listBulks, getBulk, ...resultList.readings, getResultsFile, continueBulk]
