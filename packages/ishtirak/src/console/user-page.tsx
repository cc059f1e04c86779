// The page of a user: the plan and why, what can be done, what is used, what was paid, and what operators
// did.

import { ActButton, actsOffered } from '../acts/act-console.js'
import { accessInWords } from '../acts/changes.js'
import { recheck } from '../checkout/recheck.js'
import { plainName } from '../core/name.js'
import { CATALOGS, sayFor } from '../i18n/messages.js'
import { type Labels, PaymentLink } from '../ledger/labels.js'
import { PAYMENT, USER } from '../ledger/subjects.js'
import type { Overview } from '../limits/overview.js'
import { UsageBars } from '../limits/portal-usage.js'
import { resendReceipt } from '../mail/resend-receipt.js'
import type { AllPages } from '../overview/all-pages.js'
import { InboxEntries } from '../overview/inbox-entries.js'
import type { UserFile } from '../overview/read-files.js'
import { type Timeline, TimelineCard } from '../overview/timeline-card.js'
import { isOfAct, NoticeOf, Trail, type TrailEntry, type TrailNotice } from '../overview/trail.js'
import { addressOf, Facts, renderConsole, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { PlanCard } from './plan-card.js'
import { type PaymentWithParts, stateInWords } from './state-in-words.js'

export interface UserPage {
  readonly file: UserFile
  readonly overview: Overview
  readonly timeline: Timeline
  readonly labels: Labels
  /** What the user ordered last, and what is not booked. */
  readonly unbooked: readonly PaymentWithParts[]
  /** Not a page further back. */
  readonly isFirst: boolean
  readonly notice: TrailNotice
}

/** The timeline has them all. */
const ACTS_SHOWN = 7

export function userPage(
  pages: AllPages,
  view: View,
  { file, overview, timeline, labels, unbooked, isFirst, notice }: UserPage,
): string {
  const { say, locale } = view
  const { userId, name, email } = file.user
  const found = (act: TrailEntry) => foundInWords(pages, view, { file, unbooked }, act)
  const sayAll = sayFor(pages.seller.identity, locale)
  return renderConsole(pages, {
    ...view,
    title: plainName(name ?? email ?? userId),
    safeContent: (
      <>
        <h1>
          <bdi safe>{plainName(name ?? email ?? userId)}</bdi>
        </h1>
        <NoticeOf {...{ view, notice }} acts={file.audit} found={found} />
        <Waiting {...{ pages, view, file, labels }} />
        <Unbooked {...{ pages, view, file, unbooked }} />
        <Card id="facts" title={say('user')}>
          <Facts facts={factsOf(pages, view, file)} />
          <Acts {...{ pages, view, file }} />
        </Card>
        <PlanCard {...{ pages, view, file }} />
        <UsageBars {...{ pages, say: sayAll, view: { locale, overview } }} title={say('usage')} />
        <Brought {...{ pages, view, file }} />
        <TimelineCard {...{ pages, view, file, timeline, isFirst }} />
        <Trail {...{ pages, view }} acts={file.audit.slice(0, ACTS_SHOWN)} isOpen={isOfAct(notice)} />
      </>
    ),
  })
}

/** On the page where it was asked about, what became of a payment. */
function foundInWords(
  pages: AllPages,
  view: View,
  { file, unbooked }: Pick<UserPage, 'file' | 'unbooked'>,
  { act, payment_id }: TrailEntry,
): string | null {
  if (act !== recheck.name) return null
  const still = unbooked.find(({ payment }) => payment.id === payment_id)
  const payment = file.payments.find(({ id }) => id === payment_id)
  const found = still ?? (payment && { payment, parts: {} })
  return found ? stateInWords(pages, view, found) : null
}

/** "I paid yesterday": why it is not booked, and the look at the provider. */
function Unbooked(of: { pages: AllPages; view: View } & Pick<UserPage, 'file' | 'unbooked'>) {
  const { pages, view, file, unbooked } = of
  if (unbooked.length === 0) return null
  const askable = (one: PaymentWithParts) =>
    actsOffered(pages, view, { subject: PAYMENT, file: { ...one, audit: file.audit }, deps: pages }).filter(
      ({ name }) => name === recheck.name,
    )
  return (
    <Card id="unbooked" title={view.say('orderedUnbooked')}>
      {unbooked.map((one) => (
        <>
          <p>
            <PaymentLink {...{ pages, view }} {...one} id={one.payment.id} />
            <span safe>{stateInWords(pages, view, one)}</span>
          </p>
          {askable(one).map((act) => (
            <ActButton {...{ pages, view, act }} id={one.payment.id} />
          ))}
        </>
      ))}
    </Card>
  )
}

function Waiting(of: { pages: AllPages; view: View; file: UserFile; labels: Labels }) {
  const { pages, view, file, labels } = of
  const entries = file.waiting
  if (entries.length === 0) return null
  return (
    <Card id="waiting" title={view.say('kinds')}>
      <InboxEntries {...{ pages, view, entries, labels }} ofUser />
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
    [say('phone'), user.phone],
    [say('language'), user.locale && CATALOGS[user.locale].page.languageName],
    [say('knownSince'), formats.moment(user.createdAt, locale)],
  ] as const
}

function Acts({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  const path = addressOf(pages.base, 'users', file.user.userId)
  const lastPaid = file.payments.find(({ status }) => status === 'paid')
  return (
    <div class="actions">
      <LinkButton href={`${path}/portal`} label={view.say('seeAsUser')} />
      {actsOffered(pages, view, { subject: USER, file, deps: pages }).map((act) => (
        <ActButton {...{ pages, view, act }} id={file.user.userId} />
      ))}
      {lastPaid && pages.mailer ? (
        <ActButton {...{ pages, view }} act={resendReceipt} id={lastPaid.id} />
      ) : null}
    </div>
  )
}
