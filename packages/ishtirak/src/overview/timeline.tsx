// What happened to a user: money, time, events to the platform, reports, mail and acts. The API,
// a command and a card of the user's page list it.
import { type Static, Type } from 'typebox'
import { ActLink } from '../acts/act-links.js'
import { statusKey } from '../acts/changes.js'
import { list } from '../acts/list.js'
import type { PageRequest, ReadPage } from '../acts/paging.js'
import { publicMethodOf } from '../core/payment.js'
import { instant, integer, text } from '../database/rows.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { instrumentName } from '../i18n/messages.js'
import { PaymentLink } from '../ledger/labels.js'
import { requireUser } from '../ledger/load.js'
import { viewRows } from '../ledger/schemas.js'
import { USER, UserParamsSchema } from '../ledger/subjects.js'
import { resendReceipt } from '../mail/resend-receipt.js'
import { addressOf, type View } from '../pages/console-frame.js'
import { type Column, Folded, Pager, Table } from '../pages/console-parts.js'
import {
  codeInWords,
  failureInWords,
  lengthInWords,
  mailedInWords,
  planInWords,
} from '../pages/console-words.js'
import type { AllPages, ReadDeps } from './all-pages.js'
import type { UserFile } from './read-files.js'
import { byEntry, TIMELINE_KINDS, timelinePage } from './timeline.sql.js'

const TimelineEntrySchema = object('TimelineEntry', {
  at: timestamp,
  kind: Type.Enum([...TIMELINE_KINDS], {
    description:
      '`payment`: it was ordered; `paid`: its money came; `period`: the time that it bought began; ' +
      '`event`: sent to the platform; `report`: from the provider',
  }),
  id: Type.String({ description: 'Unique within the kind' }),
  what: Type.String({
    description: 'The plan of a payment or period, the length of a grant, else the type',
    examples: ['payment.refund', 'pro'],
  }),
  payment_id: nullable(Type.String()),
  amount: nullable(Type.Integer({ description: 'Whole dinars' })),
  until: nullable(timestamp),
  actor: nullable(Type.String({ description: 'The operator, or the payment method or instrument' })),
  why: nullable(
    Type.String({
      description: 'The reason, the status now, or what became of a report, an event or a mail',
    }),
  ),
})
type Entry = Static<typeof TimelineEntrySchema>

/** Newest first. Throws `not_found` and `invalid_cursor`. */
export async function pageOfTimeline(
  { database, clock }: ReadDeps,
  { user_id: userId }: Static<typeof UserParamsSchema>,
  page: PageRequest,
): Promise<ReadPage<Entry>> {
  const { cursor, limit } = page
  const after = cursor === null ? null : byEntry.decode(cursor)
  await requireUser({ database }, userId)
  const rows = await timelinePage(database, userId, { after, limit: limit + 1 }, clock.now())
  const { items, nextCursor } = byEntry.pageBy(rows, limit, (row) => ({
    ...{ at: instant(row, 'at'), id: text(row, 'id'), rank: integer(row, 'rank') },
  }))
  return { items: viewRows(TimelineEntrySchema, items), nextCursor }
}

export const timelineList = list<ReadDeps>()({
  path: `${USER.path}/timeline`,
  operationId: 'getTimeline',
  summary: 'What happened to a user, newest first: payments, periods, grants, events, reports, mail and acts',
  description: 'Events and mail are kept for 90 days. 404 when the user is not known.',
  params: UserParamsSchema,
  item: TimelineEntrySchema,
  title: 'Timeline',
  command: {
    usage: 'users timeline <user>',
    rows: 'timeline',
    columns: ['at', 'kind', 'what', 'payment_id', 'amount', 'until', 'actor', 'why'],
  },
  read: pageOfTimeline,
})

interface Shown {
  readonly pages: AllPages
  readonly view: View
}

