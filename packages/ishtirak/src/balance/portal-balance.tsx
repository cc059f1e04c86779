// The balance on the portal: the amount, a form to pay in, the standing order, and the entries. Plain words,
// and no script.
import type { PropsWithChildren } from '@kitajs/html'
import { offerValue } from '../checkout/portal-choice.js'
import { balanceIn, type StandingOrder } from '../core/balance.js'
import { mayOrder } from '../core/person.js'
import { type Offer, offersOf } from '../core/plan.js'
import { isPaidNow, renewalOffers } from '../core/quote.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import type { BalanceEntry } from '../ledger/balance-entries.sql.js'
import { hrefIn, OwnForm } from '../pages/own-form.js'
import { SubmitButton } from '../pages/portal-frame.js'
import { mayInvite, type PartSection } from '../pages/portal-kinds.js'
import { Words } from '../pages/words.js'

type OfBalance = PartSection & {
  /** The facts with the standing order, after what is due was booked. */
  readonly facts: SubscriptionFacts
  /** Sorted, the newest first. */
  readonly entries: readonly BalanceEntry[]
}

export function BalanceCard(of: OfBalance) {
  const { pages, view, say, facts, entries } = of
  return (
    <section class="card" aria-label={say('balanceTitle')}>
      <p class="figure">
        <b safe>{pages.formats.money(balanceIn(facts), view.locale)}</b>
      </p>
      <p class="soft small" safe>
        {say('balanceText')}
      </p>
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

function Renewal(of: OfBalance) {
  const { say, facts } = of
  const order = facts.balance?.order ?? null
  const isOn = of.pages.rules.balanceMax > 0
  if (!order) return isOn && mayOrder(of.view.session) ? <OrderForm {...of} /> : null
  return (
    <>
      <p>
        <Words>{renewalInWords(of, order)}</Words>
      </p>
      {isOn && order.offered ? <NewPrice {...of} order={order} offered={order.offered.price} /> : null}
      <RenewalForm {...of} fields={{ off: 'yes' }}>
        <button type="submit" safe>
          {say('renewalOff')}
        </button>
      </RenewalForm>
    </>
  )
}

function renewalInWords({ pages, view, say, facts }: OfBalance, order: StandingOrder): string {
  const { locale } = view
  const { money, day } = pages.formats
  const what = planAndTerm(order.plan, order.months, locale)
  const missing = order.price - balanceIn(facts)
  const end = facts.endedAt === null ? facts.paidUntil : null
  const words = {
    ...{ what, price: money(order.price, locale), missing: money(missing, locale) },
    date: end === null ? '' : day(end, locale),
  }
  if (missing <= 0) return say('renewalReady', words)
  return say(end === null || end <= view.overview.now ? 'renewalWaits' : 'renewalMissing', words)
}

function NewPrice(of: OfBalance & { readonly order: StandingOrder; readonly offered: number }) {
  const { pages, view, say, order, offered } = of
  const price = pages.formats.money(offered, view.locale)
  return (
    <>
      <p safe>{say('renewalOffered', { price })}</p>
      <RenewalForm {...of} fields={{ offer: `${offerValue({ offer: order })} ${offered}` }}>
        <button type="submit" safe>
          {say('renewalAgree', { price })}
        </button>
      </RenewalForm>
    </>
  )
}

/** Folded, so that a user without an order reads one line. */
function OrderForm(of: OfBalance) {
  const { pages, view, say, facts } = of
  const offers = pages.catalogue.plans.flatMap(offersOf)
  const [usual] = renewalOffers(facts, pages.catalogue)
  const value = (offer: Offer) => `${offerValue({ offer })} ${offer.price.amount}`
  const { paidUntil, endedAt } = facts
  const hasTime = paidUntil !== null && endedAt === null && paidUntil > view.overview.now
  return (
    <details>
      <summary safe>{say('renewalTitle')}</summary>
      <p class="small" safe>
        {say('renewalText')}
      </p>
      {hasTime ? null : (
        <p class="small">
          <b safe>{say('renewalAtOnce')}</b>
        </p>
      )}
      <RenewalForm {...of} fields={{}}>
        <label>
          <span safe>{say('renewalWhat')}</span>
          <select name="offer">
            {offers.map((offer) => (
              <option
                value={value(offer)}
                selected={usual !== undefined && value(offer) === value(usual)}
                safe
              >
                {inParts(
                  [
                    planAndTerm(offer.plan, offer.months, view.locale),
                    pages.formats.money(offer.price.amount, view.locale),
                  ],
                  view.locale,
                )}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" safe>
          {say('renewalOn')}
        </button>
      </RenewalForm>
    </details>
  )
}

function RenewalForm({
  pages,
  view,
  fields,
  children,
}: PropsWithChildren<PartSection & { readonly fields: Readonly<Record<string, string>> }>) {
  return (
    <OwnForm session={view.session} action={`${pages.base}/portal/balance/renewal`}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </OwnForm>
  )
}

function TopUpForm({ pages, view, say, facts }: OfBalance) {
  const ways = pages.ways.filter(({ method }) => method !== 'balance')
  const most = pages.rules.balanceMax - balanceIn(facts)
  if (most < pages.rules.leastAmount) return null
  return (
    <details open={balanceIn(facts) === 0}>
      <summary safe>{say('topUpTitle')}</summary>
      <OwnForm session={view.session} action={`${pages.base}/portal/balance/top-up`}>
        <label>
          <span safe>{say('topUpAmount')}</span>
          <input
            type="text"
            name="amount"
            inputmode="numeric"
            required
            maxlength="20"
            autocomplete="off"
            dir="ltr"
          />
        </label>
        {ways.length === 0 ? null : (
          <label>
            <span safe>{say('topUpBy')}</span>
            <select name="method">
              <option value="card" safe>
                {say('card')}
              </option>
              {ways.map(({ method, label }) => (
                <option value={method} safe>
                  {label(say, view.locale)}
                </option>
              ))}
            </select>
          </label>
        )}
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
