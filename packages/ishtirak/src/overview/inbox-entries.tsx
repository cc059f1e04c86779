// What waits for a person in a table, each with a link to where its next act is done: in the inbox, and on
// the page of a user.

import { type Labels, PaymentLink } from '../ledger/labels.js'
import { addressOf, Under, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { type Column, Table } from '../pages/table.js'
import type { AllPages } from './all-pages.js'
import type { InboxEntry } from './inbox.js'

interface Shown {
  readonly pages: AllPages
  readonly view: View
  /** Of the other payments. */
  readonly labels: Labels
}

/** `ofUser`: all entries belong to the user whose page this is. */
export function InboxEntries(of: Shown & { entries: readonly InboxEntry[]; ofUser?: boolean }) {
  const { pages, view, entries, labels, ofUser = false } = of
  const { locale } = view
  const now = pages.clock.now()
  const columns: readonly Column<InboxEntry>[] = [
    { head: 'what', safe: (entry) => <What {...{ pages, view, labels, entry }} /> },
    ...(ofUser ? [] : [{ head: 'user', user: userOf } as const]),
    { head: 'amount', nowrap: ({ amount }) => view.money(amount) },
    {
      head: 'age',
      safe: ({ waits_since: since }) => (
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

const userOf = ({ user_id: userId, email, name }: InboxEntry) => ({ userId, email, name })

function What({ pages, view, labels, entry }: Shown & { entry: InboxEntry }) {
  const { kind, detail: code, count, other_payment_id: other } = entry
  const title = codeInWords(view, 'kind', kind.name)
  const what = code === null ? undefined : kind.what?.(view, code)
  const detail = code === null || !kind.detail ? code : kind.detail(pages, view, code)
  return (
    <>
      <b safe>{what === undefined ? title : view.say('entryOf', { entry: title, what })}</b>
      <Under>{detail === null || detail === code ? detail : capitalized(detail)}</Under>
      <Under>
        {count > 1 && kind.countText ? view.say(kind.countText, { count: view.number(count) }) : null}
      </Under>
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
  return entry.kind.path?.(base, entry) ?? addressOf(base, 'payments', entry.payment_id ?? '')
}
