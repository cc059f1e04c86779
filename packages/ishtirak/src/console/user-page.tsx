// The page of a user: the plan and why, what can be done, what is used, what was paid, and what operators
// did.

import { verbOf } from '../acts/act.js'
import { actsOffered, titleOf } from '../acts/act-console.js'
import { accessInWords } from '../acts/changes.js'
import { plainName } from '../core/name.js'
import { CATALOGS, sayFor } from '../i18n/messages.js'
import { USER } from '../ledger/subjects.js'
import type { Overview } from '../limits/overview.js'
import { UsageBars } from '../limits/portal-usage.js'
import type { AllPages } from '../overview/all-pages.js'
import { InboxEntries } from '../overview/inbox-entries.js'
import type { UserFile } from '../overview/read-files.js'
import { type Timeline, TimelineCard } from '../overview/timeline-card.js'
import { NoticeOf, Trail, type TrailNotice } from '../overview/trail.js'
import { addressOf, Facts, renderConsole, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { PlanCard } from './plan-card.js'

export interface UserPage {
  readonly file: UserFile
  readonly overview: Overview
  readonly timeline: Timeline
  /** Not a page further back. */
  readonly isFirst: boolean
  readonly notice: TrailNotice
}

/** The timeline has them all. */
const ACTS_SHOWN = 10

export function userPage(
  pages: AllPages,
  view: View,
  { file, overview, timeline, isFirst, notice }: UserPage,
): string {
  const { say, locale } = view
  const { userId, name, email } = file.user
  const sayAll = sayFor(pages.seller.identity, locale)
  return renderConsole(pages, {
    ...view,
    title: `${say('user')} ${plainName(userId)}`,
    safeContent: (
      <>
        <h1>
          <bdi safe>{plainName(name ?? email ?? userId)}</bdi>
        </h1>
        <NoticeOf {...{ view, notice }} acts={file.audit} />
        <Waiting {...{ pages, view, file }} />
        <Card id="facts" title={say('user')}>
          <Facts facts={factsOf(pages, view, file)} />
          <Acts {...{ pages, view, file }} />
        </Card>
        <PlanCard {...{ pages, view, file }} />
        <UsageBars {...{ pages, say: sayAll, view: { locale, overview } }} title={say('usage')} />
        <Brought {...{ pages, view, file }} />
        <TimelineCard {...{ pages, view, file, timeline, isFirst }} />
        <Trail {...{ pages, view }} acts={file.audit.slice(0, ACTS_SHOWN)} />
      </>
    ),
  })
}

function Waiting({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  const entries = file.waiting
  if (entries.length === 0) return null
  return (
    <Card id="waiting" title={view.say('kinds')}>
      <InboxEntries {...{ pages, view, entries }} ofUser />
    </Card>
  )
}

/** What capabilities add. */
function Brought({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  return <>{pages.fileParts.user.map((part) => part.card?.(pages, view, file.parts[part.key]) ?? null)}</>
}

function factsOf(pages: AllPages, view: View, { user, subscription }: UserFile) {
  const { formats } = pages
  const { locale, say } = view
  return [
    [say('access'), accessInWords(pages, view, subscription)],
    [say('userId'), plainName(user.userId)],
    [say('email'), user.email && plainName(user.email)],
    [say('language'), user.locale && CATALOGS[user.locale].page.languageName],
    [say('knownSince'), formats.moment(user.createdAt, locale)],
  ] as const
}

function Acts({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  const path = addressOf(pages.base, 'users', file.user.userId)
  return (
    <p class="actions">
      <LinkButton href={`${path}/portal`} label={view.say('seeAsUser')} />
      {actsOffered(pages, view, { subject: USER, file, deps: pages }).map((act) => (
        <LinkButton href={`${path}/${verbOf(act)}`} label={titleOf(act, view)} />
      ))}
    </p>
  )
}
