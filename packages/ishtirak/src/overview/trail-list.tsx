// The audit trail as a list: what operators did and were refused, newest first, with filters.
import { type Static, Type } from 'typebox'
import { DAY_PATTERN } from '../acts/day.js'
import { list } from '../acts/list.js'
import type { ListPage } from '../acts/list-page.js'
import { byInstant, type PageRequest } from '../acts/paging.js'
import { wrongField } from '../core/error.js'
import { instant, text } from '../database/rows.js'
import { nullable, object } from '../http/schemas.js'
import { PaymentLink, readLabels } from '../ledger/labels.js'
import { viewRows } from '../ledger/schemas.js'
import { ActSchema } from '../ledger/user-acts.sql.js'
import { UserCell } from '../pages/console-parts.js'
import { codeInWords, recordedActs } from '../pages/console-words.js'
import type { AllPages, ReadDeps } from './all-pages.js'
import { trailPage } from './audit-trail.sql.js'
import { TRAIL_COLUMNS } from './trail.js'

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

const TrailEntrySchema = object('TrailEntry', {
  ...ActSchema.properties,
  user_id: nullable(Type.String({ description: 'Null: the act is about no single user' })),
})
type Entry = Static<typeof TrailEntrySchema>

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
  return { items: viewRows(TrailEntrySchema, items), nextCursor }
}

export const trailList = list<ReadDeps>()({
  path: '/audit',
  operationId: 'readTrail',
  summary: 'What operators did and were refused, newest first, by operator, act, day, user or payment',
  filter: TrailFilterSchema,
  item: TrailEntrySchema,
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

type Labels = Awaited<ReturnType<typeof readLabels>>

export const trailPageOfConsole: ListPage<AllPages, Entry, Entry & { readonly labels: Labels }> = {
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
