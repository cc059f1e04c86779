// The first page after the sign-in: what waits for a person, each entry with a link to where its next act is
// done.

import type { InboxKind } from '../acts/inbox-kind.js'
import type { App } from '../http/app.js'
import { Pager, renderConsole, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages } from './all-pages.js'
import { kindNamed, readInbox } from './inbox.js'
import { COUNTED_MAX } from './inbox.sql.js'
import { InboxEntries } from './inbox-entries.js'

const SHOWN = 25

type Inbox = Awaited<ReturnType<typeof readInbox>>

export function inboxRoute(app: App, pages: AllPages): void {
  const hidden = forOperators(pages)
  app.get('/console', hidden, async (request, reply) => {
    // All of them, also where the address names none that there is.
    const kind = kindNamed(pages.inbox, queryOf(request, 'kind'))
    const cursor = queryOf(request, 'cursor') ?? null
    const inbox = await readInbox(pages, { kind, cursor, limit: SHOWN })
    const view = viewOf(pages, request, reply)
    return sendPage(pages, reply, inboxPage(pages, view, { inbox, kind, isFirst: cursor === null }))
  })
}

function inboxPage(
  pages: AllPages,
  view: View,
  { inbox, kind, isFirst }: { inbox: Inbox; kind: InboxKind | null; isFirst: boolean },
): string {
  const { say } = view
  const { entries, nextCursor } = inbox
  const start = inboxAddress(pages, kind)
  const next = nextCursor === null ? null : inboxAddress(pages, kind, nextCursor)
  return renderConsole(pages, {
    ...view,
    title: say('inbox'),
    section: 'inbox',
    languagePath: start,
    safeContent: (
      <>
        <h1 safe>{say('inbox')}</h1>
        <Kinds {...{ pages, view, inbox, kind }} />
        <section
          class="card"
          aria-label={kind === null ? say('inbox') : codeInWords(view, 'kind', kind.name)}
        >
          {entries.length === 0 ? (
            <p safe>{say('nothingWaits')}</p>
          ) : (
            <InboxEntries {...{ pages, view, entries }} />
          )}
        </section>
        <Pager view={view} first={isFirst ? null : start} next={next} />
      </>
    ),
  })
}

function inboxAddress({ base }: AllPages, kind: InboxKind | null, cursor?: string): string {
  const query = new URLSearchParams({
    ...(kind && { kind: kind.name }),
    ...(cursor && { cursor }),
  }).toString()
  return `${base}/console${query && `?${query}`}`
}

/** How many of each kind wait; each leads to these alone. */
function Kinds(of: { pages: AllPages; view: View; inbox: Inbox; kind: InboxKind | null }) {
  const { pages, view, inbox, kind } = of
  const { say, locale } = view
  const counted = (count: number) =>
    count < COUNTED_MAX ? pages.formats.number(count, locale) : say('andMore', { count: String(COUNTED_MAX) })
  const waiting = pages.inbox.kinds.flatMap((one) => {
    const count = inbox.counts[one.name] ?? 0
    return count > 0 ? [{ one, label: `${codeInWords(view, 'kind', one.name)} (${counted(count)})` }] : []
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
