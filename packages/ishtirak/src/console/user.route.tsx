// A user in the console, and the portal as that user sees it.

import type { App } from '../http/app.js'
import { directionOf } from '../i18n/messages.js'
import { readLabels } from '../ledger/labels.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import type { AllPages } from '../overview/all-pages.js'
import { lastMailAbout } from '../overview/payments.sql.js'
import { showPayment, showUser, type UserFile } from '../overview/read-files.js'
import { pageOfTimeline } from '../overview/timeline.js'
import { noticeIn } from '../overview/trail.js'
import { addressOf, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { LinkButton, pageHeaders, styleWith } from '../pages/portal-frame.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { queryOf } from '../pages/reader.js'
import { userPage } from './user-page.js'

interface Params {
  readonly user_id: string
}

/** Of what was ordered last and is not booked. */
const ORDERED_MAX = 3

/** The entries of the open timeline on one page. */
const SHOWN = 12

export function userRoutes(
  app: App,
  pages: AllPages & OverviewDeps & { readonly viewAsUser: ViewAsUser },
): void {
  const hidden = forOperators(pages)
  const thisSite = fromThisSite(pages, (of: Params) => addressOf('', 'users', of.user_id))
  const style = styleWith(pages.seller.shop.color)
  // No browser sends anything from there.
  const headers = pageHeaders(style, "'none'", "form-action 'none'")

  app.get<{ Params: Params }>('/console/users/:user_id', hidden, async (request, reply) => {
    const { user_id: userId } = request.params
    const file = await showUser(pages, userId)
    const overview = await readOverview({ ...pages, lookups: async () => false }, userId)
    const cursor = queryOf(request, 'cursor') ?? null
    const timeline = await pageOfTimeline(pages, { user_id: userId }, { cursor, limit: SHOWN })
    const view = viewOf(pages, request, reply)
    const labels = await readLabels(pages, { payments: file.waiting.map((entry) => entry.other_payment_id) })
    const ordered = await orderedIn(pages, file)
    const shown = {
      file,
      overview,
      timeline,
      labels,
      ordered,
      isFirst: cursor === null,
      notice: noticeIn(request),
    }
    return sendPage(pages, reply, userPage(pages, view, shown))
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

/** The newest payment, and those after the last booked one, without what waits for a person. */
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

/** In the language of the operator: the page below is in that of its user. */
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
