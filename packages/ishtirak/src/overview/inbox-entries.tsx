// The table of inbox entries, each with a link to its next act: in the inbox, and on the page of a user.

import { pathOfAct } from '../acts/act-links.js'
import { mayDo, type Operator } from '../core/role.js'
import { type Labels, PaymentLink } from '../ledger/labels.js'
import { addressOf, type View } from '../pages/console-frame.js'
import { type Column, Table, Under } from '../pages/console-parts.js'
import { codeInWords } from '../pages/console-words.js'
import type { AllPages } from './all-pages.js'
import { type InboxEntry, readInbox } from './inbox.js'

interface Shown {
  readonly pages: AllPages
  readonly view: View
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
        href: addressOfEntry(pages, view, entry),
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
        {count > 1 && kind.count ? view.say(kind.count.text, { count: view.number(count) }) : null}
      </Under>
      {other !== null && kind.other ? (
        <span class="small line">
          <span safe>{view.say(kind.other.text)}</span>{' '}
          <PaymentLink {...{ pages, view, id: other }} payment={labels.payment(other)} />
        </span>
      ) : null}
    </>
  )
}

export const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** The page of the next act if it shows what the operator needs to decide, else the payment's page. */
function addressOfEntry(pages: AllPages, view: View, entry: InboxEntry): string {
  const { operator } = view.session
  const id = entry.payment_id ?? ''
  const act = pages.acts.find(({ name }) => name === entry.next_act)
  const isHere = act?.beside && mayDo(operator, act) && isFor(entry, operator)
  return (
    entry.kind.path?.(pages.base, entry) ??
    (isHere ? pathOfAct(pages, act, id) : addressOf(pages.base, 'payments', id))
  )
}

const isFor = (entry: InboxEntry, { name }: Operator) => entry.kind.isFor?.(entry, name) !== false

/** The most urgent entry about another payment: what the operator can decide next. */
export async function nextInInbox(pages: AllPages, view: View, paymentId: string) {
  const { items } = await readInbox(pages, {}, { cursor: null, limit: LOOKED_AT })
  const next = items.find((one) => one.payment_id !== paymentId && isFor(one, view.session.operator))
  if (!next) return null
  const what = codeInWords(view, 'kind', next.kind.name)
  return { href: addressOfEntry(pages, view, next), text: view.say('nextWaiting', { what }) }
}

const LOOKED_AT = 25
