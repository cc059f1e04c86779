// The inbox in the console, which is the first page after the sign-in.

import { type InboxKind, URGENCIES } from '../acts/inbox-kind.js'
import type { App } from '../http/app.js'
import { readLabels } from '../ledger/labels.js'
import { consolePage, type View, withQuery } from '../pages/console-frame.js'
import { Folded, Pager } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages } from './all-pages.js'
import { kindNamed, readInbox } from './inbox.js'
import { COUNTED_MAX } from './inbox.sql.js'
import { InboxEntries } from './inbox-entries.js'

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
