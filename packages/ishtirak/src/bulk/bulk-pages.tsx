// Acts on lists in the console: how far each is, on a page that loads itself anew until all is done.
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { sendListFile } from '../acts/list.js'
import { type ListPage, listRoute } from '../acts/list-page.js'
import { mayDo, type Permission } from '../core/role.js'
import type { App } from '../http/app.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Facts,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { Table } from '../pages/table.js'
import { resultsOf } from './bulk.sql.js'
import { showBulk, stopBulk } from './bulk-act.js'
import { BULK_EXPORT, bulkList, resultList } from './bulk-readings.js'
import type { WorkDeps } from './work-off.js'

type Pages = ConsolePages & WorkDeps & { readonly acts: readonly Permission[] }

interface Params {
  readonly bulk_id: string
}

const SHOWN = 100

export function bulkRoutes(app: App, pages: Pages): void {
  const hidden = forOperators(pages)

  listRoute(app, pages, bulksPage)

  app.get<{ Params: Params }>('/console/bulk/:bulk_id', hidden, async (request, reply) => {
    const bulk = await showBulk(pages, request.params.bulk_id)
    const results = await resultsOf(pages.database, { bulkId: bulk.id, after: 0, result: null, limit: SHOWN })
    if (bulk.finished_at === null) reply.header('refresh', '3')
    return sendPage(pages, reply, bulkPage(pages, viewOf(pages, request, reply), bulk, results))
  })

  const thisSite = fromThisSite(pages, (of: Params) => addressOf('', 'bulk', of.bulk_id))
  app.get<{ Params: Params }>('/console/bulk/:bulk_id/file', thisSite, (request, reply) => {
    const { operator } = pages.operatorsHere.of(request)
    return sendListFile(pages, resultList, { of: request.params, operator, reply })
  })
}

type Bulk = Awaited<ReturnType<typeof showBulk>>

const bulksPage: ListPage<WorkDeps, Bulk> = {
  path: 'bulk',
  title: 'bulkTitle',
  list: bulkList,
  fields: {},
  shown: 25,
  columns: [
    {
      head: 'act',
      link: ({ id, act }, view, pages) => ({
        href: addressOf(pages.base, 'bulk', id),
        text: view.titleOfAct(act) ?? act,
      }),
    },
    { head: 'who', text: ({ operator }) => operator },
    { head: 'when', text: ({ made_at }, view) => view.moment(made_at) },
    { head: 'bulk_done', text: ({ done, targets }) => `${done} / ${targets}` },
    { head: 'why', text: ({ why }) => why },
  ],
}

const COUNTS = ['done', 'refused', 'failed', 'stopped', 'left'] as const

function bulkPage(
  pages: Pages,
  view: View,
  bulk: Bulk,
  results: Awaited<ReturnType<typeof resultsOf>>,
): string {
  const { say, number } = view
  const mayStop =
    bulk.finished_at === null && bulk.stopped_because === null && mayDo(view.session.operator, stopBulk)
  const title = view.titleOfAct(bulk.act) ?? bulk.act
  return consolePage(
    { pages, view, title },
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
          [say('bulkShown'), number(bulk.shown)],
          [say('bulkTargets'), number(bulk.targets)],
          ...COUNTS.map((count) => [say(`bulk_${count}`), number(bulk[count])] as const),
          [say('bulkFinished'), view.moment(bulk.finished_at)],
          [say('bulkStopped'), bulk.stopped_because],
        ]}
      />
      <p class="actions">
        {mayStop ? (
          <LinkButton href={pathOfAct(pages, stopBulk, bulk.id)} label={titleOf(stopBulk, view)} />
        ) : null}
        {mayDo(view.session.operator, BULK_EXPORT) ? (
          <LinkButton href={`${addressOf(pages.base, 'bulk', bulk.id)}/file`} label={say('asFile')} />
        ) : null}
      </p>
      <Table
        {...{ pages, view }}
        rows={results}
        columns={[
          { head: 'bulkTarget', text: ({ target }) => target },
          { head: 'bulkResult', text: ({ result }) => say(result ? resultKey(result) : 'bulk_left') },
          { head: 'why', text: ({ code }) => code && codeInWords(view, 'bulk', code) },
        ]}
      />
    </section>,
  )
}

function resultKey(result: string) {
  return `bulk_${COUNTS.find((one) => one === result) ?? 'left'}` as const
}
