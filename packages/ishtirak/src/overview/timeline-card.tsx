// Everything that happened to a user, newest first, page by page.

import { pathOfAct, titleOf } from '../acts/act-console.js'
import { statusKey } from '../acts/changes.js'
import { kindOf } from '../core/payment.js'
import { mayDo } from '../core/role.js'
import { instrumentName } from '../i18n/messages.js'
import { PaymentLink } from '../ledger/labels.js'
import { resendReceipt } from '../mail/resend-receipt.js'
import { addressOf, Folded, Pager, Table, Text, type View } from '../pages/console-frame.js'
import {
  codeInWords,
  failureInWords,
  lengthInWords,
  mailedInWords,
  planInWords,
} from '../pages/console-words.js'
import type { AllPages } from './all-pages.js'
import type { UserFile } from './read-files.js'
import type { readTimeline } from './timeline.js'

export type Timeline = Awaited<ReturnType<typeof readTimeline>>
type Entry = Timeline['data'][number]

/** A longer one begins folded: it would be most of the page on a phone. */
const SHOWN_MAX = 1

interface Shown {
  readonly pages: AllPages
  readonly view: View
}

export function TimelineCard(
  of: Shown & {
    readonly file: UserFile
    readonly timeline: Timeline
    /** Not a page further back. */
    readonly isFirst: boolean
  },
) {
  const { pages, view, file, timeline, isFirst } = of
  const { say } = view
  const start = addressOf(pages.base, 'users', file.user.userId)
  const next = timeline.next_cursor
  const rows = timeline.data.map((entry) => ({ safeCells: cellsOf(of, file.payments, entry) }))
  const columns = [say('when'), say('what'), say('ends'), say('who'), say('details')]
  return (
    <Folded id="timeline" title={say('timeline')} isOpen={!isFirst || rows.length <= SHOWN_MAX}>
      <Table columns={columns} safeRows={rows} empty={say('timelineEmpty')} />
      <Pager
        view={view}
        first={isFirst ? null : `${start}#timeline`}
        next={next && `${start}?cursor=${encodeURIComponent(next)}#timeline`}
      />
    </Folded>
  )
}

function cellsOf({ pages, view }: Shown, payments: UserFile['payments'], entry: Entry) {
  const { formats } = pages
  const { locale, say, session } = view
  const { at, kind, what, payment_id, amount, until, actor, why } = entry
  const isRefunded = payments.some(({ id, status }) => id === payment_id && status === 'refunded')
  const hasReceipt = kind === 'paid' && !isRefunded
  const mayResend = pages.mailer !== undefined && mayDo(session.operator, resendReceipt)
  const words = WORDS[kind]
  const subject = words.what({ pages, view }, what)
  const sum = amount === null ? '' : ` · ${formats.money(amount, locale)}`
  return [
    <Text>{formats.moment(Date.parse(at), locale)}</Text>,
    <>
      <span safe>{say('entryOf', { entry: say(`entry_${kind}`), what: subject })}</span>
      <span safe>{sum}</span>
      {payment_id === null ? null : (
        <PaymentLink
          {...{ pages, view }}
          id={payment_id}
          payment={payments.find(({ id }) => id === payment_id)}
        />
      )}
      {payment_id !== null && hasReceipt && mayResend ? (
        <a class="small line" href={pathOfAct(pages, resendReceipt, payment_id)} safe>
          {titleOf(resendReceipt, view)}
        </a>
      ) : null}
    </>,
    <Text>{until === null ? '' : formats.moment(Date.parse(until), locale)}</Text>,
    <Text>{actor === null ? '' : (words.actor?.({ pages, view }, actor) ?? actor)}</Text>,
    <Text>{why === null ? '' : (words.why?.({ pages, view }, why) ?? why)}</Text>,
  ]
}

type InWords = (shown: Shown, code: string) => string
interface Words {
  readonly what: InWords
  /** Absent: it is a name, or what someone wrote. */
  readonly actor?: InWords
  readonly why?: InWords
}

/** A payment that buys no plan is named by its kind. */
const plan: InWords = ({ pages, view }, id) =>
  id === 'top_up' ? view.say('topUp') : planInWords(pages, view, id)
const way: InWords = ({ view }, method) => codeInWords(view, 'way', kindOf(method))

/** As the statement of the timeline fills its columns for each kind. */
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
    actor: way,
    why: ({ view }, outcome) => codeInWords(view, 'outcome', outcome),
  },
  grant: { what: ({ pages, view }, length) => lengthInWords(pages, view, length) },
  period: { what: plan },
  paid: { what: plan, actor: ({ view }, instrument) => instrumentName(instrument, view.locale) },
  payment: { what: plan, actor: way, why: ({ view }, status) => view.say(statusKey(status)) },
}

/** `checkout.paid`, as the provider names its events. */
function reportInWords({ view }: Shown, type: string): string {
  const [, status] = /^checkout\.(paid|failed|canceled|expired)$/.exec(type) ?? []
  return status === undefined ? type : view.say(statusKey(status))
}
