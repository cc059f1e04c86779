// What balances bring to the pages of users: a card, its forms, and the balance as a way to pay.
import type { FastifyRequest } from 'fastify'
import { wantedIn } from '../checkout/buy-form.js'
import { readOffer } from '../checkout/portal-choice.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { balanceIn } from '../core/balance.js'
import { wrongField } from '../core/error.js'
import { BY_BALANCE } from '../core/subscription.js'
import { readTypedAmount } from '../core/typed-amount.js'
import type { App } from '../http/app.js'
import { entriesOfUser } from '../ledger/balance-entries.sql.js'
import type { Pages } from '../pages/portal-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { fieldOf } from '../pages/reader.js'
import type { WayToPay } from '../pages/way-to-pay.js'
import { type BuyDeps, payByBalance } from './buy.js'
import { endOrder, type OrderDeps, setOrder } from './order.js'
import { BalanceCard, RenewsByItself } from './portal-balance.js'

export type BalancePagesDeps = UpgradeDeps & BuyDeps & OrderDeps

/** Entries that the card shows. */
const SHOWN = 8

const WAY: WayToPay = {
  method: BY_BALANCE,
  label: (say) => say('fromBalance'),
  path: '/portal/balance/buy',
  button: 'payFromBalance',
  next: 'fromBalanceNext',
  by: 'byBalance',
  // It is paid when it is written, so none is ever open, or has a number.
  also: 'byBalance',
  reference: { label: 'transaction', inWords: (id) => id },
  purse: {
    amountIn: balanceIn,
    missing: 'balanceMissing',
    add: { label: 'topUpTitle', path: '/portal#balance' },
  },
}

export const balancePages: PortalKinds<BalancePagesDeps> = {
  routes: (app, pages) => {
    if (pages.rules.balanceMax > 0) balanceForms(app, pages)
  },
  ways: ({ rules }) => (rules.balanceMax > 0 ? [WAY] : []),
  read: async ({ rules, database }, { session, overview: { facts } }) => {
    if (rules.balanceMax === 0) return {}
    const page = { before: null, limit: SHOWN }
    const entries = facts.balance ? await entriesOfUser(database, session.userId, page) : []
    return {
      state: (section) => <RenewsByItself {...section} facts={facts} />,
      warnings: (section) => <BalanceCard {...section} facts={facts} entries={entries} />,
    }
  },
  refusals: {
    balance_limit_reached: {
      words: (_error, _locale, say) => ({ text: say('balanceFull') }),
    },
  },
}

function balanceForms(app: App, pages: Pages & BalancePagesDeps): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }
  const ownUser = (request: FastifyRequest) => {
    const session = users.of(request)
    reader.requireOwnForm(request, session)
    return session
  }
  const back = `${pages.base}/portal#balance`

  app.post('/portal/balance/top-up', hidden, async (request, reply) => {
    const session = ownUser(request)
    const locale = reader.language(request, reply, session)
    const wanted = {
      topUp: amountIn(request, pages.rules.leastAmount),
      method: fieldOf(request, 'method') || undefined,
    }
    const { userId } = session
    const { checkoutUrl } = await openPayment(pages, {
      ...{ user: { userId }, ...wanted, locale, requestId: request.id },
    })
    return reply.headers(pages.headers).redirect(checkoutUrl ?? `${pages.base}/portal#transfer`, 303)
  })

  app.post('/portal/balance/renewal', hidden, async (request, reply) => {
    const { userId } = ownUser(request)
    const { planId, months } = readOffer(fieldOf(request, 'offer'))
    if (fieldOf(request, 'off') !== '') await endOrder(pages, { userId })
    else await setOrder(pages, { userId }, { planId, months })
    return reply.headers(pages.headers).redirect(back, 303)
  })

  const { buy } = payByBalance(pages)
  app.post('/portal/balance/buy', hidden, async (request, reply) => {
    const { userId } = ownUser(request)
    const { planId, months = 1, start, code } = wantedIn(request)
    const { paymentId } = await buy(
      { user: { userId }, requestId: request.id },
      { planId, months, start, code },
    )
    return reply.headers(pages.headers).redirect(`${pages.base}/billing/return/${paymentId}`, 303)
  })
}

/** As it was typed. Throws `validation_failed`. */
function amountIn(request: FastifyRequest, least: number): number {
  const read = readTypedAmount(fieldOf(request, 'amount'))
  if (read.kind !== 'dinars') throw wrongField('amount', 'wrong_format')
  if (read.dinars < least) throw wrongField('amount', 'too_small', least)
  return read.dinars
}
