// Codes in the console: the batches, and one batch with who used it.
import type { FastifyRequest } from 'fastify'
import { ActButton, actsOffered, isUndone } from '../acts/act-console.js'
import type { BroughtToConsole } from '../acts/capability.js'
import { type ReadPage, sendListFile } from '../acts/list.js'
import { listRoute } from '../acts/list-page.js'
import type { Subject } from '../acts/subject.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import {
  addressOf,
  type ConsolePages,
  Facts,
  Pager,
  renderConsole,
  sendPage,
  Text,
  type View,
  withQuery,
} from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { type Column, Table } from '../pages/table.js'
import { BATCH, batchList, CODES, showBatch } from './batches.js'
import type { CodesDeps } from './code-deps.js'
import { givesInWords, validInWords } from './code-words.js'
import { CODES_EXPORT, type CodeUse, pageOfUses, useList } from './uses.js'

type CodePages = ConsolePages & CodesDeps & BroughtToConsole<CodesDeps>
type Batch = Awaited<ReturnType<typeof showBatch>>
interface Params {
  readonly batch_id: string
}

const SHOWN = 25

export function codePageRoutes(app: App, pages: CodePages): void {
  const path = '/console/codes/:batch_id'

  listRoute(app, pages, {
    path: 'codes',
    title: 'codes',
    list: batchList,
    fields: { q: 'codesWhy' },
    shown: SHOWN,
    columns: BATCHES,
    above: (view, request) => (
      <>
        <Notice {...{ view, request }} />
        {pages.codeKeys.length > 0 ? null : <p safe>{view.say('codesOff')}</p>}
        <Acts {...{ pages, view }} on={CODES} id="" />
      </>
    ),
  })

  app.get<{ Params: Params }>(path, forOperators(pages), async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const cursor = queryOf(request, 'cursor') ?? null
    const batch = await showBatch(pages, request.params.batch_id)
    const { items, nextCursor } = await pageOfUses(pages, batch, { cursor, limit: SHOWN })
    const payments = items.filter(({ state }) => state !== 'redeemed').map(({ use_id: id }) => id)
    const labels = await readLabels(pages, { payments, users: items.map(({ user_id: id }) => id) })
    const shown = { batch, items, nextCursor, isFirst: cursor === null, labels }
    return sendPage(pages, reply, batchPage(pages, view, request, shown))
  })

  const thisSite = fromThisSite(pages, (of: Params) => addressOf('', 'codes', of.batch_id))
  app.get<{ Params: Params }>(`${path}/uses.csv`, thisSite, (request, reply) => {
    const { operator } = pages.operatorsHere.of(request)
    return sendListFile(pages, useList, { of: request.params, operator, reply })
  })
}

/** Says what the act did that led to this page. */
function Notice({ view: { say }, request }: { readonly view: View; readonly request: FastifyRequest }) {
  const isDone = queryOf(request, 'done') !== undefined
  const key = queryOf(request, 'shown') !== undefined ? 'codesShown' : isDone ? 'codesDone' : null
  if (key === null && !isUndone(request)) return null
  return (
    <p class="notice" role="status" safe>
      {say(key ?? 'codesUnchanged')}
    </p>
  )
}

const BATCHES: readonly Column<Batch>[] = [
  {
    head: 'codesWhy',
    link: ({ batch_id, why }, _, { base }) => ({ href: addressOf(base, 'codes', batch_id), text: why }),
  },
  { head: 'codesGive', text: (batch, view, pages) => givesInWords(pages, view, worthOf(batch)) },
  { head: 'codesMade', nowrap: ({ created_at }, { day }) => day(created_at) },
  { head: 'codes', nowrap: ({ count }, { number }) => number(count) },
  { head: 'codesUsed', nowrap: ({ used }, { number }) => number(used) },
  { head: 'codesLeft', nowrap: ({ left }, { number }) => number(left) },
  { head: 'codesState', text: (batch, view, pages) => stateInWords(pages, view, batch) },
]

function Acts(of: { pages: CodePages; view: View; on: Subject<never, unknown>; id: string }) {
  const { pages, view, on: subject, id } = of
  const acts = actsOffered(pages, view, { subject, file: null, deps: pages })
  if (acts.length === 0) return null
  return (
    <div class="actions">
      {acts.map((act) => (
        <ActButton {...{ pages, view, act, id }} />
      ))}
    </div>
  )
}

