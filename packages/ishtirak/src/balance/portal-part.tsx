// Balances on the portal: a card, its forms, and the balance as a payment method.
import { readTypedAmount } from '../acts/typed-amount.js'
import { choiceToKeep, offerValue, readOffer, wantedIn } from '../checkout/portal-choice.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { balanceIn } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { BY_BALANCE } from '../core/subscription.js'
import type { App } from '../http/app.js'
import { entriesOfUser } from '../ledger/balance-entries.sql.js'
import { answerForm } from '../pages/message-pages.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages, ShownMethod } from '../pages/portal-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { type BuyDeps, payByBalance } from './buy.js'
import { endOrder, type OrderDeps, orOutdated, setOrder } from './order.js'
import { BalanceCard, RENEWAL, RenewsByItself } from './portal-balance.js'

export type BalancePagesDeps = UpgradeDeps & BuyDeps & OrderDeps

/** Why a form is refused: its amount is unreadable or too small. */
const UNREAD = 'amount'

const BALANCE = 'balance'

const SHOWN = 8

const SHOWN_BALANCE: ShownMethod = {
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
  shownMethods: ({ rules }) => (rules.balanceMax > 0 ? [SHOWN_BALANCE] : []),
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
    return {
      state: (section) => <RenewsByItself {...section} facts={facts} />,
      pages: [
        {
          ...{ path: BALANCE, title: 'balanceTitle' },
          ...(amount > 0 && { note: (locale) => formats.money(amount, locale) }),
          render: (section) => <BalanceCard {...section} facts={facts} entries={entries} />,
        },
      ],
    }
  },
  refusals: {
    balance_limit_reached: { words: (_error, _locale, say) => ({ text: say('balanceFull') }) },
    validation_failed: {
      words: ({ extra }, _locale, say) => (extra.reason === UNREAD ? { text: say('amountUnread') } : {}),
    },
  },
}

function balanceForms(app: App, pages: Pages & BalancePagesDeps): void {
  const isOff = pages.rules.balanceMax === 0

  portalForm(app, pages, { path: RENEWAL }, async ({ session: { userId }, field }) => {
    if (field('off') !== '') await endOrder(pages, { userId })
    else if (isOff) throw new BillingError('not_found')
    // If the page is outdated, the portal shows today's price.
    else await setOrder(pages, { userId }, readPriced(field('offer'))).catch(orOutdated)
    return `/portal/${BALANCE}`
  })

  if (isOff) return
  portalForm(app, pages, { path: '/portal/balance/top-up' }, async ({ by, field }) => {
    const topUp = amountIn(field('amount'), pages.rules.leastAmount)
    const opened = await openPayment(pages, { ...by, topUp, method: field('method') || undefined })
    return opened.checkoutUrl ?? '/portal#transfer'
  })

  const { buy } = payByBalance(pages)
  portalForm(app, pages, { path: '/portal/balance/buy' }, async ({ reply, session, by, field }) => {
    const { planId, months = 1, start, code } = wantedIn(field)
    const shown = Number(field('shown')) || undefined
    const bought = await buy(by, { planId, months, start, code, shown }).catch(orOutdated)
    if (bought !== 'outdated') return `/portal/return/${bought.paymentId}`
    const offer = offerValue({ offer: { plan: { id: planId }, months }, change: start === 'now' })
    const choice = choiceToKeep({ offer, method: BY_BALANCE, code })
    return answerForm(pages, reply, session, { choice, ...(code && { code }) })
  })
}

function readPriced(value: string) {
  const [, offer = value, price] = /^(.*) (\d+)$/.exec(value) ?? []
  return { ...readOffer(offer), shown: price === undefined ? undefined : Number(price) }
}

function amountIn(typed: string, least: number): number {
  const read = readTypedAmount(typed)
  if (read.kind === 'dinars' && read.dinars >= least) return read.dinars
  throw new BillingError('validation_failed', { extra: { reason: UNREAD } })
}
