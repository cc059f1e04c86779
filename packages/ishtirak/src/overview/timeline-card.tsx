// Everything that happened to a user, newest first, page by page.

import { ActLink } from '../acts/act-links.js'
import { statusKey } from '../acts/changes.js'
import { publicMethodOf } from '../core/payment.js'
import { instrumentName } from '../i18n/messages.js'
import { PaymentLink } from '../ledger/labels.js'
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
import type { AllPages } from './all-pages.js'
import type { UserFile } from './read-files.js'
import type { pageOfTimeline } from './timeline.js'

type Timeline = Awaited<ReturnType<typeof pageOfTimeline>>
type Entry = Timeline['items'][number]

interface Shown {
  readonly pages: AllPages
  readonly view: View
}

export function TimelineCard(
  of: Shown & {
    readonly file: UserFile
    readonly timeline: Timeline
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
