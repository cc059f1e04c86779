// Acts on many in the console: which act, what it asks for, what it changes; and how far it is, on a page
// that loads itself anew until all is done.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fieldsByInput, inputIn, pathOfAct, titleOf } from '../acts/act-console.js'
import { actPage, questionPage } from '../acts/act-page.js'
import { changesInWords } from '../acts/changes.js'
import { filterIn } from '../acts/list.js'
import { performOrRepeat } from '../acts/perform.js'
import { byOf, orAgain, typedIn } from '../acts/sent-form.js'
import type { Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { viewRows } from '../ledger/schemas.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Facts,
  renderConsole,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { Table } from '../pages/table.js'
import { bulks, resultsOf } from './bulk.sql.js'
import { sendResults } from './bulk-readings.js'
import { type BulkRequest, BulkSchema } from './bulk-schemas.js'
import { actOnMany, previewMany, showBulk, startBulk, stopBulk } from './many.js'
import type { WorkDeps } from './work-off.js'

type Pages = ConsolePages & WorkDeps
type Typed = Readonly<Record<string, string>>

const SHOWN = 100

export function bulkRoutes(app: App, pages: Pages): void {
  const hidden = forOperators(pages)
  const path = '/console/bulk/start'

  app.get('/console/bulk', hidden, async (request, reply) => {
    const found = viewRows(BulkSchema, await bulks(pages.database, { limit: SHOWN }))
    return sendPage(pages, reply, listPage(pages, viewOf(pages, request, reply), found))
  })

  app.get(path, hidden, (request, reply) => {
    const names = Object.keys(Object(request.query))
    const typed = Object.fromEntries(names.map((name) => [name, queryOf(request, name) ?? '']))
    return sendAskPage(pages, request, reply, { typed, problems: null })
  })

  app.post(path, hidden, (request, reply) => {
    const typed = typedIn(request)
    return orAgain(
      async () => {
        const by = byOf(pages, request, { isReasonRequired: true, isShown: true })
        const call = { id: '', input: { ...requestIn(pages, typed), why: by.reason ?? '' }, by }
        const performed = await performOrRepeat(startBulk, pages, call)
        const id = performed.kind === 'done' ? performed.outcome : performed.found.after.bulk_id
        return reply.headers(pages.headers).redirect(addressOf(pages.base, 'bulk', String(id)), 303)
      },
      (problems) => sendAskPage(pages, request, reply.code(422), { typed, problems }),
    ).catch((error: unknown) => {
      if (!(error instanceof BillingError) || error.extra.changed !== true) throw error
      return sendAskPage(pages, request, reply.code(409), { typed, problems: [] })
    })
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

/** Of a filter the members have `of.` before, so that none is taken for what the act asks. */
const OF = 'of.'

function filterOf(subject: Subject | undefined, typed: Typed): Typed {
  return subject?.list ? filterIn(subject.list.filter, (name) => typed[`${OF}${name}`] ?? '') : {}
}

/** Throws `validation_failed`. */
function requestIn(pages: Pages, typed: Typed): Omit<BulkRequest, 'why'> {
  const act = actOnMany(pages, typed.act ?? '')
  const input = act.form?.read ? act.form.read(pages, typed, '') : inputIn(pages, act, typed, '')
  return { act: act.name, filter: filterOf(act.on, typed), input: { ...input } }
}

async function sendAskPage(
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { typed, problems }: { readonly typed: Typed; readonly problems: BillingError['problems'] | null },
): Promise<FastifyReply> {
  const view = viewOf(pages, request, reply)
  if ((typed.act ?? '') === '') return sendPage(pages, reply, choicePage(pages, view, typed))
  const act = actOnMany(pages, typed.act ?? '')
  const carried = Object.entries(typed).filter(([name]) => name === 'act' || name.startsWith(OF))
  const fields = (act.form?.ofMany?.(pages, view) ?? fieldsByInput(act)).map((field) => ({
    ...field,
    value: typed[field.name] || field.value,
  }))
  const page = {
    title: titleOf(act, view),
    text: view.say('text_bulk_start'),
    path: `${pages.base}/console/bulk/start`,
    backPath: addressOf(pages.base, `${act.on.name}s`),
  }
  const hidden = Object.fromEntries(carried)
  const ask = (wrong: BillingError['problems']) => {
    const sent = wrong.length > 0 ? { typed, problems: wrong } : null
    return sendPage(pages, reply, questionPage(pages, view, { ...page, fields, hidden, sent }))
  }
  if (fields.some(({ value }) => value === '')) return ask([])
  try {
    const by = { operator: view.session.operator, reason: null }
    const preview = await previewMany(pages, { ...requestIn(pages, typed), why: '' }, by)
    const answered = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    const sent = problems && { typed, problems }
    const safeMore = <First {...{ pages, view, preview }} />
    const shown = { version: preview.version, changes: [], isReasonRequired: true, safeMore }
    return sendPage(
      pages,
      reply,
      actPage(pages, view, { ...page, ...shown, hidden: { ...hidden, ...answered }, sent }),
    )
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== 'validation_failed') throw error
    reply.code(422)
    return ask(error.problems)
  }
}

type Previewed = Awaited<ReturnType<typeof previewMany>>

/** How many, what for all of them, and what changes for the first. */
function First({ pages, view, preview }: { pages: Pages; view: View; preview: Previewed }) {
  const { say, number } = view
  const { many, first } = preview.detail
  const sides = (one: (typeof first)[number], side: 'before' | 'after') =>
    (one.preview ? changesInWords(pages, view, one.preview.changes) : []).map((of) => of[side]).join(' · ')
  return (
    <>
      <Facts
        facts={[
          [say('bulkCount'), number(many.targets.length)],
          ...(many.unit
            ? [[say(many.unit === 'days' ? 'bulkDays' : 'bulkDinars'), number(many.sum)] as const]
            : []),
        ]}
      />
      <h2 safe>{say('bulkFirst')}</h2>
      <Table
        {...{ pages, view }}
        rows={first}
        columns={[
          { head: 'bulkTarget', text: ({ id }) => id, isName: true },
          { head: 'before', text: (one) => sides(one, 'before') },
          {
            head: 'after',
            text: (one) => (one.code ? codeInWords(view, 'bulk', one.code) : sides(one, 'after')),
          },
        ]}
      />
    </>
  )
}

/** The acts that this operator may do to all that the filter finds. */
function choicePage(pages: Pages, view: View, typed: Typed): string {
  const { say } = view
  const acts = pages.actsOfAll.filter(
    (act) =>
      act.on.name === typed.on &&
      act.on.list &&
      !act.each &&
      act.form !== null &&
      mayDo(view.session.operator, act),
  )
  const carried = Object.entries(typed).filter(([name]) => name.startsWith(OF))
  const pathOf = (name: string) => `/console/bulk/start?${new URLSearchParams([['act', name], ...carried])}`
  return renderConsole(pages, {
    ...view,
    title: say('bulkChoose'),
    safeContent: (
      <section class="card">
        <h1 safe>{say('bulkChoose')}</h1>
        <p safe>{say(acts.length > 0 ? 'text_bulk_start' : 'bulkNo')}</p>
        <p class="actions">
          {acts.map((act) => (
            <LinkButton href={`${pages.base}${pathOf(act.name)}`} label={titleOf(act, view)} />
          ))}
        </p>
      </section>
    ),
  })
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
  const sums = bulk.unit === null ? null : `${number(bulk.sum_done)} / ${number(bulk.sum)}`
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
          [say(bulk.unit === 'dinars' ? 'bulkDinars' : 'bulkDays'), sums],
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
