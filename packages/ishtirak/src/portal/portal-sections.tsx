// The sections of the portal's page that are always there: the plans, what is in use, what was paid; and what the page and its
// sections share.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type PublicPaymentStatus, publicStatusAt, type ShownPayment } from '../core/payment.js'
import { LIMIT_NAMES, type LimitName, type Plan } from '../core/plan.js'
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
        {LIMIT_NAMES.map((limit) => (
          <li>
            <span safe>{say(limit)}</span>
            <b safe>{limitInWords(section, limit, plan.limits[limit])}</b>
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

/**
 * What is in use, against what the plan in effect allows. Of a limit per project every project above it is shown, else the
 * one in use most.
 */
export function UsageBars(section: Section) {
  const { overview } = section.view
  return (
    <Card id="usage" title={section.say('usageTitle')}>
      <ul class="usage">
        {LIMIT_NAMES.flatMap((limit) =>
          usesOf(overview, limit).map((use, index) => (
            <UsageBar section={section} use={use} limit={limit} id={`usage-${limit}-${index}`} />
          )),
        )}
      </ul>
    </Card>
  )
}

interface Use {
  readonly used: number
  readonly project: string | null
}

function usesOf({ usage, overLimits }: Overview, limit: LimitName): readonly Use[] {
  if (limit !== 'domains_per_project') return [{ used: usage[limit], project: null }]
  const over = overLimits.filter((found) => found.limit === limit)
  if (over.length > 0) return over.map(({ used, projectId }) => ({ used, project: projectId }))
  const [most] = Object.entries(usage[limit]).sort(([, one], [, other]) => other - one)
  return most ? [{ used: most[1], project: most[0] }] : [{ used: 0, project: null }]
}

function UsageBar(of: {
  readonly section: Section
  readonly use: Use
  readonly limit: LimitName
  readonly id: string
}) {
  const { section, use, limit, id } = of
  const { pages, view, say } = section
  const { used, project } = use
  const { overview, locale } = view
  const max = overview.subscription.plan.limits[limit]
  const words = usageInWords(section, { limit, used, max })
  const tone = toneOf(used, max)
  const time = pages.formats.time(overview.resetsAt, locale)
  const notes = [
    ...(limit === 'deploys_per_day'
      ? [say(time === '00:00' ? 'resetsAtMidnight' : 'resetsAt', { time })]
      : []),
    ...(project === null ? [] : [say('inProject', { project })]),
  ]
  return (
    <li>
      <div class="line">
        <span id={id} safe>
          {say(limit)}
        </span>
        <b safe>{say('usedOf', words)}</b>
      </div>
      <progress
        class={tone}
        value={Math.min(used, max)}
        // A plan may allow none of a thing; a bar of nothing is full.
        max={Math.max(1, max)}
        aria-labelledby={id}
      />
      {tone === 'full' || tone === 'over' ? (
        <p class={`small ${tone}`} safe>
          {tone === 'over' ? say('overBy', words) : say('isFull')}
        </p>
      ) : null}
      {notes.map((note) => (
        <p class="small soft" safe>
          {note}
        </p>
      ))}
    </li>
  )
}

/** From this share on a bar warns that the limit is near. */
const NEAR = 0.8

function toneOf(used: number, max: number): '' | 'near' | 'full' | 'over' {
  if (used > max) return 'over'
  if (used === max) return 'full'
  return used >= max * NEAR ? 'near' : ''
}

/** What is used, what the plan allows, and by how much it is exceeded: all in one unit. */
export function usageInWords(section: Section, of: { limit: LimitName; used: number; max: number }) {
  const show = (count: number) => limitInWords(section, of.limit, count, of.max)
  return { used: show(of.used), max: show(of.max), by: show(Math.max(0, of.used - of.max)) }
}

/** In the unit that `max` is in. */
function limitInWords({ pages, view }: Section, limit: LimitName, count: number, max = count): string {
  const { storage, number } = pages.formats
  return limit === 'storage_mb' ? storage(count, view.locale, max) : number(count, view.locale)
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
