// What waits for a person in a table, each with a link to where its next act is done: in the inbox, and on
// the page of a user.

import { findingInWords } from '../compare/finding-facts.js'
import { disabledInWords } from '../events/disabled-words.js'
import { addressOf, NoWrap, Table, type View } from '../pages/console-frame.js'
import { codeInWords, differencesInWords, failureInWords, mailedInWords } from '../pages/console-words.js'
import { UserCell } from '../pages/found.js'
import type { AllPages } from './all-pages.js'
import type { InboxEntry } from './next-act.js'

export function InboxEntries({
  pages,
  view,
  entries,
  ofUser = false,
}: {
  pages: AllPages
  view: View
  entries: readonly InboxEntry[]
  /** All are of the user whose page it is. */
  ofUser?: boolean
}) {
  const { say, locale } = view
  const { money, moment } = pages.formats
  const rows = entries.map((entry) => ({
    safeCells: [
      <What {...{ pages, view, entry }} />,
      ...(ofUser ? [] : [<UserCell {...{ pages, user: entry }} />]),
      entry.amount === null ? '' : <NoWrap>{money(entry.amount, locale)}</NoWrap>,
      <NoWrap>{moment(entry.since, locale)}</NoWrap>,
      <a href={addressOfEntry(pages, entry)} safe>
        {say(`next_${entry.kind}`)}
      </a>,
    ],
  }))
  const user = ofUser ? [] : [say('user')]
  const columns = [say('what'), ...user, say('amount'), say('since'), say('nextAct')]
  return <Table columns={columns} safeRows={rows} />
}

function What({ pages, view, entry }: { pages: AllPages; view: View; entry: InboxEntry }) {
  const { kind, detail: code, count, otherPaymentId: other } = entry
  const detail = detailOf(pages, view, entry)
  const title = view.say(`kind_${kind}`)
  const mail = kind === 'mail_failed' && code !== null ? codeInWords(view, 'mail', mailIn(code).kind) : null
  return (
    <>
      <b safe>{mail === null ? title : view.say('entryOf', { entry: title, what: mail })}</b>
      {detail === null ? null : (
        <span class="soft small line">
          <bdi safe>{detail === code ? detail : capitalized(detail)}</bdi>
        </span>
      )}
      {count > 1 ? (
        <span class="soft small line" safe>
          {view.say('mailsFailed', { count: pages.formats.number(count, view.locale) })}
        </span>
      ) : null}
      {other === null ? null : (
        <span class="small line">
          <span safe>{view.say(kind === 'second_payment' ? 'secondOf' : 'sameProof')}</span>{' '}
          <a href={addressOf(pages.base, 'payments', other)} safe>
            {other}
          </a>
        </span>
      )}
    </>
  )
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** As the statement of the inbox writes it: `receipt: refused: 550 no such user`. */
function mailIn(detail: string): { readonly kind: string; readonly outcome: string } {
  const [, kind = '', outcome = detail] = /^(\w+): (.*)$/s.exec(detail) ?? []
  return { kind, outcome }
}

/** In words where we know what it can say; what others answered as it stands. */
function detailOf(pages: AllPages, view: View, { kind, detail }: InboxEntry): string | null {
  const { say } = view
  if (detail === null) return null
  if (kind === 'payment_review') return differencesInWords(pages, view, detail)
  if (kind === 'event_stuck') return failureInWords(view, detail)
  if (kind === 'mail_failed') return mailedInWords(view, mailIn(detail).outcome)
  if (kind === 'transfer_approval') return say('approvedBy', { name: detail })
  // It is the payment that stands below.
  if (kind === 'second_payment') return null
  if (kind === 'transfer_open') return say('referenceIs', { reference: detail })
  if (kind === 'events_off')
    return detail === 'failing'
      ? say('addressFails')
      : say('addressOff', { why: disabledInWords(view, detail) })
  return kind === 'finding' ? findingInWords(view, detail) : detail
}

/** Where the next act is done. */
function addressOfEntry({ base }: AllPages, { kind, id, paymentId, userId }: InboxEntry): string {
  if (kind === 'events_off') return addressOf(base, 'health#deliveries')
  if (kind === 'event_stuck') return `${addressOf(base, 'events', id)}/resend`
  if (kind === 'mail_failed' && userId !== null) return addressOf(base, 'users', userId)
  return kind === 'finding' || paymentId === null
    ? addressOf(base, 'findings', id)
    : addressOf(base, 'payments', paymentId)
}
