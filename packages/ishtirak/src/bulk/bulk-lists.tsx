// Bulk acts and their results as lists: by API, by command, as a file and in the console. The page of one act
// reloads itself until it is finished.
import type { Static } from 'typebox'
import { ActButton } from '../acts/act-links.js'
import { list } from '../acts/list.js'
import type { ListPage } from '../acts/list-page.js'
import { byInstant, cursorOf } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import type { Instant } from '../core/instant.js'
import { integer } from '../database/rows.js'
import { PaymentLink } from '../ledger/labels.js'
import { viewRows, viewRowsAt } from '../ledger/schemas.js'
import { addressOf } from '../pages/console-frame.js'
import { Facts, Under, UserCell } from '../pages/console-parts.js'
import { codeInWords } from '../pages/console-words.js'
import { bulksBehind, resultsOf } from './bulk.sql.js'
import { type BulkDeps, showBulk, startBulk, stopBulk, targetNames } from './bulk-act.js'
import { BulkParamsSchema, BulkResultSchema, BulkResultsFilterSchema, BulkSchema } from './bulk-schemas.js'
import { workOff } from './work-off.js'

const bulkList = list<BulkDeps>()({
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

export const bulksPage: ListPage<BulkDeps, Static<typeof BulkSchema> & { readonly at: Instant }> = {
  path: 'bulk',
  title: 'bulkTitle',
  list: bulkList,
  fields: {},
  shown: 25,
  empty: 'bulkNone',
  columns: [
    {
      head: 'act',
      link: ({ id, act }, view, pages) => ({
        href: addressOf(pages.base, 'bulk', id),
        text: codeInWords(view, 'act', act),
      }),
    },
    { head: 'who', text: ({ operator }) => operator },
    { head: 'when', text: ({ made_at }, view) => view.moment(made_at) },
    { head: 'bulk_done', text: ({ done, targets }, { number }) => `${number(done)} / ${number(targets)}` },
    { head: 'why', text: ({ why }) => why },
  ],
}

const byPlace = cursorOf({ place: 'number' })

const resultList = list<BulkDeps>()({
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

const COUNTS = ['done', 'refused', 'failed', 'stopped', 'left'] as const

type TargetResult = Static<typeof BulkResultSchema>
type Named = TargetResult & { readonly names: Awaited<ReturnType<typeof targetNames>> }

export const resultsPage: ListPage<BulkDeps, TargetResult, Named> = {
  path: 'bulk/:bulk_id',
  title: 'bulkResult',
  section: 'bulkTitle',
  list: resultList,
  fields: {},
  shown: 100,
  rows: async (pages, results) => {
    const targets = results.map(({ target }) => target)
    const names = await targetNames(pages, targets)
    return results.map((result) => ({ ...result, names }))
  },
  columns: [
    {
      head: 'bulkTarget',
      safe: ({ target, names }, view, pages) => (
        <>
          <UserCell {...{ pages, user: names.user(target) }} />
          {names.payment(target) && (
            <PaymentLink {...{ pages, view, id: target }} payment={names.payment(target)} />
          )}
          <Under>{target}</Under>
        </>
      ),
    },
    { head: 'bulkResult', text: ({ result }, view) => codeInWords(view, 'bulk', result ?? 'left') },
    { head: 'why', text: ({ code }, view) => code && codeInWords(view, 'bulk', code) },
  ],
  head: async ({ pages, view, reply, params: { bulk_id = '' } }) => {
    const bulk = await showBulk(pages, bulk_id)
    const { say, number } = view
    const isRunning = bulk.finished_at === null && bulk.stopped_because === null
    if (bulk.finished_at === null) reply.header('refresh', '3')
    const title = codeInWords(view, 'act', bulk.act)
    const above = (
      <section class="card" aria-label={title}>
        {bulk.finished_at === null ? (
          <p role="status" safe>
            {say('bulkProgress')}
          </p>
        ) : null}
        <Facts
          facts={[
            [say('who'), bulk.operator],
            [say('why'), bulk.why],
            [say('bulkTargets'), number(bulk.targets)],
            ...COUNTS.map((count) => [say(`bulk_${count}`), number(bulk[count])] as const),
            [say('bulkFinished'), view.moment(bulk.finished_at)],
            [say('bulkStopped'), bulk.stopped_because],
          ]}
        />
        <p class="actions">
          {isRunning ? <ActButton {...{ pages, view }} act={stopBulk} id={bulk.id} /> : null}
        </p>
      </section>
    )
    return { title, above }
  },
}

const reads = reading<BulkDeps>()

const getBulk = reads({
  path: '/bulk/:bulk_id',
  operationId: 'getBulk',
  summary: 'The progress of an act on a list',
  params: BulkParamsSchema,
  answer: BulkSchema,
  command: { usage: 'bulk show <bulk>' },
  read: (deps, { params }) => showBulk(deps, params.bulk_id),
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
