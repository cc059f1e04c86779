// The front page, and the portal itself: the page, the way to the payment page, the receipts. The portal's routes know their
// user by the session.
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { readOverview } from '../limits/overview.js'
import { readHistory } from '../payments/history.js'
import { upgrade } from '../payments/upgrade.js'
import { askForReceipt } from '../receipts/receipt.js'
import { sendReceipt } from '../receipts/receipt.route.js'
import { frontPage } from './message-pages.js'
import type { Pages } from './pages.js'
import { portalPage } from './portal-page.js'
import { fieldOf, queryOf } from './reader.js'

/** A year of monthly payments on one page. */
const PAYMENTS_A_PAGE = 12

export function portalRoutes(app: App, pages: Pages): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }

  // The root of the service: for a browser a page that leads on, for a program as any address without a resource.
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    if (!request.headers.accept?.includes('text/html')) throw new BillingError('not_found')
    const locale = reader.language(request, reply, null)
    return reply.headers({ ...pages.headers, vary: 'Accept, Accept-Language' }).send(frontPage(pages, locale))
  })

  app.get('/portal', hidden, async (request, reply) => {
    const session = users.of(request)
    const cursor = queryOf(request, 'cursor') ?? null
    const { userId } = session
    // The overview first: it may book a payment, which the history should then show.
    const overview = await readOverview(pages, userId, request.id)
    const history = await readHistory(pages, {
      userId,
      limit: PAYMENTS_A_PAGE,
      cursor,
      status: null,
      requestId: request.id,
    })
    const locale = reader.language(request, reply, session)
    const view = { session, overview, history, locale, isOlder: cursor !== null }
    return reply.headers(pages.headers).send(portalPage(pages, view))
  })

  app.post('/portal/upgrade', hidden, async (request, reply) => {
    const session = users.of(request)
    reader.requireOwnForm(request, session)
    const { userId } = session
    const locale = reader.language(request, reply, session)
    const planId = fieldOf(request, 'plan')
    const wanted = { user: { userId }, planId, locale, requestId: request.id }
    const { checkoutUrl } = await upgrade(pages, wanted)
    return reply.headers(pages.headers).redirect(checkoutUrl, 303)
  })

  app.get<{ Params: { payment_id: string } }>(
    '/portal/receipts/:payment_id',
    hidden,
    async (request, reply) => {
      const session = users.of(request)
      const locale = reader.language(request, reply, session)
      const { userId } = session
      const paymentId = request.params.payment_id
      return sendReceipt(reply, await askForReceipt(pages, { userId, paymentId, locale }))
    },
  )
}
