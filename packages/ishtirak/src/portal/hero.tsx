// The first card of the portal: which plan, until when, and the one thing to buy, with what it brings before it is paid.
import { DAY, type Instant } from '../core/instant.js'
import { graceEndsAt, type SubscriptionStatus } from '../core/subscription.js'
import { isPaidNow } from '../core/upgrade.js'
import { planName } from '../i18n/messages.js'
import { BuyForm } from './frame.js'
import { mayInvite, priceOf, type Section } from './section.js'

/** What has ended is the plan before: a badge beside the free plan would say that this one has. */
const BADGES = {
  active: { key: 'statusActive', tone: '' },
  past_due: { key: 'statusPastDue', tone: 'warn' },
  expired: null,
  canceled: null,
} as const satisfies Record<SubscriptionStatus, { key: string; tone: string } | null>

export function Hero(section: Section) {
  const { pages, view, say } = section
  const { formats } = pages
  const { plan, status, currentPeriodEnd } = view.overview.subscription
  const badge = BADGES[status]
  return (
    <section class="card hero" aria-labelledby="your-plan">
      <p class="soft" safe>
        {say('yourPlan')}
      </p>
      <div class="line">
        <h2 id="your-plan" safe>
          {planName(plan.name, view.locale)}
        </h2>
        {currentPeriodEnd === null || badge === null ? null : (
          <span class={`badge ${badge.tone}`} safe>
            {say(badge.key)}
          </span>
        )}
      </div>
      {isPaidNow(view.overview.subscription) && currentPeriodEnd !== null ? (
        <Until {...section} end={currentPeriodEnd} />
      ) : (
        <NotPaid {...section} />
      )}
      <Offer {...section} />
      {status === 'past_due' && currentPeriodEnd !== null ? (
        <p safe>{say('pastDueText', { date: formats.day(currentPeriodEnd, view.locale) })}</p>
      ) : null}
    </section>
  )
}

/** Until when everything works, counted down. In grace that is the end of grace, since the paid end is past. */
function Until({ pages, view, say, end }: Section & { readonly end: Instant }) {
  const { formats } = pages
  const { overview, locale } = view
  const isInGrace = overview.subscription.status === 'past_due'
  const until = isInGrace ? graceEndsAt(end, pages.rules) : end
  const left = until - overview.now
  return (
    <div class="figures">
      <p class="figure">
        <span class="soft" safe>
          {say(isInGrace ? 'worksUntil' : 'paidUntil')}
        </span>
        <strong safe>{formats.day(until, locale)}</strong>
        <span class="soft small" safe>
          {say('atTime', { time: formats.time(until, locale) })}
        </span>
      </p>
      <p class={isInGrace || left <= DAY ? 'left warn' : 'left'} safe>
        {say('timeLeft', { time: formats.timeLeft(left, locale) })}
      </p>
    </div>
  )
}

function NotPaid({ pages, view, say }: Section) {
  const { status, currentPeriodEnd } = view.overview.subscription
  if (currentPeriodEnd === null) return <p safe>{say('noEnd')}</p>
  const date = pages.formats.day(currentPeriodEnd, view.locale)
  const [title, text] =
    status === 'canceled'
      ? (['canceledTitle', 'canceledText'] as const)
      : (['expiredTitle', 'expiredText'] as const)
  return (
    <p>
      <b safe>{say(title, { date })}</b> <span safe>{say(text)}</span>
    </p>
  )
}

function Offer(section: Section) {
  const { pages, view, say } = section
  const { formats } = pages
  const { overview, session, locale } = view
  const { renewal } = overview
  if (!renewal || !mayInvite(view)) return null
  if (!renewal.allowed) {
    return renewal.renewableFrom === null ? null : (
      <p class="soft" safe>
        {say('renewableFrom', { date: formats.day(renewal.renewableFrom, locale) })}
      </p>
    )
  }
  const isRenewal = isPaidNow(overview.subscription)
  const words = { plan: planName(renewal.plan.name, locale), amount: priceOf(section, renewal.plan.price) }
  const end = formats.day(renewal.wouldEnd, locale)
  return (
    <div class="buy">
      <BuyForm
        base={pages.base}
        session={session}
        planId={renewal.plan.id}
        label={say(isRenewal ? 'renew' : 'upgrade', words)}
      />
      <p safe>{say(isRenewal ? 'willExtend' : 'willStart', { end })}</p>
      <p class="soft small" safe>
        {say('paidByHand')}
      </p>
    </div>
  )
}
