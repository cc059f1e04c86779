// Acts on lists in the console: how far each is, on a page that loads itself anew until all is done.
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { viewRows } from '../ledger/schemas.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Facts,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { Table } from '../pages/table.js'
import { bulks, resultsOf } from './bulk.sql.js'
import { showBulk, stopBulk } from './bulk-act.js'
import { sendResults } from './bulk-readings.js'
import { BulkSchema } from './bulk-schemas.js'
import type { WorkDeps } from './work-off.js'

type Pages = ConsolePages & WorkDeps

const SHOWN = 100

export function bulkRoutes(app: App, pages: Pages): void {
  const hidden = forOperators(pages)

  app.get('/console/bulk', hidden, async (request, reply) => {
    const found = viewRows(BulkSchema, await bulks(pages.database, { limit: SHOWN }))
    return sendPage(pages, reply, listPage(pages, viewOf(pages, request, reply), found))
  })

  app.get<{ Params: { bulk_id: string } }>('/console/bulk/:bulk_id', hidden, async (request, reply) => {
    const bulk = await showBulk(pages, request.params.bulk_id)
    const results = await resultsOf(pages.database, { bulkId: bulk.id, after: 0, result: null, limit: SHOWN })
    if (bulk.finished_at === null) reply.header('refresh', '3')
    return sendPage(pages, reply, bulkPage(pages, viewOf(pages, request, reply), bulk, results))
  })

  app.get<{ Params: { bulk_id: string } }>('/console/bulk/:bulk_id/file', hidden, (request, reply) =>
    sendResults(pages, request.params.bulk_id, reply),
  )
}

type Bulk = Awaited<ReturnType<typeof showBulk>>

function listPage(pages: Pages, view: View, found: readonly Bulk[]): string {
  const { say } = view
  return consolePage(
    { pages, view, title: say('bulkTitle') },
    <section class="card" aria-label={say('bulkTitle')}>
      <Table
        {...{ pages, view }}
        rows={found}
        columns={[
          {
            head: 'act',
            link: ({ id, act }) => ({
              href: addressOf(pages.base, 'bulk', id),
              text: view.titleOfAct(act) ?? act,
            }),
          },
          { head: 'who', text: ({ operator }) => operator },
          { head: 'when', text: ({ made_at }) => view.moment(made_at) },
          { head: 'bulk_done', text: ({ done, targets }) => `${done} / ${targets}` },
          { head: 'why', text: ({ why }) => why },
        ]}
        empty={say('bulkNone')}
      />
    </section>,
  )
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
        <LinkButton href={`${addressOf(pages.base, 'bulk', bulk.id)}/file`} label={say('asFile')} />
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