const instantOf = (timestamp: string | null) => (timestamp === null ? null : Date.parse(timestamp))
const worthOf = ({ plan: planId, ...same }: Batch) => ({ ...same, planId })
const validityOf = ({ from, until }: Batch) => ({ from: instantOf(from), until: instantOf(until) })

function stateInWords(pages: ConsolePages, view: View, batch: Batch): string {
  const { say, day } = view
  const { revoked_at: revokedAt, revoked_by: name } = batch
  if (revokedAt !== null) return say('codesRevoked', { day: day(revokedAt), name: name ?? '' })
  const { until } = validityOf(batch)
  if (until !== null && until <= pages.clock.now()) return say('codesOver', { day: day(until - 1) })
  return validInWords(pages, view, validityOf(batch)) ?? say('codesAlways')
}

interface BatchShown extends ReadPage<CodeUse> {
  readonly batch: Batch
  readonly isFirst: boolean
  readonly labels: Labels
}

function batchPage(pages: CodePages, view: View, request: FastifyRequest, shown: BatchShown): string {
  const { say, session } = view
  const { batch, items, nextCursor, isFirst, labels } = shown
  const path = addressOf(pages.base, 'codes', batch.batch_id)
  return renderConsole(pages, {
    ...view,
    title: batch.why,
    section: 'codes',
    safeContent: (
      <>
        <h1>
          <bdi safe>{batch.why}</bdi>
        </h1>
        <Notice {...{ view, request }} />
        <Card id="batch" title={say('codes')}>
          <Facts facts={factsOf(pages, view, batch)} />
          {batch.revoked_at === null ? <Acts {...{ pages, view }} on={BATCH} id={batch.batch_id} /> : null}
        </Card>
        <Card id="uses" title={say('codeUsesTitle')}>
          <Table
            {...{ pages, view }}
            rows={items}
            columns={[
              { head: 'when', nowrap: ({ used_at }) => view.moment(used_at) },
              { head: 'user', user: ({ user_id }) => labels.user(user_id) },
              { head: 'codesState', text: ({ state }) => say(`use_${state}`) },
              { head: 'details', safe: (use) => <Used {...{ pages, view, use, labels }} /> },
              {
                head: 'period',
                text: ({ period_start: start, period_end: end }) =>
                  start && end && say('periodText', { start: view.day(start), end: view.day(end) }),
              },
            ]}
            empty={say('codesUnused')}
          />
          <Pager
            view={view}
            first={isFirst ? null : `${path}#uses`}
            next={nextCursor && `${withQuery(path, { cursor: nextCursor })}#uses`}
          >
            {items.length > 0 && mayDo(session.operator, CODES_EXPORT) ? (
              <LinkButton href={`${path}/uses.csv`} label={say('asFile')} />
            ) : null}
          </Pager>
        </Card>
      </>
    ),
  })
}

function factsOf(pages: CodePages, view: View, batch: Batch) {
  const { say, number: count } = view
  const made = { day: view.moment(batch.created_at), name: batch.created_by }
  return [
    [say('codesGive'), givesInWords(pages, view, worthOf(batch))],
    [say('codesState'), stateInWords(pages, view, batch)],
    [say('codesMade'), say('codesMadeBy', made)],
    [say('codeCount'), count(batch.count)],
    [say('codeUses'), count(batch.uses)],
    [say('codeUsesEach'), count(batch.uses_per_user)],
    [say('codesUsed'), count(batch.used)],
    [say('codesLeft'), count(batch.left)],
    [say('codesRevokedAlone'), batch.codes_revoked === 0 ? null : count(batch.codes_revoked)],
    [say('batchId'), batch.batch_id],
  ] as const
}

function Used(of: { pages: CodePages; view: View; use: CodeUse; labels: Labels }) {
  const { pages, view, use, labels } = of
  const { state, use_id: id, plan: planId, months } = use
  const gives = { kind: 'months', planId, months, percent: null, amount: null } as const
  if (state === 'redeemed') return <Text>{givesInWords(pages, view, gives)}</Text>
  return <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />
}
