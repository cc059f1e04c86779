// Buying by card on the portal: forms, the page after paying, open payments, past payments.
import { findPayment } from '../ledger/payments.sql.js'
import { answerForm, shortened } from '../pages/message-pages.js'
import { senderOf } from '../pages/own-form.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { actorOf, fieldOf } from '../pages/reader.js'
import { wantedIn } from './buy-form.js'
import { readCodeWorth } from './code-worth.js'
import { offerValue, readOffer } from './portal-choice.js'
import { History, RecentPayments } from './portal-history.js'
import { PendingNotice, ReviewNotice } from './portal-open.js'
import { type Chosen, keepChoice, summaryPage } from './portal-summary.js'
import { readQuote } from './quote.js'
import { returnRoutes } from './return.route.js'
import type { StatusDeps } from './status.js'
import { type UpgradeDeps, upgrade } from './upgrade.js'

export type CheckoutPagesDeps = UpgradeDeps & StatusDeps

export const checkoutPages: PortalKinds<CheckoutPagesDeps> = {
  routes: (app, pages) => {
    const { reader, users } = pages
    const hidden = { schema: { hide: true }, onRequest: users.onRequest }
    app.post('/portal/upgrade', hidden, async (request, reply) => {
      const session = senderOf(pages, request)
      const locale = reader.language(request, reply, session)
      const wanted = { user: actorOf(session), ...wantedIn(request), locale, requestId: request.id }
      const { checkoutUrl } = await upgrade(pages, wanted)
      return reply.headers(pages.headers).redirect(checkoutUrl, 303)
    })
    app.post('/portal/choice', hidden, async (request, reply) => {
      const session = senderOf(pages, request)
      const [offer, method, code] = ['offer', 'method', 'code'].map((name) =>
        shortened(fieldOf(request, name)),
      ) as [string, string, string]
      return answerForm(pages, reply, session, await keptOf(pages, session.userId, { offer, method, code }))
    })
    returnRoutes(app, pages)
  },
  answers: { choice: summaryPage },
  read: async ({ database }, { session, history }) => {
    const found = history.payments.find(({ status }) => status === 'review')
    const odd = found ? await findPayment(database, session.userId, found.id) : null
    return {
      open: (section) => <PendingNotice {...section} />,
      ...(odd && { problems: (section) => <ReviewNotice {...section} odd={odd} /> }),
      recent: (section) => <RecentPayments {...section} />,
      lists: (section) => <History {...section} />,
    }
  },
}

/** The page after the choice: its summary, or the page of a code that needs something else. */
async function keptOf(
  pages: CheckoutPagesDeps,
  userId: string,
  { code, ...chosen }: Required<Chosen>,
): Promise<Readonly<Record<string, string>>> {
  if (code === '') return { choice: keepChoice(chosen) }
  const worth = await readCodeWorth(pages, userId, code)
  if (worth.kind === 'discount' && readOffer(chosen.offer).start === 'now') {
    await readQuote(pages, { userId, ...readOffer(chosen.offer), code })
    return { choice: keepChoice({ ...chosen, code }), code }
  }
  const isForThis =
    worth.kind === 'discount' && worth.quotes.some((quote) => offerValue(quote) === chosen.offer)
  return isForThis ? { choice: keepChoice({ ...chosen, code }), code } : { code }
}
