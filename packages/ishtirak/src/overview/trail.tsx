// The audit trail: what operators did and were refused, newest first. It is a list with filters, a card of a
// page, and the notice above the card that says what became of the last act.

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { DAY_PATTERN } from '../acts/day.js'
import { list } from '../acts/list.js'
import type { ListPage } from '../acts/list-page.js'
import { byInstant, type PageRequest } from '../acts/paging.js'
import { UNKNOWN } from '../acts/refusals.js'
import { isErrorCode, wrongField } from '../core/error.js'
import { instant, text } from '../database/rows.js'
import { nullable, object } from '../http/schemas.js'
import { CATALOGS } from '../i18n/messages.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { viewRows } from '../ledger/schemas.js'
import { ActSchema } from '../ledger/user-acts.sql.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { type Column, Folded, type LinkedFact, Table, UserCell } from '../pages/console-parts.js'
import { codeInWords, obstaclesInWords, recordedActs } from '../pages/console-words.js'
import { LinkButton } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages, ReadDeps } from './all-pages.js'
import { trailPage } from './audit-trail.sql.js'

export type TrailEntry = Static<typeof ActSchema>

export const REFUSED = 'operator.refused'

export type TrailNotice = ReturnType<typeof noticeIn>

/** What became of the last act: the pages of acts write these members into the address. */
export function noticeIn(request: FastifyRequest) {
  const done = queryOf(request, 'done') ?? queryOf(request, 'shown')
  const refused = queryOf(request, 'refused')
  return {
    /** The ids of the act that was just done, and of the refusal of what was just tried. */
    ...{ done, refused },
    /** An act was just done or refused, so its entry is in the trail. */
    isOfAct: done !== undefined || refused !== undefined,
    /** Nothing was done, because the facts had changed. */
    isChanged: queryOf(request, 'changed') !== undefined,
  }
}

/** An operator who reads "done" believes that the money is booked. If it is not, the page says why. */
export const BOOKING: readonly string[] = ['payment.approve', 'payment.accept']

export function NoticeOf(of: {
  readonly view: View
  readonly acts: readonly TrailEntry[]
  readonly notice: TrailNotice
  /** The state after this act, such as why an act that books money has booked none; null: no more is said. */
  readonly state?: (act: TrailEntry) => string | null
  readonly next?: LinkedFact | null
}) {
  const { view, acts, notice, state, next = null } = of
  const act = acts.find((one) => one.id === (one.act === REFUSED ? notice.refused : notice.done))
  if (!act && !notice.isChanged) return null
  const stateInWords = (act && state?.(act)) ?? null
  const { title, text, isWarning = false } = saidOf(view, act, stateInWords !== null)
  return (
    <section class={isWarning ? 'notice warn' : 'notice'} role="status">
      <h2 safe>{view.say(title)}</h2>
      {[text, stateInWords].map((one) => (one === null ? null : <p safe>{one}</p>))}
      <p class="actions">
        {next && <LinkButton href={next.href} label={next.text} go />}
        {act && <LinkButton href={`#${act.id}`} label={view.say('toTrail')} />}
      </p>
    </section>
  )
}

/** No act: nothing was done, because the facts had changed. */
function saidOf(view: View, act: TrailEntry | undefined, hasState: boolean) {
  if (!act) return { title: 'changedTitle', text: view.say('changedText'), isWarning: true } as const
  if (act.act === REFUSED)
    return { title: 'refusedTitle', text: refusalOf(view, act), isWarning: true } as const
  const text = view.say('doneText', { act: didInWords(view, act), name: act.actor })
  if (hasState && BOOKING.includes(act.act))
    return { title: 'notBookedTitle', text, isWarning: true } as const
  return { title: 'doneTitle', text } as const
}

/** The first of two approvals has its own words, because it books nothing. */
function didInWords(view: View, { act, after }: TrailEntry): string {
  const isFirst = act === 'payment.approve' && Object(after).state !== 'approved'
  return isFirst ? view.say('approvedFirst') : codeInWords(view, 'did', act)
}

/** Which act was refused, and why; empty for other acts. */
function refusalOf(view: View, { after }: TrailEntry): string {
  if (typeof after !== 'object' || after === null) return ''
  const { code, act = null, ...more } = after as { readonly code?: unknown; readonly act?: unknown }
  if (typeof code !== 'string' || !isErrorCode(code)) return ''
  const title = obstaclesInWords(view, more) || CATALOGS[view.locale].error[code].title
  return typeof act !== 'string'
    ? title
    : view.say('entryOf', { entry: title, what: codeInWords(view, 'act', act) })
}

