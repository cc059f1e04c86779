// The inbox in the console, which is the first page after the sign-in.

import { type InboxKind, URGENCIES } from '../acts/inbox-kind.js'
import type { App } from '../http/app.js'
import { type Labels, readLabels } from '../ledger/labels.js'
import { consolePage, Folded, Pager, sendPage, type View, withQuery } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages } from './all-pages.js'
import { kindNamed, readInbox } from './inbox.js'
import { COUNTED_MAX } from './inbox.sql.js'
import { InboxEntries } from './inbox-entries.js'

const SHOWN = 24

type Inbox = Awaited<ReturnType<typeof readInbox>>

export function inboxRoute(app: App, pages: AllPages): void {
  const hidden = forOperators(pages)
  app.get('/console', hidden, async (request, reply) => {
    // Null for an unknown kind: all entries are shown.
    const kind = kindNamed(pages.inbox, queryOf(request, 'kind'))
    const cursor = queryOf(request, 'cursor') ?? null
    const inbox = await readInbox(pages, { kind: kind?.name }, { cursor, limit: SHOWN })
    const view = viewOf(pages, request, reply)
    const labels = await readLabels(pages, { payments: inbox.items.map((entry) => entry.other_payment_id) })
    return sendPage(pages, reply, inboxPage(pages, view, { inbox, labels, kind, isFirst: cursor === null }))
  })
}

function inboxPage(
  pages: AllPages,
  view: View,
  of: { inbox: Inbox; labels: Labels; kind: InboxKind | null; isFirst: boolean },
): string {
  const { say } = view
  const { inbox, labels, kind, isFirst } = of
  const { items, nextCursor } = inbox
  const start = inboxAddress(pages, kind)
  const next = nextCursor === null ? null : inboxAddress(pages, kind, nextCursor)
  return consolePage(
    { pages, view, title: say('inbox'), section: 'inbox', languagePath: start },
    <>
      <Kinds {...{ pages, view, inbox, kind }} />
      {items.length === 0 ? (
        <section class="card" aria-label={say('inbox')}>
          <p safe>{say('nothingWaits')}</p>
        </section>
      ) : (
        <Groups {...{ pages, view, inbox, labels, kind }} />
      )}
      <Pager view={view} first={isFirst ? null : start} next={next} />
    </>,
  )
}

/** Entries of the urgency `later` are folded if there are others above them. */
function Groups(of: { pages: AllPages; view: View; inbox: Inbox; labels: Labels; kind: InboxKind | null }) {
  const { pages, view, inbox, labels } = of
  const groups = URGENCIES.flatMap((urgency) => {
    const kinds = pages.inbox.kinds.filter((one) => one.urgency === urgency && (of.kind ?? one) === one)
    const entries = inbox.items.filter(({ kind }) => kinds.includes(kind))
    const title = withCount(view, view.say(`urgency_${urgency}`), countOf(inbox, kinds))
    return entries.length === 0 ? [] : [{ urgency, title, entries }]
  })
  return (
    <>
      {groups.map(({ urgency, title, entries }, index) => (
        <Folded id={urgency} title={title} isOpen={urgency !== 'later' || index === 0}>
          <InboxEntries {...{ pages, view, entries, labels }} />
        </Folded>
      ))}
    </>
  )
}

function inboxAddress({ base }: AllPages, kind: InboxKind | null, cursor = ''): string {
  return withQuery(`${base}/console`, { kind: kind?.name ?? '', cursor })
}

/** The number of entries of each kind, as links that filter by it. */
function Kinds(of: { pages: AllPages; view: View; inbox: Inbox; kind: InboxKind | null }) {
  const { pages, view, inbox, kind } = of
  const { say } = view
  const waiting = pages.inbox.kinds.flatMap((one) => {
    const count = countOf(inbox, [one])
    const label = withCount(view, codeInWords(view, 'kind', one.name), count)
    return count > 0 ? [{ one, label }] : []
  })
  if (waiting.length === 0) return null
  const link = (one: InboxKind | null, label: string) => (
    <li>
      <a href={inboxAddress(pages, one)} aria-current={one === kind ? 'page' : undefined} safe>
        {label}
      </a>
    </li>
  )
  return (
    <nav class="kinds" aria-label={say('kinds')}>
      <ul>
        {link(null, say('allKinds'))}
        {waiting.map(({ one, label }) => link(one, label))}
      </ul>
    </nav>
  )
}

function countOf({ beside: { counts } }: Inbox, kinds: readonly InboxKind[]): number {
  return kinds.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0)
}

function withCount({ say, number }: View, title: string, count: number): string {
  const most = COUNTED_MAX
  const counted = count < most ? number(count) : say('andMore', { count: String(most) })
  return `${title} (${counted})`
}
