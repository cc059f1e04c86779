// Bulk acts in the console. The page of one reloads itself until it is finished.
import type { Static } from 'typebox'
import { ActButton } from '../acts/act-links.js'
import type { ListPage } from '../acts/list-page.js'
import type { Instant } from '../core/instant.js'
import { PaymentLink } from '../ledger/labels.js'
import { addressOf } from '../pages/console-frame.js'
import { Facts, Under, UserCell } from '../pages/console-parts.js'
import { codeInWords } from '../pages/console-words.js'
import { type BulkDeps, showBulk, stopBulk, targetNames } from './bulk-act.js'
import { bulkList, resultList } from './bulk-readings.js'
import type { BulkResultSchema } from './bulk-schemas.js'

type Bulk = Awaited<ReturnType<typeof showBulk>>

export const bulksPage: ListPage<BulkDeps, Bulk & { readonly at: Instant }> = {
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
