// The portal's one page, from what matters most: what has to be said, what the user is on and until when, what he can buy,
// what he uses, what he paid.

import type { Instant } from '../../domain/instant.js'
import { planName, sayIn } from '../../domain/messages.js'
import type { SubscriptionStatus } from '../../domain/subscription.js'
import { BuyForm, FormToken } from './buy-form.js'
import { renderPage } from './frame.js'
import { History } from './history.js'
import { Notices } from './notices.js'
import { Plans } from './plan-cards.js'
import type { Pages } from './portal.js'
import { isPaidNow, isUnderReview, type PortalView, type Section } from './section.js'
import { UsageBars } from './usage-bars.js'

export function portalPage(pages: Pages, view: PortalView): string {
  const { session, locale } = view
  const say = sayIn(locale)
  const section: Section = { pages, view, say }
  const who = session.name ?? session.email
  return renderPage({
    locale,
    title: say('portalTitle'),
    languagePath: `${pages.base}/portal`,
    backUrl: pages.backUrl(session),
    safeEnd: (
      <form method="post" action={`${pages.base}/portal/leave`}>
        <FormToken session={session} />
        <button type="submit" safe>
          {say('leave')}
        </button>
      </form>
    ),
    safeContent: (
      <>
        <div>
          <h1 safe>{say('portalTitle')}</h1>
          {who === null ? null : (
            <p class="who">
              <bdi safe>{who}</bdi>
            </p>
          )}
        </div>
        <Notices {...section} />
        <Hero {...section} />
        <Plans {...section} />
        <UsageBars {...section} />
        <History {...section} />
      </>
    ),
  })
}

const STATUS_WORDS = {
  active: { key: 'statusActive', tone: '' },
  past_due: { key: 'statusPastDue', tone: 'warn' },
  expired: { key: 'statusExpired', tone: 'none' },
  canceled: { key: 'statusCanceled', tone: 'none' },
} as const satisfies Record<SubscriptionStatus, { key: string; tone: string }>

/** What he is on, until when, and the next month, with what it brings before he pays for it. */
function Hero({ pages, view, say }: Section) {
  const { overview, locale } = view
  const { plan, status, currentPeriodEnd } = overview.subscription
  const isRunning = isPaidNow(overview)
  const word = STATUS_WORDS[isRunning || status !== 'active' ? status : 'active']
  return (
    <section class="card hero" aria-labelledby="your-plan">
      <p class="soft" safe>
        {say('yourPlan')}
      </p>
      <div class="line">
        <h2 id="your-plan" safe>
          {planName(plan.name, locale)}
        </h2>
        {isRunning ? (
          <span class={`badge ${word.tone}`} safe>
            {say(word.key)}
          </span>
        ) : null}
      </div>
      {isRunning && currentPeriodEnd !== null ? (
        <Until pages={pages} view={view} say={say} end={currentPeriodEnd} />
      ) : (
        <p safe>{say('noEnd')}</p>
      )}
      {isRunning ? <Renewal pages={pages} view={view} say={say} /> : null}
    </section>
  )
}

function Until({ pages, view, say, end }: Section & { readonly end: Instant }) {
  const { formats } = pages
  const { overview, locale } = view
  const left = end - overview.now
  return (
    <div class="figures">
      <p class="figure">
        <span class="soft" safe>
          {say('paidUntil')}
        </span>
        <strong safe>{formats.day(end, locale)}</strong>
        <span class="soft small" safe>
          {formats.time(end, locale)}
        </span>
      </p>
      {left > 0 ? (
        <p class="left" safe>
          {say('timeLeft', { time: formats.timeLeft(left, locale) })}
        </p>
      ) : null}
    </div>
  )
}

function Renewal({ pages, view, say }: Section) {
  const { formats } = pages
  const { overview, session, locale } = view
  const { renewal } = overview
  if (!renewal || isUnderReview(view)) return null
  if (!renewal.allowed) {
    return renewal.renewableFrom === null ? null : (
      <p class="soft" safe>
        {say('renewableFrom', { date: formats.day(renewal.renewableFrom, locale) })}
      </p>
    )
  }
  const amount = formats.money(renewal.plan.price, locale)
  return (
    <div class="buy">
      <p safe>{say('willExtend', { end: formats.day(renewal.wouldEnd, locale) })}</p>
      <BuyForm
        base={pages.base}
        session={session}
        planId={renewal.plan.id}
        label={say('renew', { amount })}
      />
      <p class="soft small" safe>
        {say('paidByHand')}
      </p>
    </div>
  )
}
