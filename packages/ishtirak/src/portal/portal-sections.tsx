// The sections of the portal's page that are always there: the plans, and what was paid.
import { isTaxed, TermChoice } from '../checkout/portal-terms.js'
import type { Instant } from '../core/instant.js'
import { maximumOf } from '../core/limit.js'
import { type PublicPaymentStatus, publicStatusAt, type ShownPayment } from '../core/payment.js'
import type { Plan } from '../core/plan.js'
import { isPaidNow } from '../core/quote.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import { instrumentName, planName } from '../i18n/messages.js'
import { hrefIn } from '../pages/own-form.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { wayOf } from '../pages/way-to-pay.js'
import { Words } from '../pages/words.js'
import { checkedIn, mayInvite, openMethods, type Section } from './portal-view.js'

/** The plans side by side, with their limits. For users without paid time those that can be bought come first. */
export function Plans(section: Section) {
  const { pages, view, say } = section
  const { plans } = pages.catalogue
  const sorted = isPaidNow(view.overview.subscription)
    ? plans
    : plans.toSorted((one, other) => Number(one.price === 0) - Number(other.price === 0))
  return (
    <section aria-labelledby="plans" class="group">
      <h2 id="plans" safe>
        {say('plansTitle')}
      </h2>
      <div class="plans">
        {sorted.map((plan) => (
          <PlanCard {...section} plan={plan} />
        ))}
      </div>
    </section>
  )
}

function PlanCard({ plan, ...section }: Section & { readonly plan: Plan }) {
  const { pages, view, say } = section
  const isCurrent = plan.id === view.overview.subscription.plan.id
  return (
    <article class={isCurrent ? 'card plan now' : 'card plan'}>
      <h3 safe>{planName(plan.name, view.locale)}</h3>
      <p class="price">
        <span safe>{pages.formats.money(plan.price, view.locale)}</span>{' '}
        {plan.price === 0 ? null : (
          <small safe>{say(isTaxed(pages, view.overview.now) ? 'perMonthTaxIncluded' : 'perMonth')}</small>
        )}
      </p>
      <ul>
        {pages.catalogue.limits.map((limit) => (
          <li>
            <span safe>{limit.words[view.locale]}</span>
            <b safe>{pages.formats.figure(maximumOf(plan.limits, limit), limit.unit, view.locale)}</b>
          </li>
        ))}
      </ul>
      {isCurrent ? (
        <p>
          <span class="badge" safe>
            {say('currentPlan')}
          </span>
        </p>
      ) : null}
      <Purchase {...section} plan={plan} />
    </article>
  )
}

/** A running plan is renewed in the hero; here stand those that one is not on. */
function Purchase({ plan, ...section }: Section & { readonly plan: Plan }) {
  const { view } = section
  const { renewal, subscription } = view.overview
  if (plan.price === 0 || !renewal?.allowed || !mayInvite(view)) return null
  if (isPaidNow(subscription) && plan.id === renewal.plan.id) return null
  return <TermChoice {...section} plan={plan} id={`plan-${plan.id}`} open={openMethods(view)} />
}

/** What was paid when, what each payment bought, and its receipt. */
export function History(section: Section) {
  const { pages, view, say } = section
  const { payments, nextCursor } = view.history
  const portal = (query: string) => hrefIn(view.session, `${pages.base}/portal${query}#history`)
  return (
    <Card id="history" title={say('historyTitle')}>
      {payments.length === 0 ? (
        <p class="soft" safe>
          {say('noPayments')}
        </p>
      ) : (
        <ul class="payments">
          {payments.map((payment) => (
            <HistoryLine section={section} payment={payment} />
          ))}
        </ul>
      )}
      {nextCursor === null && !view.isOlder ? null : (
        <p class="actions">
          {nextCursor === null ? null : (
            <LinkButton
              href={portal(`?cursor=${encodeURIComponent(nextCursor)}`)}
              label={say('olderPayments')}
            />
          )}
          {view.isOlder ? <LinkButton href={portal('')} label={say('newestPayments')} /> : null}
        </p>
      )}
    </Card>
  )
}

const TONES: Readonly<Record<PublicPaymentStatus, '' | 'warn' | 'bad' | 'none'>> = {
  pending: 'warn',
  paid: '',
  failed: 'bad',
  canceled: 'none',
  expired: 'none',
  review: 'warn',
  refunded: 'none',
}

/** The section whole: a prop that follows a spread costs 2 µs, and there are twelve lines. */
function HistoryLine({ payment, section }: { readonly payment: ShownPayment; readonly section: Section }) {
  const { pages, view, say } = section
  const { formats } = pages
  const { locale } = view
  const status = publicStatusAt(payment, view.history.now)
  const date = formats.day(payment.paidAt ?? payment.createdAt, locale)
  const checked = checkedIn(view).find(({ ids }) => ids.has(payment.id))
  return (
    <li>
      <span class="date">
        <Words>{date}</Words>
      </span>
      <span class="sum" safe>
        {formats.came(payment, locale)}
      </span>
      <span class="bought soft small" safe>
        {whatItBought(section, payment, status)}
      </span>
      <span class="end">
        <span class={`badge ${TONES[status]}`} safe>
          {say(checked?.badge ?? `payment_${status}`)}
        </span>
      </span>
      {status === 'paid' || status === 'refunded' ? (
        <a
          href={hrefIn(view.session, `${pages.base}/portal/receipts/${payment.id}`)}
          aria-label={say('receiptOf', { date })}
          safe
        >
          {say('receipt')}
        </a>
      ) : null}
      {view.parts.map((part) => part.line?.(section, payment) ?? null)}
    </li>
  )
}

function whatItBought(
  { pages, view, say }: Section,
  payment: ShownPayment,
  status: PublicPaymentStatus,
): string {
  const { periodStart, periodEnd, plan, months, instrument } = payment
  const { locale } = view
  const bought = months === 1 ? planName(plan.name, locale) : planAndTerm(plan, months, locale)
  if (periodStart === null || periodEnd === null) {
    if (status !== 'pending' && status !== 'review') return say('boughtNothing')
    // A card's page and a payment without one can be open beside each other.
    if (pages.ways.length === 0) return bought
    return inParts([bought, say(wayOf(pages, payment)?.by ?? 'byCard')], locale)
  }
  const day = (instant: Instant) => pages.formats.day(instant, locale)
  const period = say('boughtPeriod', { start: day(periodStart), end: day(periodEnd) })
  return inParts(
    [bought, period, ...(instrument === null ? [] : [instrumentName(instrument, locale)])],
    locale,
  )
}
