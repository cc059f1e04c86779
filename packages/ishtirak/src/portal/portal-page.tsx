// The portal's one page: notices, the plan with the one thing to buy, then the plans for users without paid
// time, or usage and payments for users with paid time.

import { ChoiceForm, changesFor, onlyOffer } from '../checkout/portal-choice.js'
import { onlyChoice, Summary } from '../checkout/portal-summary.js'
import { DAY, type Instant } from '../core/instant.js'
import { mayOrder } from '../core/person.js'
import { isPaidNow, type Renewal } from '../core/quote.js'
import { graceEndsAt } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import { planName, sayFor } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import { Card, type PageParts, renderPage } from '../pages/portal-frame.js'
import { checkedIn, mayInvite } from '../pages/portal-kinds.js'
import { Words } from '../pages/words.js'
import { Plans } from './portal-plans.js'
import { FollowingPlans, TimeList } from './portal-time.js'
import { PartsAt, type PortalSection, type PortalView } from './portal-view.js'

/** `safeStart`: what an operator who views it reads above it; for users there is nothing above the page. */
export function portalPage(pages: PageParts, view: PortalView, safeStart?: JSX.Element): string {
  const { session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const section: PortalSection = { pages, view, say }
  const who = session.name ?? session.email
  const isPaid = isPaidNow(view.overview.subscription)
  return renderPage(pages, {
    locale,
    title: say('portalTitle'),
    languagePath: session.formToken === null ? null : `${pages.base}/portal`,
    backUrl: view.backUrl,
    ...(safeStart && { safeStart }),
    safeEnd: (
      <OwnForm session={session} action={`${pages.base}/portal/leave`} forReaders>
        <button type="submit" safe>
          {say('leave')}
        </button>
      </OwnForm>
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
          {session.personId === null ? null : (
            <p class="who soft small">
              <Words>{say(mayOrder(session) ? 'actingAs' : 'readingAs', { person: session.personId })}</Words>
            </p>
          )}
        </div>
        <PartsAt {...section} at="news" />
        <PartsAt {...section} at="open" />
        <PartsAt {...section} at="problems" />
        <Hero {...section} />
        <Choice {...section} />
        <PartsAt {...section} at="warnings" />
        {isPaid ? null : <Plans {...section} />}
        <PartsAt {...section} at="usage" />
        <TimeList {...section} />
        <PartsAt {...section} at="lists" />
        {isPaid ? <Plans {...section} /> : null}
      </>
    ),
  })
}

/** Which plan, until when, and the one thing to buy, with what it brings before it is paid. */
function Hero(section: PortalSection) {
  const { pages, view, say } = section
  const { renewal, subscription } = view.overview
  const isInGrace = subscription.status === 'past_due'
  return (
    <section class="card hero" aria-labelledby="your-plan">
      <p class="soft" safe>
        {say('yourPlan')}
      </p>
      <div class="line">
        <h2 id="your-plan" safe>
          {planName(subscription.plan.name, view.locale)}
        </h2>
        {isPaidNow(subscription) ? (
          <span class={isInGrace ? 'badge warn' : 'badge '} safe>
            {say(isInGrace ? 'statusPastDue' : 'statusActive')}
          </span>
        ) : null}
      </div>
      {isInGrace && isPaidNow(subscription) ? (
        <p class="full">
          <Words>
            {say(checkedIn(view)[0]?.pastDue ?? 'pastDueText', {
              plan: planName(subscription.plan.name, view.locale),
              date: pages.formats.day(subscription.currentPeriodEnd, view.locale),
            })}
          </Words>
        </p>
      ) : null}
      <PartsAt {...section} at="state" />
      {isPaidNow(subscription) ? (
        <Until {...section} end={subscription.currentPeriodEnd} isInGrace={isInGrace} />
      ) : (
        <NotPaid {...section} />
      )}
      <Offer {...section} />
      {/* A code is typed in the choice, where that is shown. */}
      {renewal && mayInvite(view) && !onlyOffer(section) ? null : <PartsAt {...section} at="field" />}
    </section>
  )
}

/** Until when the plan runs, counted down, and what follows it; in grace the end of grace. */
function Until(section: PortalSection & { readonly end: Instant; readonly isInGrace: boolean }) {
  const { pages, view, say, end, isInGrace } = section
  const { formats } = pages
  const { overview, locale } = view
  const { subscription, now } = overview
  const [stretch, next] = stretchesAt(subscription, now)
  const until = isInGrace ? graceEndsAt(end, subscription.periods, pages.rules) : (stretch?.end ?? end)
  const left = until - now
  const plan = planName(subscription.plan.name, locale)
  return (
    <>
      <div class="figures">
        <p class="figure">
          <span class="soft" safe>
            {isInGrace ? say('worksUntil') : say('planUntil', { plan })}
          </span>
          {/* In the largest letters: a day of them breaks between its words, not in its year. */}
          <strong safe>{formats.day(until, locale).replaceAll('\u00a0', ' ')}</strong>
          <span class="soft small" safe>
            {say('atTime', { time: formats.time(until, locale) })}
          </span>
        </p>
        <p class={isInGrace || (left <= DAY && !next) ? 'left warn' : 'left'} safe>
          {say('timeLeft', { time: formats.timeLeft(left, locale) })}
        </p>
      </div>
      <FollowingPlans {...{ pages, view, say }} />
    </>
  )
}

function NotPaid({ pages, view, say }: PortalSection) {
  const { status, currentPeriodEnd } = view.overview.subscription
  if (currentPeriodEnd === null) return <p safe>{say('noEnd')}</p>
  const date = pages.formats.day(currentPeriodEnd, view.locale)
  const how = status === 'canceled' ? 'canceled' : 'expired'
  return (
    <p>
      <b>
        <Words>{say(`${how}Title`, { date })}</Words>
      </b>{' '}
      <span>
        <Words>{say(`${how}Text`)}</Words>
      </span>
    </p>
  )
}

/** The one thing to buy, where there is nothing to choose, and from when on where it is too early. */
function Offer(section: PortalSection) {
  const { view, say } = section
  const { renewal, subscription } = view.overview
  if (!renewal || !mayInvite(view)) return null
  if (!renewal.allowed) return <TooEarly {...section} renewal={renewal} />
  const only = onlyChoice(section)
  if (!only) return null
  // Renewed is what runs; what has ended is bought again.
  const ended = subscription.currentPeriodEnd === null ? 'upgrade' : 'again'
  const plan = planName(renewal.plan.name, view.locale)
  const title = say(isPaidNow(subscription) ? 'renew' : ended, { plan })
  return (
    <div class="buy" id="choose">
      <h3 safe>{title}</h3>
      <Summary {...only} />
    </div>
  )
}

/** Below the plan, where something can be bought by an ordinary wish and there is something to choose. */
function Choice(section: PortalSection) {
  const { view, say } = section
  const { renewal, subscription } = view.overview
  if (!renewal?.allowed || !mayInvite(view) || onlyOffer(section)) return null
  const title = isPaidNow(subscription) ? 'chooseRenewal' : 'choosePlan'
  return (
    <Card id="choose" title={say(title)}>
      <ChoiceFields {...section} />
    </Card>
  )
}

function ChoiceFields(section: PortalSection) {
  return (
    <ChoiceForm {...section}>
      <PartsAt {...section} at="choice" />
    </ChoiceForm>
  )
}

/** Before the renewal window only an explicit wish buys. */
function TooEarly({ renewal, ...section }: PortalSection & { readonly renewal: Renewal }) {
  const { pages, view, say } = section
  const { renewableFrom, wouldStart } = renewal
  if (renewableFrom === null) return null
  const day = (instant: Instant) => pages.formats.day(instant, view.locale)
  const canChange = changesFor(section).length > 0
  return (
    <>
      <p class="soft">
        <Words>{say('renewableFrom', { date: day(renewableFrom) })}</Words>
      </p>
      {onlyOffer(section) ? null : (
        <details id="choose" open={view.isChoosing || (canChange && view.overview.overLimits.length > 0)}>
          <summary safe>{say(canChange ? 'changeOrBuyAhead' : 'buyAhead')}</summary>
          <p>
            <Words>{say('buyAheadText', { start: day(wouldStart) })}</Words>
          </p>
          <ChoiceFields {...section} />
        </details>
      )}
    </>
  )
}
