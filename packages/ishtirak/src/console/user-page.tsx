// The page of a user: the plan and why, what can be done, what is used, what was paid, and what operators
// did.

import { ActButtons, actsOffered } from '../acts/act-console.js'
import { accessInWords, statusKey } from '../acts/changes.js'
import { recheck } from '../checkout/recheck.js'
import { plainName } from '../core/name.js'
import { publicMethodOf } from '../core/payment.js'
import { inParts } from '../i18n/formats.js'
import { CATALOGS, sayFor } from '../i18n/messages.js'
import { type Labels, paymentInWords } from '../ledger/labels.js'
import { PAYMENT, USER } from '../ledger/subjects.js'
import type { Overview } from '../limits/overview.js'
import { UsageBars } from '../limits/portal-usage.js'
import { resendReceipt } from '../mail/resend-receipt.js'
import type { AllPages } from '../overview/all-pages.js'
import { InboxEntries } from '../overview/inbox-entries.js'
import type { SentMail } from '../overview/payments.sql.js'
import type { PaymentFile, UserFile } from '../overview/read-files.js'
import { type Timeline, TimelineCard } from '../overview/timeline-card.js'
import { isOfAct, NoticeOf, Trail, type TrailEntry, type TrailNotice } from '../overview/trail.js'
import { addressOf, Facts, renderConsole, type View } from '../pages/console-frame.js'
import { codeInWords, mailedInWords } from '../pages/console-words.js'
import { Card } from '../pages/portal-frame.js'
import { PlanCard } from './plan-card.js'
import { stateInWords } from './state-in-words.js'

export interface UserPage {
  readonly file: UserFile
  readonly overview: Overview
  readonly timeline: Timeline
  readonly labels: Labels
  /** What the user ordered last, and what is not booked. */
  readonly ordered: readonly { readonly file: PaymentFile; readonly mail: SentMail | null }[]
  /** Not a page further back. */
  readonly isFirst: boolean
  readonly notice: TrailNotice
}

/** The timeline has them all. */
const ACTS_SHOWN = 7

export function userPage(
  pages: AllPages,
  view: View,
  { file, overview, timeline, labels, ordered, isFirst, notice }: UserPage,
): string {
  const { say, locale } = view
  const { userId, name, email } = file.user
  const found = ({ act, payment_id: id }: TrailEntry) => {
    const one = act === recheck.name && ordered.find(({ file: { payment } }) => payment.id === id)
    return one ? stateInWords(pages, view, one.file) : null
  }
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
        <Ordered {...{ pages, view, file, ordered }} />
        <Waiting {...{ pages, view, file, labels }} />
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

/** Each of what was ordered last and is not booked: its state, what was reported of it, and its mail. */
function Ordered(of: { pages: AllPages; view: View } & Pick<UserPage, 'file' | 'ordered'>) {
  const { pages, view, file, ordered } = of
  const { say } = view
  const offeredOn = (one: PaymentFile) =>
    actsOffered(pages, view, { subject: PAYMENT, file: one, deps: pages })
      .filter(({ name }) => name === recheck.name)
      .map((act) => ({ act, id: one.payment.id }))
  const access = [say('access'), accessInWords(pages, view, file.subscription)] as const
  const none = [say('lastPayment'), say('noPayment')] as const
  return (
    <Card id="ordered" title={say('paidNoAccess')}>
      <Facts facts={ordered.length === 0 ? [access, none] : [access]} />
      {ordered.map(({ file: one, mail }) => (
        <>
          <Facts facts={orderedFacts(pages, view, one, mail)} />
          <ActButtons {...{ pages, view }} first={null} offered={offeredOn(one)} />
        </>
      ))}
    </Card>
  )
}

function orderedFacts(pages: AllPages, view: View, file: PaymentFile, mail: SentMail | null) {
  const { say } = view
  const { payment, reports } = file
  const last = reports.at(-1)
  const isCard = publicMethodOf(payment.method) === 'card'
  const reported = last && {
    status: say(statusKey(last.status)),
    when: view.moment(last.heardAt),
    source: codeInWords(view, 'source', last.source),
  }
  const sent = mail && [
    codeInWords(view, 'mail', mail.kind),
    view.moment(mail.queuedAt),
    mail.outcome === null ? say('mailWaits') : mailedInWords(view, mail.outcome),
  ]
  const href = addressOf(pages.base, 'payments', payment.id)
  return [
    [say('lastPayment'), { href, text: paymentInWords(pages.formats, payment, view.locale) }],
    [say('status'), stateInWords(pages, view, file)],
    [say('providerSays'), reported ? say('reportedLast', reported) : isCard ? say('reportedNothing') : null],
    [say('mailLast'), sent ? inParts(sent, view.locale) : say('mailNone')],
  ] as const
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

/** The cards that capabilities add. */
function Brought({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  return <>{pages.fileParts.user.map((part) => part.card?.(pages, view, file.parts[part.key]) ?? null)}</>
}

function factsOf(pages: AllPages, view: View, { user }: UserFile) {
  const { formats } = pages
  const { locale, say } = view
  return [
    [say('email'), user.email && plainName(user.email)],
    [say('phone'), user.phone],
    [say('language'), user.locale && CATALOGS[user.locale].page.languageName],
    [say('knownSince'), formats.moment(user.createdAt, locale)],
    [say('userId'), plainName(user.userId)],
  ] as const
}

function Acts({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  const { userId: id } = file.user
  const lastPaid = pages.mailer && file.payments.find(({ status }) => status === 'paid')
  const offered = actsOffered(pages, view, { subject: USER, file, deps: pages }).map((act) => ({ act, id }))
  const resend = lastPaid ? [{ act: resendReceipt, id: lastPaid.id }] : []
  const asUser = { href: `${addressOf(pages.base, 'users', id)}/portal`, label: view.say('seeAsUser') }
  return <ActButtons {...{ pages, view }} first={asUser} offered={[...offered, ...resend]} />
}
