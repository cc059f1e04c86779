// The page of a user: the plan and why, what can be done, what is used, what was paid, and what operators
// did; and the portal as that user sees it.

import { ActButtons, actsOffered } from '../acts/act-links.js'
import { accessInWords, statusKey } from '../acts/changes.js'
import { recheck } from '../checkout/recheck.js'
import { plainName } from '../core/name.js'
import { publicMethodOf } from '../core/payment.js'
import type { App } from '../http/app.js'
import { inParts } from '../i18n/formats.js'
import { CATALOGS, directionOf, sayFor } from '../i18n/messages.js'
import { paymentInWords, readLabels } from '../ledger/labels.js'
import { PAYMENT, USER } from '../ledger/subjects.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import { UsageBars } from '../limits/portal-usage.js'
import { resendReceipt } from '../mail/resend-receipt.js'
import type { AllPages } from '../overview/all-pages.js'
import { InboxEntries } from '../overview/inbox.route.js'
import { lastMailAbout, type SentMail } from '../overview/payments.sql.js'
import { type PaymentFile, showPayment, showUser, type UserFile } from '../overview/read-files.js'
import { pageOfTimeline, TimelineCard } from '../overview/timeline.js'
import { NoticeOf, noticeIn, Trail, type TrailEntry, type TrailNotice } from '../overview/trail.js'
import { addressOf, renderConsole, type View } from '../pages/console-frame.js'
import { Facts } from '../pages/console-parts.js'
import { consoleRoute, fromThisSite, viewOf } from '../pages/console-view.js'
import { codeInWords, mailedInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/parts.js'
import { pageHeaders } from '../pages/portal-frame.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { queryOf } from '../pages/reader.js'
import { PlanCard } from './plan-card.js'
import { stateInWords } from './state-in-words.js'

interface Params {
  readonly user_id: string
}

/** The most payments that the page shows as ordered and not booked. */
const ORDERED_MAX = 3

/** The entries of the open timeline on one page. */
const SHOWN = 12

type UserPages = AllPages & OverviewDeps & { readonly viewAsUser: ViewAsUser }

export function userRoutes(app: App, pages: UserPages): void {
  const thisSite = fromThisSite(pages, ({ params }: { readonly params: Params }) =>
    addressOf('', 'users', params.user_id),
  )
  const { style } = pages
  // A browser must not send a form from a user's portal that an operator views.
  const headers = pageHeaders(style, "'none'", "form-action 'none'")

  consoleRoute(app, pages, '/console/users/:user_id', async ({ view, request, params }) => {
    const read = await readPage(pages, params.user_id, queryOf(request, 'cursor') ?? null)
    return userPage(pages, view, read, noticeIn(request))
  })

  app.get<{ Params: Params }>('/console/users/:user_id/portal', thisSite, async (request, reply) => {
    const { user_id: userId } = request.params
    const view = viewOf(pages, request, reply)
    const { operator } = view.session
    const safeStart = <Banner pages={pages} view={view} userId={userId} />
    const page = await pages.viewAsUser({ userId, operator, requestId: request.id, style, safeStart })
    return reply.headers(headers).send(page)
  })
}

type UserPage = Awaited<ReturnType<typeof readPage>>

async function readPage(pages: UserPages, userId: string, cursor: string | null) {
  const file = await showUser(pages, userId)
  return {
    file,
    overview: await readOverview({ ...pages, lookups: async () => false }, userId),
    timeline: await pageOfTimeline(pages, { user_id: userId }, { cursor, limit: SHOWN }),
    isFirst: cursor === null,
    labels: await readLabels(pages, { payments: file.waiting.map((entry) => entry.other_payment_id) }),
    ordered: await orderedIn(pages, file),
  }
}

/** The newest payment, and those after the last booked one without an entry in the inbox. */
function orderedIn(pages: AllPages, { user: { userId }, payments, waiting }: UserFile) {
  const booked = payments.findIndex(({ status }) => status === 'paid' || status === 'refunded')
  const later = booked === -1 ? payments : payments.slice(0, booked)
  const unseen = later.filter(({ id }) => !waiting.some((entry) => entry.payment_id === id))
  const ordered = new Set([...payments.slice(0, 1), ...unseen].slice(0, ORDERED_MAX).map(({ id }) => id))
  return Promise.all(
    [...ordered].map(async (id) => ({
      file: await showPayment(pages, id),
      mail: await lastMailAbout(pages.database, { userId, id }),
    })),
  )
}

/** The newest acts; the timeline has all of them. */
const ACTS_SHOWN = 7

function userPage(
  pages: AllPages,
  view: View,
  { file, overview, timeline, labels, ordered, isFirst }: UserPage,
  notice: TrailNotice,
): string {
  const { say, locale } = view
  const { userId, name, email, phone, locale: language, createdAt } = file.user
  const found = ({ act, payment_id: id }: TrailEntry) => {
    const one = act === recheck.name && ordered.find(({ file: { payment } }) => payment.id === id)
    return one ? stateInWords(pages, view, one.file) : null
  }
  const sayAll = sayFor(pages.seller.identity, locale)
  const title = plainName(name ?? email ?? userId)
  return renderConsole(pages, {
    ...view,
    title,
    safeContent: (
      <>
        <h1>
          <bdi safe>{title}</bdi>
        </h1>
        <NoticeOf {...{ view, notice }} acts={file.audit} state={found} />
        <Ordered {...{ pages, view, file, ordered }} />
        {file.waiting.length === 0 ? null : (
          <Card id="waiting" title={say('kinds')}>
            <InboxEntries {...{ pages, view, labels }} entries={file.waiting} ofUser />
          </Card>
        )}
        <Card id="facts" title={say('user')}>
          <Facts
            facts={[
              [say('email'), email && plainName(email)],
              [say('phone'), phone],
              [say('language'), language && CATALOGS[language].page.languageName],
              [say('knownSince'), view.moment(createdAt)],
              [say('userId'), plainName(userId)],
            ]}
          />
          <Acts {...{ pages, view, file }} />
        </Card>
        <PlanCard {...{ pages, view, file }} />
        <UsageBars {...{ pages, say: sayAll, view: { locale, overview } }} title={say('usage')} />
        {pages.fileParts.user.map(({ key, card }) => card?.(pages, view, file.parts[key]) ?? null)}
        <TimelineCard {...{ pages, view, file, timeline, isFirst }} />
        <Trail {...{ pages, view }} acts={file.audit.slice(0, ACTS_SHOWN)} isOpen={notice.isOfAct} />
      </>
    ),
  })
}

/** The payments in `ordered`: their state, the last report, and the last mail. */
function Ordered(of: { pages: AllPages; view: View } & Pick<UserPage, 'file' | 'ordered'>) {
  const { pages, view, file, ordered } = of
  const { say } = view
  const offeredOn = (one: PaymentFile) =>
    actsOffered(pages, view, { subject: PAYMENT, file: one, id: one.payment.id }).filter(
      ({ act }) => act.name === recheck.name,
    )
  const access = [say('access'), accessInWords(pages, view, file.subscription)] as const
  const none = [say('lastPayment'), say('noPayment')] as const
  return (
    <Card id="ordered" title={say('paidNoAccess')}>
      <Facts facts={ordered.length === 0 ? [access, none] : [access]} />
      {ordered.map(({ file: one, mail }) => (
        <>
          <Facts facts={orderedFacts(pages, view, one, mail)} />
          <ActButtons {...{ pages, view }} offered={offeredOn(one)} />
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

function Acts({ pages, view, file }: { pages: AllPages; view: View; file: UserFile }) {
  const { userId: id } = file.user
  const lastPaid = pages.mailer && file.payments.find(({ status }) => status === 'paid')
  const offered = actsOffered(pages, view, { subject: USER, file, id })
  const resend = lastPaid ? [{ act: resendReceipt, id: lastPaid.id }] : []
  const asUser = { href: `${addressOf(pages.base, 'users', id)}/portal`, label: view.say('seeAsUser') }
  return <ActButtons {...{ pages, view }} first={asUser} offered={[...offered, ...resend]} />
}

/** The banner is in the operator's language, the portal below it in the user's. */
function Banner({ pages, view, userId }: { pages: AllPages; view: View; userId: string }) {
  const { say, locale } = view
  return (
    <aside
      class="notice warn viewed-as-user"
      lang={locale}
      dir={directionOf(locale)}
      aria-label={say('asUserTitle')}
    >
      <p>
        <b safe>{say('asUserTitle')}</b> <span safe>{say('asUserText')}</span>
      </p>
      <LinkButton href={addressOf(pages.base, 'users', userId)} label={say('asUserBack')} />
    </aside>
  )
}
