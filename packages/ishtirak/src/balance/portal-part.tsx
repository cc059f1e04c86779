// Balances on the portal: a card, its forms, and the balance as a payment method.
import type { FastifyRequest } from 'fastify'
import { readTypedAmount } from '../acts/typed-amount.js'
import { wantedIn } from '../checkout/buy-form.js'
import { offerValue, readOffer } from '../checkout/portal-choice.js'
import { keepChoice } from '../checkout/portal-summary.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { balanceIn } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { BY_BALANCE } from '../core/subscription.js'
import type { App } from '../http/app.js'
import { entriesOfUser } from '../ledger/balance-entries.sql.js'
import { answerForm } from '../pages/message-pages.js'
import { senderOf } from '../pages/own-form.js'
import type { Pages } from '../pages/portal-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { actorOf, fieldOf } from '../pages/reader.js'
import type { WayToPay } from '../pages/way-to-pay.js'
import { type BuyDeps, payByBalance } from './buy.js'
import { endOrder, type OrderDeps, setOrder } from './order.js'
import { BalanceCard, RenewsByItself } from './portal-balance.js'
import { orOutdated } from './shown-price.js'

export type BalancePagesDeps = UpgradeDeps & BuyDeps & OrderDeps

/** Why a form is refused: its amount is unreadable or too small. */
const UNREAD = 'amount'

const BALANCE = 'balance'

/** Entries that the card shows. */
const SHOWN = 8

const WAY: WayToPay = {
  method: BY_BALANCE,
  label: (say) => say('fromBalance'),
  path: '/portal/balance/buy',
  button: 'payFromBalance',
  next: 'fromBalanceNext',
  by: 'byBalance',
  // It is paid when it is written, so it is never open and has no number.
  also: 'byBalance',
  reference: { label: 'transaction', inWords: (id) => id },
  purse: {
    amountIn: balanceIn,
    missing: 'balanceMissing',
    add: { label: 'topUpTitle', path: '/portal/balance' },
  },
}

export const balancePages: PortalKinds<BalancePagesDeps> = {
  routes: balanceForms,
  ways: ({ rules }) => (rules.balanceMax > 0 ? [WAY] : []),
  paths: [BALANCE],
  read: async ({ rules, database, formats }, { session, page, overview: { facts } }) => {
    const { balance } = facts
    // If balances are off, users with a balance or an order from before still see it.
    if (rules.balanceMax === 0 && !balance?.order && !balance?.amount) return {}
    // Only its own page lists what moved.
    const isListed = balance !== null && page === BALANCE
    const entries = isListed
      ? await entriesOfUser(database, session.userId, { before: null, limit: SHOWN })
      : []
    const amount = balanceIn(facts)
    const link = { path: BALANCE, title: 'balanceTitle' } as const
    return {
      state: (section) => <RenewsByItself {...section} facts={facts} />,
      pages: [
        {
          ...link,
          ...(amount > 0 && { note: (locale) => formats.money(amount, locale) }),
          render: (section) => <BalanceCard {...section} facts={facts} entries={entries} />,
        },
      ],
    }
  },
  refusals: {
    balance_limit_reached: {
      words: (_error, _locale, say) => ({ text: say('balanceFull') }),
    },
    validation_failed: {
      words: ({ extra }, _locale, say) => (extra.reason === UNREAD ? { text: say('amountUnread') } : {}),
    },
  },
}

function balanceForms(app: App, pages: Pages & BalancePagesDeps): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }
  const back = `${pages.base}/portal/${BALANCE}`
  const isOff = pages.rules.balanceMax === 0

  app.post('/portal/balance/renewal', hidden, async (request, reply) => {
    const { userId } = senderOf(pages, request)
    const { planId, months, shown } = readPriced(fieldOf(request, 'offer'))
    if (fieldOf(request, 'off') !== '') await endOrder(pages, { userId })
    else if (isOff) throw new BillingError('not_found')
    // If the page is outdated, the portal shows today's price.
    else await setOrder(pages, { userId }, { planId, months, shown }).catch(orOutdated)
    return reply.headers(pages.headers).redirect(back, 303)
  })

  if (isOff) return
  app.post('/portal/balance/top-up', hidden, async (request, reply) => {
    const session = senderOf(pages, request)
    const locale = reader.language(request, reply, session)
    const wanted = {
      topUp: amountIn(request, pages.rules.leastAmount),
      method: fieldOf(request, 'method') || undefined,
    }
    const { checkoutUrl } = await openPayment(pages, {
      ...{ user: actorOf(session), ...wanted, locale, requestId: request.id },
    })
    return reply.headers(pages.headers).redirect(checkoutUrl ?? `${pages.base}/portal#transfer`, 303)
  })

  const { buy } = payByBalance(pages)
  app.post('/portal/balance/buy', hidden, async (request, reply) => {
    const session = senderOf(pages, request)
    const { planId, months = 1, start, code } = wantedIn(request)
    const shown = Number(fieldOf(request, 'shown')) || undefined
    const by = { user: actorOf(session), requestId: request.id }
    const bought = await buy(by, { planId, months, start, code, shown }).catch(orOutdated)
    if (bought === 'outdated') {
      const offer = offerValue({ offer: { plan: { id: planId }, months }, change: start === 'now' })
      const choice = keepChoice({ offer, method: BY_BALANCE, ...(code && { code }) })
      return answerForm(pages, reply, session, { choice, ...(code && { code }) })
    }
    return reply.headers(pages.headers).redirect(`${pages.base}/portal/return/${bought.paymentId}`, 303)
  })
}

/** Reads an offer and the price that was shown with it. */
function readPriced(value: string) {
  const [, offer = value, price] = /^(.*) (\d+)$/.exec(value) ?? []
  return { ...readOffer(offer), shown: price === undefined ? undefined : Number(price) }
}

/** Reads a typed amount. Throws `validation_failed`. */
function amountIn(request: FastifyRequest, least: number): number {
  const read = readTypedAmount(fieldOf(request, 'amount'))
  if (read.kind === 'dinars' && read.dinars >= least) return read.dinars
  throw new BillingError('validation_failed', { extra: { reason: UNREAD } })
}
