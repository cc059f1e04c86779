// Codes in the console: the batches, and one batch with who used it.
import type { FastifyRequest } from 'fastify'
import { ActButton, actsOffered, isUndone } from '../acts/act-console.js'
import { Input } from '../acts/act-page.js'
import type { BroughtToConsole } from '../acts/capability.js'
import { filterIn, sendListFile } from '../acts/list.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/checker.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Facts,
  Pager,
  renderConsole,
  sendPage,
  Text,
  type View,
  withQuery,
} from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { Card, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { type Column, Table } from '../pages/table.js'
import { BATCH, CODES, pageOfBatches, showBatch } from './batches.js'
import type { CodesDeps } from './code-deps.js'
import { CodeFilterSchema } from './code-schemas.js'
import { givesInWords, validInWords } from './code-words.js'
import { CODES_EXPORT, type CodeUse, pageOfUses, useList } from './uses.js'

type CodePages = ConsolePages & CodesDeps & BroughtToConsole<CodesDeps>
type Batch = Awaited<ReturnType<typeof showBatch>>
interface Params {
  readonly batch_id: string
}

interface Found<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
  readonly isFirst: boolean
}

const SHOWN = 25

export function codePageRoutes(app: App, pages: CodePages): void {
  const hidden = forOperators(pages)
  const path = '/console/codes'
  const cursorOf = (request: FastifyRequest) => queryOf(request, 'cursor') ?? null

  app.get(path, hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const { q = '' } = checker<{ q?: string }>(CodeFilterSchema)(
      filterIn(CodeFilterSchema, (name) => queryOf(request, name) ?? ''),
    )
    const cursor = cursorOf(request)
    const found = await pageOfBatches(pages, { q }, { cursor, limit: SHOWN })
    const shown = { ...found, isFirst: cursor === null }
    return sendPage(pages, reply, listPage(pages, view, { q, shown, notice: noticeOf(view, request) }))
  })

  app.get<{ Params: Params }>(`${path}/:batch_id`, hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const cursor = cursorOf(request)
    const batch = await showBatch(pages, request.params.batch_id)
    const found = await pageOfUses(pages, batch, { cursor, limit: SHOWN })
    const { items } = found
    const payments = items.filter(({ state }) => state !== 'redeemed').map(({ use_id: id }) => id)
    const labels = await readLabels(pages, { payments, users: items.map(({ user_id: id }) => id) })
    const shown = { ...found, isFirst: cursor === null }
    const notice = noticeOf(view, request)
    return sendPage(pages, reply, batchPage(pages, view, { batch, shown, labels, notice }))
  })

  const thisSite = fromThisSite(pages, (of: Params) => addressOf('', 'codes', of.batch_id))
  app.get<{ Params: Params }>(`${path}/:batch_id/uses.csv`, thisSite, (request, reply) => {
    const { operator } = pages.operatorsHere.of(request)
    return sendListFile(pages, useList, { of: request.params, operator, reply })
  })
}

/** What became of the act that led here; null: none did. */
function noticeOf({ say }: View, request: FastifyRequest): string | null {
  if (queryOf(request, 'shown') !== undefined) return say('codesShown')
  if (queryOf(request, 'done') !== undefined) return say('codesDone')
  return isUndone(request) ? say('codesUnchanged') : null
}

function Notice({ text }: { readonly text: string | null }) {
  if (text === null) return null
  return (
    <p class="notice" role="status" safe>
      {text}
    </p>
  )
}

function listPage(
  pages: CodePages,
  view: View,
  of: { readonly q: string; readonly shown: Found<Batch>; readonly notice: string | null },
): string {
  const { q, shown, notice } = of
  const { say } = view
  const path = addressOf(pages.base, 'codes')
  return consolePage(
    { pages, view, title: say('codes'), section: 'codes', languagePath: withQuery(path, { q }) },
    <>
      <Notice text={notice} />
      <section class="card" aria-label={say('codes')}>
        {pages.codeKeys.length > 0 ? <Made {...{ pages, view }} /> : <p safe>{say('codesOff')}</p>}
        <form method="get" action={path} class="filter">
          <Input
            view={view}
            field={{ name: 'q', label: say('codesWhy'), type: 'text', value: q }}
            sent={null}
            isRequired={false}
          />
          <SubmitButton label={say('codesFind')} />
        </form>
        <Table {...{ pages, view }} rows={shown.items} columns={BATCHES} empty={say('codesNone')} />
        <Pager
          view={view}
          first={shown.isFirst && q === '' ? null : path}
          next={shown.nextCursor && withQuery(path, { q, cursor: shown.nextCursor })}
        />
      </section>
    </>,
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

/** What can be done with codes of no batch. */
function Made({ pages, view }: { readonly pages: CodePages; readonly view: View }) {
  return (
    <Acts
      {...{ pages, view }}
      acts={actsOffered(pages, view, { subject: CODES, file: null, deps: pages })}
      id=""
    />
  )
}

function Acts(of: {
  readonly pages: CodePages
  readonly view: View
  readonly acts: ReturnType<typeof actsOffered<CodesDeps, unknown>>
  readonly id: string
}) {
  const { pages, view, acts, id } = of
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

interface BatchShown {
  readonly batch: Batch
  readonly shown: Found<CodeUse>
  readonly labels: Labels
  readonly notice: string | null
}

function batchPage(pages: CodePages, view: View, { batch, shown, labels, notice }: BatchShown): string {
  const { say, session } = view
  const path = addressOf(pages.base, 'codes', batch.batch_id)
  const acts =
    batch.revoked_at === null ? actsOffered(pages, view, { subject: BATCH, file: null, deps: pages }) : []
  return renderConsole(pages, {
    ...view,
    title: batch.why,
    section: 'codes',
    safeContent: (
      <>
        <h1>
          <bdi safe>{batch.why}</bdi>
        </h1>
        <Notice text={notice} />
        <Card id="batch" title={say('codes')}>
          <Facts facts={factsOf(pages, view, batch)} />
          <Acts {...{ pages, view, acts }} id={batch.batch_id} />
        </Card>
        <Card id="uses" title={say('codeUsesTitle')}>
          <Table
            {...{ pages, view }}
            rows={shown.items}
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
            first={shown.isFirst ? null : `${path}#uses`}
            next={shown.nextCursor && `${withQuery(path, { cursor: shown.nextCursor })}#uses`}
          >
            {shown.items.length > 0 && mayDo(session.operator, CODES_EXPORT) ? (
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