export function Trail(of: { pages: ConsolePages; view: View; acts: readonly TrailEntry[]; isOpen: boolean }) {
  const { pages, view, acts, isOpen } = of
  const { say } = view
  // Open after an act, because the notice links to the entry.
  return (
    <Folded id="trail" title={say('trail')} isOpen={isOpen || acts.length === 0}>
      <Table
        {...{ pages, view }}
        rows={acts}
        columns={TRAIL_COLUMNS}
        idOf={({ id }) => id}
        empty={say('trailEmpty')}
      />
    </Folded>
  )
}

const TRAIL_COLUMNS = [
  { head: 'when', text: ({ at }, { moment }) => moment(at) },
  { head: 'who', text: ({ actor }, { say }) => (actor === UNKNOWN ? say('unknownCaller') : actor) },
  { head: 'act', text: (entry, view) => didInWords(view, entry) },
  {
    head: 'why',
    text: (entry, view) =>
      [refusalOf(view, entry), entry.why ?? ''].filter((text) => text !== '').join(' · '),
  },
] as const satisfies readonly Column<TrailEntry>[]

const NAME_MAX = 500

const only = (description: string, examples?: readonly string[]) =>
  Type.Optional(Type.String({ maxLength: NAME_MAX, description, ...(examples && { examples }) }))

const TrailFilterSchema = Type.Object({
  actor: only('Only acts of this operator'),
  act: only('Only this act', ['payment.refund', 'operator.refused']),
  day: Type.Optional(
    Type.String({
      pattern: DAY_PATTERN,
      description: 'Only of this day in BILLING_TIMEZONE',
      examples: ['2026-11-21'],
    }),
  ),
  user_id: only('Only what is about this user'),
  payment_id: only('Only what is about this payment'),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAME_MAX,
      description: 'Only with these words in the reason, or this id',
      examples: ['ticket 4711'],
    }),
  ),
})

const ListedActSchema = object('TrailEntry', {
  ...ActSchema.properties,
  user_id: nullable(Type.String({ description: 'Null: the act is about no single user' })),
})
type ListedAct = Static<typeof ListedActSchema>

/** Throws `validation_failed` if there is no such day, and `invalid_cursor`. */
export async function pageOfTrail(
  { database, wallClock }: ReadDeps,
  { day: name, ...filter }: Static<typeof TrailFilterSchema>,
  { cursor, limit }: PageRequest,
) {
  const day = name === undefined ? null : wallClock.dayOf(name)
  if (name !== undefined && day === null) throw wrongField('day', 'wrong_format')
  const after = cursor === null ? null : byInstant.decode(cursor)
  const rows = await trailPage(database, { ...filter, day }, after, limit + 1)
  const { items, nextCursor } = byInstant.pageBy(rows, limit, (row) => ({
    ...{ at: instant(row, 'at'), id: text(row, 'id') },
  }))
  return { items: viewRows(ListedActSchema, items), nextCursor }
}

export const trailList = list<ReadDeps>()({
  path: '/audit',
  operationId: 'readTrail',
  summary: 'What operators did and were refused, newest first, by operator, act, day, user or payment',
  filter: TrailFilterSchema,
  item: ListedActSchema,
  title: 'Trail',
  command: {
    ...{ usage: 'operators trail', rows: 'trail' },
    columns: ['at', 'actor', 'act', 'user_id', 'payment_id', 'why'],
  },
  read: pageOfTrail,
  file: {
    permission: { name: 'trail.export', roles: ['accountant'] },
    path: '/exports/trail',
    operationId: 'exportTrail',
    summary: 'All of the trail that matches, newest first, as CSV',
    usage: 'operators export-trail',
    columns: ['id', 'at', 'actor', 'act', 'user_id', 'payment_id', 'why', 'before', 'after'],
  },
})

const [when, who, what, why] = TRAIL_COLUMNS

export const trailPageOfConsole: ListPage<AllPages, ListedAct, ListedAct & { readonly labels: Labels }> = {
  path: 'trail',
  title: 'trailPage',
  list: trailList,
  fields: {
    actor: 'who',
    act: ['act', (_, view) => recordedActs().map((name) => [name, codeInWords(view, 'did', name)])],
    day: 'day',
    user_id: 'userId',
    payment_id: 'paymentId',
    q: 'trailWords',
  },
  // With reasons of 500 letters the pages are under 60 kB.
  shown: 12,
  rows: async (pages, entries) => {
    const labels = await readLabels(pages, {
      payments: entries.map(({ payment_id }) => payment_id),
      users: entries.map(({ user_id }) => user_id),
    })
    return entries.map((entry) => ({ ...entry, labels }))
  },
  columns: [
    ...[when, who, what],
    {
      head: 'about',
      safe: ({ user_id, payment_id: id, labels }, view, pages) => (
        <>
          <UserCell {...{ pages, user: labels.user(user_id) }} />
          {id === null ? null : <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />}
        </>
      ),
    },
    why,
  ],
  idOf: ({ id }) => id,
}
