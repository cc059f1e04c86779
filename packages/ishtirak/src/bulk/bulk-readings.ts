// Lists of bulk acts and their results, and the call that works on one.
import { list } from '../acts/list.js'
import { byInstant, cursorOf } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { integer } from '../database/rows.js'
import { viewRows, viewRowsAt } from '../ledger/schemas.js'
import { bulksBehind, resultsOf } from './bulk.sql.js'
import { type BulkDeps, showBulk, startBulk } from './bulk-act.js'
import { BulkParamsSchema, BulkResultSchema, BulkResultsFilterSchema, BulkSchema } from './bulk-schemas.js'
import { workOff } from './work-off.js'

const reads = reading<BulkDeps>()

export const bulkList = list<BulkDeps>()({
  path: '/bulk',
  operationId: 'listBulks',
  summary: 'Acts on lists with their progress, newest first',
  item: BulkSchema,
  title: 'Bulks',
  command: { usage: 'bulk list', rows: 'bulks' },
  read: async ({ database }, _, { cursor, limit }) => {
    const after = cursor === null ? null : byInstant.decode(cursor)
    const found = viewRowsAt(BulkSchema, await bulksBehind(database, after, limit + 1), 'made_at')
    return byInstant.pageOf(found, limit)
  },
})

const getBulk = reads({
  path: '/bulk/:bulk_id',
  operationId: 'getBulk',
  summary: 'The progress of an act on a list',
  params: BulkParamsSchema,
  answer: BulkSchema,
  command: { usage: 'bulk show <bulk>' },
  read: (deps, { params }) => showBulk(deps, params.bulk_id),
})

const byPlace = cursorOf({ place: 'number' })

export const resultList = list<BulkDeps>()({
  path: '/bulk/:bulk_id/results',
  operationId: 'getBulkResults',
  summary: 'The result of each target of an act on a list',
  params: BulkParamsSchema,
  filter: BulkResultsFilterSchema,
  item: BulkResultSchema,
  title: 'BulkResults',
  command: { usage: 'bulk results <bulk>', rows: 'results' },
  read: async (deps, { bulk_id: bulkId, result = null }, { cursor, limit }) => {
    await showBulk(deps, bulkId)
    const after = cursor === null ? 0 : byPlace.decode(cursor).place
    const found = await resultsOf(deps.database, bulkId, { after, result, limit: limit + 1 })
    const { items, nextCursor } = byPlace.pageBy(found, limit, (row) => ({ place: integer(row, 'place') }))
    return { items: viewRows(BulkResultSchema, items), nextCursor }
  },
  file: {
    permission: { name: 'bulk.export', roles: startBulk.roles },
    path: '/bulk/:bulk_id/file',
    operationId: 'downloadBulkResults',
    summary: 'The result of each target of an act on a list, as CSV',
    usage: 'bulk export <bulk>',
    name: ({ bulk_id }) => String(bulk_id),
    columns: Object.keys(BulkResultSchema.properties),
  },
})

/** The most targets of one call: some seconds of work. */
const A_CALL = 500

const continueBulk = reads({
  method: 'POST',
  name: startBulk.name,
  roles: startBulk.roles,
  path: '/bulk/:bulk_id/continue',
  operationId: 'continueBulk',
  summary: 'Work on an act on a list now, as the service also does by itself, and return its progress',
  params: BulkParamsSchema,
  answer: BulkSchema,
  command: null,
  read: async (deps, { params: { bulk_id: id } }) => {
    await workOff(deps, id, { most: A_CALL })
    return showBulk(deps, id)
  },
})

export const BULK_READINGS = [...bulkList.readings, getBulk, ...resultList.readings, continueBulk]
