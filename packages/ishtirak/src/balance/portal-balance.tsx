// The balance on the portal: the amount, a form to pay in, the standing order, and the entries.

import { offeredMethods, offerValue } from '../checkout/portal-choice.js'
import { balanceIn } from '../core/balance.js'
import { mayOrder } from '../core/person.js'
import { type Offer, offersOf } from '../core/plan.js'
import { isPaidNow, renewalOffers } from '../core/quote.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import type { BalanceEntry } from '../ledger/balance-entries.sql.js'
import { type Field, Input } from '../pages/field.js'
import { hrefIn, OwnForm, P, SubmitButton, Words } from '../pages/parts.js'
import { mayInvite, type PartSection } from '../pages/portal-kinds.js'

export const RENEWAL = '/portal/balance/renewal'

type OfBalance = PartSection & {
  /** The facts with the standing order, after what is due was booked. */
  readonly facts: SubscriptionFacts
  readonly entries: readonly BalanceEntry[]
}

export function BalanceCard(of: OfBalance) {
  const { pages, view, say, facts, entries } = of
  return (
    <section class="card" aria-label={say('balanceTitle')}>
      <p class="figure">
        <b safe>{pages.formats.money(balanceIn(facts), view.locale)}</b>
      </p>
      <P class="soft small">{say('balanceText')}</P>
      <Renewal {...of} />
      {mayInvite(view) ? <TopUpForm {...of} /> : null}
      {entries.length === 0 ? null : <Ledger {...of} />}
    </section>
  )
}

/** Shown at the plan: whether the user has to do anything before it ends. */
export function RenewsByItself({ pages, view, say, facts }: Omit<OfBalance, 'entries'>) {
  const order = facts.balance?.order ?? null
  if (!order || !isPaidNow(view.overview.subscription)) return null
  const missing = order.price - balanceIn(facts)
  if (missing <= 0) return <p safe>{say('renewsByItself')}</p>
  return (
    <p>
      <span safe>{say('renewalLacks', { missing: pages.formats.money(missing, view.locale) })}</span>{' '}
      {mayOrder(view.session) ? (
        <a href={hrefIn(view.session, `${pages.base}/portal/balance`)} safe>
          {say('topUpTitle')}
        </a>
      ) : null}
    </p>
  )
}

/** The standing order with buttons to end it and to agree to another price, or the form that begins one. */
function Renewal(of: OfBalance) {
  const { pages, view, say, facts } = of
  const { money, day } = pages.formats
  const { locale, session } = view
  const order = facts.balance?.order ?? null
  const isOn = pages.rules.balanceMax > 0
  if (!order) return isOn && mayOrder(session) ? <OrderForm {...of} /> : null
  const end = facts.endedAt === null ? facts.paidUntil : null
  const missing = order.price - balanceIn(facts)
  const isDue = end === null || end <= view.overview.now
  const words = {
    what: planAndTerm(order.plan, order.months, locale),
    ...{ price: money(order.price, locale), missing: money(missing, locale) },
    date: end === null ? '' : day(end, locale),
  }
  const offered = isOn && order.offered ? order.offered.price : null
  const price = money(offered ?? 0, locale)
  return (
    <>
      <P>{say(missing <= 0 ? 'renewalReady' : isDue ? 'renewalWaits' : 'renewalMissing', words)}</P>
      {offered === null ? null : <p safe>{say('renewalOffered', { price })}</p>}
      <OwnForm session={session} action={`${pages.base}${RENEWAL}`}>
        {offered === null ? null : (
          <button type="submit" name="offer" value={`${offerValue({ offer: order })} ${offered}`} safe>
            {say('renewalAgree', { price })}
          </button>
        )}
        <button type="submit" name="off" value="yes" safe>
          {say('renewalOff')}
        </button>
      </OwnForm>
    </>
  )
}

/** Folded, so that a user without an order reads one line. */
function OrderForm({ pages, view, say, facts }: OfBalance) {
  const { locale } = view
  const [usual] = renewalOffers(facts, pages.catalogue)
  const value = (offer: Offer) => `${offerValue({ offer })} ${offer.price.amount}`
  const inWords = ({ plan, months, price }: Offer) =>
    inParts([planAndTerm(plan, months, locale), pages.formats.money(price.amount, locale)], locale)
  const { paidUntil, endedAt } = facts
  const hasTime = paidUntil !== null && endedAt === null && paidUntil > view.overview.now
  const what: Field = {
    ...{ name: 'offer', label: say('renewalWhat'), type: 'text', value: usual ? value(usual) : '' },
    choices: pages.catalogue.plans.flatMap(offersOf).map((offer) => [value(offer), inWords(offer)] as const),
  }
  return (
    <details>
      <summary safe>{say('renewalTitle')}</summary>
      <P class="small">{say('renewalText')}</P>
      {hasTime ? null : (
        <p class="small">
          <b safe>{say('renewalAtOnce')}</b>
        </p>
      )}
      <OwnForm session={view.session} action={`${pages.base}${RENEWAL}`}>
        <Input view={view} field={what} sent={null} isRequired />
        <button type="submit" safe>
          {say('renewalOn')}
        </button>
      </OwnForm>
    </details>
  )
}

function TopUpForm({ pages, view, say, facts }: OfBalance) {
  const methods = offeredMethods(pages).filter(({ purse }) => !purse)
  const most = pages.rules.balanceMax - balanceIn(facts)
  if (most < pages.rules.leastAmount) return null
  const amount: Field = { name: 'amount', label: say('topUpAmount'), type: 'number', value: '' }
  const method: Field = {
    ...{ name: 'method', label: say('topUpBy'), type: 'text', value: '' },
    choices: methods.map(({ method, label }) => [method, label(say, view.locale)] as const),
  }
  return (
    <details open={balanceIn(facts) === 0}>
      <summary safe>{say('topUpTitle')}</summary>
      <OwnForm session={view.session} action={`${pages.base}/portal/balance/top-up`}>
        <Input view={view} field={amount} sent={null} isRequired />
        {methods.length === 1 ? null : <Input view={view} field={method} sent={null} isRequired />}
        <SubmitButton label={say('topUpButton')} />
      </OwnForm>
    </details>
  )
}

function Ledger({ pages, view, say, entries }: OfBalance) {
  const { money, moved, day } = pages.formats
  const { locale } = view
  return (
    <ul class="payments">
      {entries.map(({ kind, amount, balanceAfter, note, createdAt }) => (
        <li>
          <span class="date">
            <Words>{day(createdAt, locale)}</Words>
          </span>
          <span class="sum" safe>
            {moved(amount, locale)}
          </span>
          <span class="bought soft small" safe>
            {inParts(
              [
                say(`entry_${kind}`),
                ...(note === null ? [] : [note]),
                say('entryAfter', { amount: money(balanceAfter, locale) }),
              ],
              locale,
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
