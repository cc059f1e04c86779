// What buying by card brings to the portal: forms, the page after paying, what is open, what was paid.
import { findPayment } from '../ledger/payments.sql.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { wantedIn } from './buy-form.js'
import { PlanChanges } from './portal-change.js'
import { History } from './portal-history.js'
import { PendingNotice, ReviewNotice } from './portal-open.js'
import { returnRoutes } from './return.route.js'
import type { StatusDeps } from './status.js'
import { type UpgradeDeps, upgrade } from './upgrade.js'

export type CheckoutPagesDeps = UpgradeDeps & StatusDeps

export const checkoutPages: PortalKinds<CheckoutPagesDeps> = {
  routes: (app, pages) => {
    const { reader, users } = pages
    const hidden = { schema: { hide: true }, onRequest: users.onRequest }
    app.post('/portal/upgrade', hidden, async (request, reply) => {
      const session = users.of(request)
      reader.requireOwnForm(request, session)
      const { userId } = session
      const locale = reader.language(request, reply, session)
      const wanted = { user: { userId }, ...wantedIn(request), locale, requestId: request.id }
      const { checkoutUrl } = await upgrade(pages, wanted)
      return reply.headers(pages.headers).redirect(checkoutUrl, 303)
    })
    returnRoutes(app, pages)
  },
  read: async ({ database }, { session, history }) => {
    const found = history.payments.find(({ status }) => status === 'review')
    const odd = found ? await findPayment(database, session.userId, found.id) : null
    return {
      open: (section) => <PendingNotice {...section} />,
      ...(odd && { problems: (section) => <ReviewNotice {...section} odd={odd} /> }),
      warnings: (section) => <PlanChanges {...section} />,
      lists: (section) => <History {...section} />,
    }
  },
}
