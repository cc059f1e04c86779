// Buying by card on the portal: forms, the page after paying, open payments, past payments.
import { findPayment } from '../ledger/payments.sql.js'
import { answerForm, shortened } from '../pages/message-pages.js'
import { portalForm } from '../pages/portal-form.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { type Chosen, choiceToKeep, offerValue, readOffer, wantedIn } from './portal-choice.js'
import { orderPage } from './portal-order.js'
import { History, PendingNotice, RecentPayments, ReviewNotice } from './portal-payments.js'
import { readCodeWorth, readQuote } from './quote.js'
import { returnRoutes } from './return.route.js'
import type { StatusDeps } from './status.js'
import { type UpgradeDeps, upgrade } from './upgrade.js'

export type CheckoutPagesDeps = UpgradeDeps & StatusDeps

export const checkoutPages: PortalKinds<CheckoutPagesDeps> = {
  routes: (app, pages) => {
    portalForm(app, pages, { path: '/portal/upgrade' }, async ({ by, field }) => {
      return (await upgrade(pages, { ...by, ...wantedIn(field) })).checkoutUrl
    })
    portalForm(app, pages, { path: '/portal/choice' }, async ({ reply, session, field }) => {
      const typed = (name: string) => shortened(field(name))
      const chosen = { offer: typed('offer'), method: typed('method'), code: typed('code') }
      return answerForm(pages, reply, session, await choiceToSave(pages, session.userId, chosen))
    })
    returnRoutes(app, pages)
  },
  answers: { choice: orderPage },
  read: async ({ database }, { session, history }) => {
    const found = history.payments.find(({ status }) => status === 'review')
    const reviewed = found ? await findPayment(database, session.userId, found.id) : null
    return {
      open: PendingNotice,
      ...(reviewed && { problems: (section) => <ReviewNotice {...section} reviewed={reviewed} /> }),
      recent: RecentPayments,
      lists: History,
    }
  },
}

/** What to save for the next page: the choice, or the code alone if it is not for the chosen offer. */
async function choiceToSave(pages: CheckoutPagesDeps, userId: string, chosen: Required<Chosen>) {
  const { offer, code } = chosen
  const choice = choiceToKeep(chosen)
  if (!code) return { choice }
  const worth = await readCodeWorth(pages, userId, code)
  if (worth.kind === 'months') return { code }
  const wanted = readOffer(offer)
  if (wanted.start === 'now') await readQuote(pages, { userId, ...wanted, code })
  else if (!worth.quotes.some((quote) => offerValue(quote) === offer)) return { code }
  return { choice, code }
}
