// Codes in the console: the list of batches, and one batch with its uses.
import type { FastifyRequest } from 'fastify'
import { isUndone } from '../acts/act-console.js'
import { ActButtons, actsOffered } from '../acts/act-links.js'
import type { ConsoleParts } from '../acts/capability.js'
import { listRoute } from '../acts/list-page.js'
import type { Subject } from '../acts/subject.js'
import type { App } from '../http/app.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { addressOf, type ConsolePages, isOwner, type View } from '../pages/console-frame.js'
import { type Column, Facts, Notices, Text } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import { BATCH, batchList, CODES, type CodesDeps, type CodeUse, showBatch, useList } from './batches.js'
import { givesInWords, validInWords } from './code-words.js'

type CodePages = ConsolePages & CodesDeps & ConsoleParts<CodesDeps>
type Batch = Awaited<ReturnType<typeof showBatch>>

const SHOWN = 25

export function codePageRoutes(app: App, pages: CodePages): void {
  listRoute(app, pages, {
    path: 'codes',
    title: 'codes',
    list: batchList,
    fields: { q: 'codesWhy' },
    shown: SHOWN,
    columns: BATCHES,
    head: ({ view, request }) => {
      const off = pages.codeKeys.length > 0 ? null : view.say(isOwner(view) ? 'codesOffBy' : 'codesOff')
      const above = (
        <>
          <Notices of={[noticeIn(view, request), off]} />
          <Acts {...{ pages, view }} on={CODES} id="" />
        </>
      )
      return { above }
    },
  })

  listRoute(app, pages, {
    path: 'codes/:batch_id',
    title: 'codeUsesTitle',
    section: 'codes',
    list: useList,
    fields: {},
    shown: SHOWN,
    empty: 'codesUnused',
    rows: async (_, uses) => {
      const payments = uses.filter(({ state }) => state !== 'redeemed').map(({ use_id: id }) => id)
      const labels = await readLabels(pages, { payments, users: uses.map(({ user_id: id }) => id) })
      return uses.map((use) => ({ ...use, labels }))
    },
    columns: USES,
    head: async ({ view, request, params: { batch_id = '' } }) => {
      const batch = await showBatch(pages, batch_id)
      const above = (
        <>
          <Notices of={[noticeIn(view, request)]} />
          <Card id="batch" title={view.say('codes')}>
            <Facts facts={factsOf(pages, view, batch)} />
            {batch.revoked_at === null ? <Acts {...{ pages, view }} on={BATCH} id={batch_id} /> : null}
          </Card>
        </>
      )
      return { title: batch.why, above }
    },
  })
}

/** The result of the act that led to this page; null: none did. */
function noticeIn({ say }: View, request: FastifyRequest): string | null {
  if (queryOf(request, 'shown') !== undefined) return say('codesShown')
  if (queryOf(request, 'done') !== undefined) return say('codesDone')
  return isUndone(request) ? say('codesUnchanged') : null
}

const BATCHES: readonly Column<Batch>[] = [
  {
    head: 'codesWhy',
    link: ({ batch_id, why }, _, { base }) => ({ href: addressOf(base, 'codes', batch_id), text: why }),
  },
  { head: 'codesGive', text: (batch, view, pages) => givesInWords(pages, view, batch) },
  { head: 'codesMade', nowrap: ({ created_at }, { day }) => day(created_at) },
  { head: 'codes', nowrap: ({ count }, { number }) => number(count) },
  { head: 'codesUsed', nowrap: ({ used }, { number }) => number(used) },
  { head: 'codesLeft', nowrap: (batch, { number }) => number(usesLeft(batch)) },
  { head: 'codesState', text: (batch, view, pages) => stateInWords(pages, view, batch) },
]

function Acts(of: { pages: CodePages; view: View; on: Subject<never, unknown>; id: string }) {
  const { pages, view, on: subject, id } = of
  return <ActButtons {...{ pages, view }} offered={actsOffered(pages, view, { subject, file: null, id })} />
}

/** A revoked batch has none, as the preview of the act said. */
const usesLeft = ({ left, revoked_at: revokedAt }: Batch) => (revokedAt === null ? left : 0)

function stateInWords({ clock }: ConsolePages, view: View, batch: Batch): string {
  const { say, day } = view
  const { until, revoked_at: revokedAt, revoked_by: name } = batch
  if (revokedAt !== null) return say('codesRevoked', { day: day(revokedAt), name: name ?? '' })
  const end = until === null ? null : Date.parse(until)
  if (end !== null && end <= clock.now()) return say('codesOver', { day: day(end - 1) })
  return validInWords(view, batch) ?? say('codesAlways')
}

type ShownUse = CodeUse & { readonly labels: Labels }

const USES: readonly Column<ShownUse>[] = [
  { head: 'when', nowrap: ({ used_at }, { moment }) => moment(used_at) },
  { head: 'user', user: ({ user_id, labels }) => labels.user(user_id) },
  { head: 'codesState', text: ({ state }, { say }) => say(`use_${state}`) },
  {
    head: 'details',
    safe: ({ state, use_id: id, plan, months, labels }, view, pages) => {
      const gives = { plan, months, percent: null, amount: null }
      if (state === 'redeemed') return <Text>{givesInWords(pages, view, gives)}</Text>
      return <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />
    },
  },
  {
    head: 'period',
    text: ({ period_start: start, period_end: end }, { say, day }) =>
      start && end && say('periodText', { start: day(start), end: day(end) }),
  },
]

function factsOf(pages: CodePages, view: View, batch: Batch) {
  const { say, number: count } = view
  const made = { day: view.moment(batch.created_at), name: batch.created_by }
  return [
    [say('codesGive'), givesInWords(pages, view, batch)],
    [say('codesState'), stateInWords(pages, view, batch)],
    [say('codesMade'), say('codesMadeBy', made)],
    [say('codeCount'), count(batch.count)],
    [say('codeUses'), count(batch.uses)],
    [say('codeUsesEach'), count(batch.uses_per_user)],
    [say('codesUsed'), count(batch.used)],
    [say('codesLeft'), count(usesLeft(batch))],
    [say('batchId'), batch.batch_id],
  ] as const
}