export function TimelineCard(
  of: Shown & {
    readonly file: UserFile
    readonly timeline: ReadPage<Entry>
    readonly isFirst: boolean
  },
) {
  const { pages, view, file, timeline, isFirst } = of
  const { say } = view
  const start = addressOf(pages.base, 'users', file.user.userId)
  const next = timeline.nextCursor
  const rows = timeline.items
  const columns: readonly Column<Entry>[] = [
    { head: 'when', text: ({ at }) => view.moment(at) },
    { head: 'what', safe: (entry) => <What {...{ pages, view, entry }} payments={file.payments} /> },
    { head: 'ends', text: ({ until }) => view.moment(until) },
    { head: 'who', text: ({ kind, actor }) => actor && (WORDS[kind].actor?.(of, actor) ?? actor) },
    { head: 'details', text: ({ kind, why }) => why && (WORDS[kind].why?.(of, why) ?? why) },
  ]
  return (
    <Folded id="timeline" title={say('timeline')} isOpen>
      <Table {...{ pages, view, rows, columns }} empty={say('timelineEmpty')} />
      <Pager
        view={view}
        first={isFirst ? null : `${start}#timeline`}
        next={next && `${start}?cursor=${encodeURIComponent(next)}#timeline`}
      />
    </Folded>
  )
}

function What(of: Shown & { entry: Entry; payments: UserFile['payments'] }) {
  const { pages, view, entry, payments } = of
  const { say } = view
  const { kind, what, payment_id, amount } = entry
  const isRefunded = payments.some(({ id, status }) => id === payment_id && status === 'refunded')
  const hasReceipt = kind === 'paid' && !isRefunded
  return (
    <>
      <span safe>{say('entryOf', { entry: say(`entry_${kind}`), what: WORDS[kind].what(of, what) })}</span>
      <span safe>{amount === null ? '' : ` · ${view.money(amount)}`}</span>
      {payment_id === null ? null : (
        <PaymentLink
          {...{ pages, view }}
          id={payment_id}
          payment={payments.find(({ id }) => id === payment_id)}
        />
      )}
      {payment_id !== null && hasReceipt && pages.mailer ? (
        <ActLink {...{ pages, view }} act={resendReceipt} id={payment_id} />
      ) : null}
    </>
  )
}

type InWords = (shown: Shown, code: string) => string
interface Words {
  readonly what: InWords
  /** If absent, the text is shown unchanged: it is a name, or what an operator wrote. */
  readonly actor?: InWords
  readonly why?: InWords
}

/** A payment that buys no plan is named by its kind. */
const plan: InWords = ({ pages, view }, id) =>
  id === 'top_up' ? view.say('topUp') : planInWords(pages, view, id)
const methodInWords: InWords = ({ view }, method) => codeInWords(view, 'method', publicMethodOf(method))

/** The query of the timeline fills its columns for each kind so. */
const WORDS: Readonly<Record<Entry['kind'], Words>> = {
  act: { what: ({ view }, act) => codeInWords(view, 'did', act) },
  mail: {
    what: ({ view }, kind) => codeInWords(view, 'mail', kind),
    why: ({ view }, outcome) => mailedInWords(view, outcome),
  },
  event: {
    what: ({ view }, type) => codeInWords(view, 'event', type),
    why: ({ view }, failure) => failureInWords(view, failure),
  },
  report: {
    what: reportInWords,
    actor: methodInWords,
    why: ({ view }, outcome) => codeInWords(view, 'outcome', outcome),
  },
  grant: { what: ({ pages, view }, length) => lengthInWords(pages, view, length) },
  period: { what: plan },
  paid: { what: plan, actor: ({ view }, instrument) => instrumentName(instrument, view.locale) },
  payment: { what: plan, actor: methodInWords, why: ({ view }, status) => view.say(statusKey(status)) },
}

/** `checkout.paid`, as the provider names its events. */
function reportInWords({ view }: Shown, type: string): string {
  const [, status] = /^checkout\.(paid|failed|canceled|expired)$/.exec(type) ?? []
  return status === undefined ? type : view.say(statusKey(status))
}
