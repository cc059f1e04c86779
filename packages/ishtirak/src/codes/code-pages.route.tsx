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
  Facts,
  NoWrap,
  Pager,
  renderConsole,
  sendPage,
  Table,
  Text,
  type View,
  withQuery,
} from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { Card, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { UserCell } from '../pages/user-cell.js'
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
  const rows = shown.items.map((batch) => ({ safeCells: cellsOfBatch(pages, view, batch) }))
  const columns = [
    'codesWhy',
    'codesGive',
    'codesMade',
    'codes',
    'codesUsed',
    'codesLeft',
    'codesState',
  ] as const
  return renderConsole(pages, {
    ...view,
    title: say('codes'),
    section: 'codes',
    languagePath: withQuery(path, { q }),
    safeContent: (
      <>
        <h1 safe>{say('codes')}</h1>
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
          <Table columns={columns.map((key) => say(key))} safeRows={rows} empty={say('codesNone')} />
          <Pager
            view={view}
            first={shown.isFirst && q === '' ? null : path}
            next={shown.nextCursor && withQuery(path, { q, cursor: shown.nextCursor })}
          />
        </section>
      </>
    ),
  })
}

function cellsOfBatch(pages: CodePages, view: View, batch: Batch): readonly JSX.Element[] {
  const { locale } = view
  const { number, day } = pages.formats
  return [
    <a href={addressOf(pages.base, 'codes', batch.batch_id)}>
      <bdi safe>{batch.why}</bdi>
    </a>,
    <Text>{givesInWords(pages, view, worthOf(batch))}</Text>,
    <NoWrap>{day(Date.parse(batch.created_at), locale)}</NoWrap>,
    <NoWrap>{number(batch.count, locale)}</NoWrap>,
    <NoWrap>{number(batch.used, locale)}</NoWrap>,
    <NoWrap>{number(batch.left, locale)}</NoWrap>,
    <Text>{stateInWords(pages, view, batch)}</Text>,
  ]
}

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

function stateInWords(pages: CodePages, view: View, batch: Batch): string {
  const { say, locale } = view
  const { revoked_at: revokedAt, revoked_by: name } = batch
  const day = (instant: number) => pages.formats.day(instant, locale)
  if (revokedAt !== null) return say('codesRevoked', { day: day(Date.parse(revokedAt)), name: name ?? '' })
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
  const rows = shown.items.map((use) => ({ safeCells: cellsOfUse(pages, view, use, labels) }))
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
            columns={[say('when'), say('user'), say('codesState'), say('details'), say('period')]}
            safeRows={rows}
            empty={say('codesUnused')}
          />
          <Pager
            view={view}
            first={shown.isFirst ? null : `${path}#uses`}
            next={shown.nextCursor && `${withQuery(path, { cursor: shown.nextCursor })}#uses`}
          >
            {rows.length > 0 && mayDo(session.operator, CODES_EXPORT) ? (
              <LinkButton href={`${path}/uses.csv`} label={say('asFile')} />
            ) : null}
          </Pager>
        </Card>
      </>
    ),
  })
}

function factsOf(pages: CodePages, view: View, batch: Batch) {
  const { say, locale } = view
  const { formats } = pages
  const count = (number: number) => formats.number(number, locale)
  const made = { day: formats.moment(Date.parse(batch.created_at), locale), name: batch.created_by }
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

function cellsOfUse(pages: CodePages, view: View, use: CodeUse, labels: Labels): readonly JSX.Element[] {
  const { say, locale } = view
  const { moment, day } = pages.formats
  const { period_start: start, period_end: end, plan, months } = use
  const span = { start: day(instantOf(start) ?? 0, locale), end: day(instantOf(end) ?? 0, locale) }
  return [
    <NoWrap>{moment(Date.parse(use.used_at), locale)}</NoWrap>,
    <UserCell {...{ pages, user: labels.user(use.user_id) }} />,
    <span safe>{say(`use_${use.state}`)}</span>,
    use.state === 'redeemed' ? (
      <Text>
        {givesInWords(pages, view, { kind: 'months', planId: plan, months, percent: null, amount: null })}
      </Text>
    ) : (
      <PaymentLink {...{ pages, view }} id={use.use_id} payment={labels.payment(use.use_id)} />
    ),
    start === null || end === null ? '' : <Text>{say('periodText', span)}</Text>,
  ]
}
