// What waits for a person in a table, each with a link to where its next act is done: in the inbox, and on
// the page of a user.

import { type Labels, PaymentLink } from '../ledger/labels.js'
import { addressOf, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { type Column, Table } from '../pages/table.js'
import type { AllPages } from './all-pages.js'
import type { InboxEntry } from './inbox.js'

export function InboxEntries({
  pages,
  view,
  entries,
  labels,
  ofUser = false,
}: {
  pages: AllPages
  view: View
  entries: readonly InboxEntry[]
  /** Of the other payments. */
  labels: Labels
  /** All are of the user whose page it is. */
  ofUser?: boolean
}) {
  const { locale } = view
  const now = pages.clock.now()
  const columns: readonly Column<InboxEntry>[] = [
    { head: 'what', safe: (entry) => <What {...{ pages, view, labels, entry }} /> },
    ...(ofUser ? [] : [{ head: 'user', user: (entry: InboxEntry) => entry } as const]),
    { head: 'amount', nowrap: ({ amount }) => view.money(amount) },
    {
      head: 'age',
      safe: ({ since }) => (
        <time class="nowrap" title={view.moment(since)} safe>
          {pages.formats.age(now - since, locale)}
        </time>
      ),
    },
    {
      head: 'nextAct',
      link: (entry) => ({
        href: addressOfEntry(pages, entry),
        text: codeInWords(view, 'next', entry.kind.name),
      }),
    },
  ]
  return <Table {...{ pages, view, columns }} rows={entries} />
}

function What(of: { pages: AllPages; view: View; labels: Labels; entry: InboxEntry }) {
  const { pages, view, labels, entry } = of
  const { kind, detail: code, count, otherPaymentId: other } = entry
  const title = codeInWords(view, 'kind', kind.name)
  const what = code === null ? undefined : kind.what?.(view, code)
  const detail = code === null || !kind.detail ? code : kind.detail(pages, view, code)
  return (
    <>
      <b safe>{what === undefined ? title : view.say('entryOf', { entry: title, what })}</b>
      {detail === null ? null : (
        <span class="soft small line">
          <bdi safe>{detail === code ? detail : capitalized(detail)}</bdi>
        </span>
      )}
      {count > 1 && kind.countText ? (
        <span class="soft small line" safe>
          {view.say(kind.countText, { count: view.number(count) })}
        </span>
      ) : null}
      {other !== null && kind.otherText ? (
        <span class="small line">
          <span safe>{view.say(kind.otherText)}</span>{' '}
          <PaymentLink {...{ pages, view, id: other }} payment={labels.payment(other)} />
        </span>
      ) : null}
    </>
  )
}

export const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** Where the next act is done. */
function addressOfEntry({ base }: AllPages, entry: InboxEntry): string {
  return entry.kind.path?.(base, entry) ?? addressOf(base, 'payments', entry.paymentId ?? '')
}
