// The inbox in the console: the first page after the sign-in, and the table of its entries, which is also on
// the page of a user. Each entry has a link to its next act.

import { pathOfAct } from '../acts/act-links.js'
import { type InboxKind, URGENCIES } from '../acts/inbox-kind.js'
import { mayDo, type Operator } from '../core/role.js'
import type { App } from '../http/app.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { addressOf, consolePage, type View, withQuery } from '../pages/console-frame.js'
import { type Column, Folded, Pager, Table, Under } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages } from './all-pages.js'
import { type InboxEntry, kindNamed, readInbox } from './inbox.js'
import { COUNTED_MAX } from './inbox.sql.js'

const SHOWN = 24

type Counts = Awaited<ReturnType<typeof readInbox>>['beside']['counts']

export function inboxRoute(app: App, pages: AllPages): void {
  consoleRoute(app, pages, '/console', async ({ view, request }) => {
    const { say } = view
    // Null for an unknown kind: all entries are shown.
    const kind = kindNamed(pages.inbox, queryOf(request, 'kind'))
    const cursor = queryOf(request, 'cursor') ?? null
    const read = await readInbox(pages, { kind: kind?.name }, { cursor, limit: SHOWN })
    const { items, nextCursor, beside } = read
    const labels = await readLabels(pages, { payments: items.map((entry) => entry.other_payment_id) })
    const start = inboxAddress(pages, kind)
    // Entries of the urgency `later` are folded if there are others above them.
    const groups = URGENCIES.flatMap((urgency) => {
      const kinds = pages.inbox.kinds.filter((one) => one.urgency === urgency && (kind ?? one) === one)
      const entries = items.filter((entry) => kinds.includes(entry.kind))
      const title = withCount(view, say(`urgency_${urgency}`), beside.counts, kinds)
      return entries.length === 0 ? [] : [{ urgency, title, entries }]
    })
    return consolePage(
      { pages, view, title: say('inbox'), section: 'inbox', languagePath: start },
      <>
        <Kinds {...{ pages, view, kind }} counts={beside.counts} />
        {groups.map(({ urgency, title, entries }, index) => (
          <Folded id={urgency} title={title} isOpen={urgency !== 'later' || index === 0}>
            <InboxEntries {...{ pages, view, entries, labels }} />
          </Folded>
        ))}
        {groups.length > 0 ? null : (
          <section class="card" aria-label={say('inbox')}>
            <p safe>{say('nothingWaits')}</p>
          </section>
        )}
        <Pager
          view={view}
          first={cursor === null ? null : start}
          next={nextCursor && inboxAddress(pages, kind, nextCursor)}
        />
      </>,
    )
  })
}

function inboxAddress({ base }: AllPages, kind: InboxKind | null, cursor = ''): string {
  return withQuery(`${base}/console`, { kind: kind?.name ?? '', cursor })
}

/** The number of entries of each kind, as links that filter by it. */
function Kinds(of: { pages: AllPages; view: View; counts: Counts; kind: InboxKind | null }) {
  const { pages, view, counts, kind } = of
  const waiting = pages.inbox.kinds.filter(({ name }) => (counts[name] ?? 0) > 0)
  if (waiting.length === 0) return null
  const link = (one: InboxKind | null, label: string) => (
    <li>
      <a href={inboxAddress(pages, one)} aria-current={one === kind ? 'page' : undefined} safe>
        {label}
      </a>
    </li>
  )
  return (
    <nav class="kinds" aria-label={view.say('kinds')}>
      <ul>
        {link(null, view.say('allKinds'))}
        {waiting.map((one) => link(one, withCount(view, codeInWords(view, 'kind', one.name), counts, [one])))}
      </ul>
    </nav>
  )
}

function withCount(view: View, title: string, counts: Counts, kinds: readonly InboxKind[]): string {
  const count = kinds.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0)
  const most = COUNTED_MAX
  return `${title} (${count < most ? view.number(count) : view.say('andMore', { count: String(most) })})`
}

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
