// The sections of the portal's page that are always there: the plans, what is in use, what was paid; and what the page and its
// sections share.
import type { Instant } from '../core/instant.js'
import { maximumOf } from '../core/limit.js'
import type { Locale } from '../core/locale.js'
import { type PublicPaymentStatus, publicStatusAt, type ShownPayment } from '../core/payment.js'
import type { Plan } from '../core/plan.js'
import { isPaidNow } from '../core/quote.js'
import { taxAt } from '../core/receipt.js'
import { planName, type Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { HistoryPage } from '../payments/status.js'
import { BuyForm, Card, LinkButton, type Pages } from './frame.js'
import type { Session } from './reader.js'

export interface PortalView {
  readonly session: Session
  readonly overview: Overview
  readonly history: HistoryPage
  readonly locale: Locale
  /** A page of the history further back. */
  readonly isOlder: boolean
}

export interface Section {
  readonly pages: Pages
  readonly view: PortalView
  readonly say: Say
}

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
          <small safe>{say(isTaxed(section) ? 'perMonthTaxIncluded' : 'perMonth')}</small>
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
  const { pages, view, say } = section
  const { renewal, subscription } = view.overview
  if (plan.price === 0 || !renewal?.allowed || !mayInvite(view)) return null
  if (isPaidNow(subscription) && plan.id === renewal.plan.id) return null
  const words = { plan: planName(plan.name, view.locale), amount: priceOf(section, plan.price) }
  return <BuyForm base={pages.base} session={view.session} planId={plan.id} label={say('upgrade', words)} />
}

/** Nothing invites to pay while a payment is open or under review: the user is asked not to pay again. */
export function mayInvite({ history, isOlder, overview }: PortalView): boolean {
  const isUnderReview = !isOlder && history.payments[0]?.status === 'review'
  return !isUnderReview && overview.pendingPayment === null
}

/** `2 000 DA TTC`: prices contain the tax, and say so where one applies on this day. */
export function priceOf(section: Section, amount: number): string {
  const money = section.pages.formats.money(amount, section.view.locale)
  return isTaxed(section) ? section.say('taxIncluded', { amount: money }) : money
}

function isTaxed({ pages, view }: Section): boolean {
  const { formats, seller } = pages
  return taxAt(seller.taxTerms, formats.isoDay(view.overview.now)).kind === 'vat'
}

/** What was paid when, what each payment bought, and its receipt. */
export function History(section: Section) {
  const { pages, view, say } = section
  const { payments, nextCursor } = view.history
  const portal = `${pages.base}/portal`
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
              href={`${portal}?cursor=${encodeURIComponent(nextCursor)}#history`}
              label={say('olderPayments')}
            />
          )}
          {view.isOlder ? <LinkButton href={`${portal}#history`} label={say('newestPayments')} /> : null}
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
  return (
    <li>
      <span class="date" safe>
        {date}
      </span>
      <span class="sum" safe>
        {formats.money(payment.price.amount, locale)}
      </span>
      <span class="bought soft small" safe>
        {whatItBought(section, payment, status)}
      </span>
      <span class="end">
        <span class={`badge ${TONES[status]}`} safe>
          {say(`payment_${status}`)}
        </span>
      </span>
      {status === 'paid' || status === 'refunded' ? (
        <a href={`${pages.base}/portal/receipts/${payment.id}`} aria-label={say('receiptOf', { date })} safe>
          {say('receipt')}
        </a>
      ) : null}
    </li>
  )
}

function whatItBought(
  { pages, view, say }: Section,
  payment: ShownPayment,
  status: PublicPaymentStatus,
): string {
  const { periodStart, periodEnd, plan } = payment
  if (periodStart === null || periodEnd === null)
    return status === 'pending' || status === 'review' ? plan.name : say('boughtNothing')
  const day = (instant: Instant) => pages.formats.day(instant, view.locale)
  return `${plan.name} · ${say('boughtPeriod', { start: day(periodStart), end: day(periodEnd) })}`
}
