// The pages of the portal. The first one says what the user has and the one thing to do next.

import { PlanCards } from '../checkout/plan-cards.js'
import { changesFor, onlyOffer } from '../checkout/portal-choice.js'
import { OnlyOrder, RenewForm } from '../checkout/portal-order.js'
import { BillingError } from '../core/error.js'
import { DAY, type Instant } from '../core/instant.js'
import { mayOrder } from '../core/person.js'
import { isPaidNow, type Renewal } from '../core/quote.js'
import { graceEndsAt, isTrial } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import { planName, sayFor } from '../i18n/messages.js'
import { BackToPortal, hrefIn, Inline, LinkButton, OwnForm, P, Words } from '../pages/parts.js'
import { type Page, type PageParts, renderPage } from '../pages/portal-frame.js'
import {
  checkedIn,
  isPaymentOpen,
  mayInvite,
  type OwnPage,
  type PartSection,
  type PartView,
  PLANS,
  type Place,
} from '../pages/portal-kinds.js'
import { TimeList } from './portal-time.js'

const PAYMENTS = 'payments'

/** The paths below `/portal/` of the pages that belong to no capability. */
export const OWN_PATHS = [PLANS, PAYMENTS]

/** `safeStart` stands above the page for an operator who views it. Throws `not_found` for an unknown page. */
export function portalPage(
  pages: PageParts,
  view: PartView,
  /** `backUrl`: the target of "back"; null: an operator views the page. */
  { backUrl, safeStart }: Pick<Page, 'backUrl' | 'safeStart'>,
): string {
  const { session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const section: PartSection = { pages, view, say }
  const own = pagesOf(section).find(({ path }) => path === view.page)
  if (view.page !== '' && !own?.render) throw new BillingError('not_found')
  const title = say(own?.title ?? 'portalTitle')
  return renderPage(pages, {
    locale,
    title,
    languagePath: session.formToken === null ? null : `${pages.base}/portal${own ? `/${own.path}` : ''}`,
    backUrl,
    ...(safeStart && { safeStart }),
    safeEnd: (
      <OwnForm session={session} action={`${pages.base}/portal/leave`} forReaders>
        <button type="submit" class="quiet" safe>
          {say('leave')}
        </button>
      </OwnForm>
    ),
    safeContent: (
      <>
        <div>
          {own ? <BackToPortal base={pages.base} say={say} /> : null}
          <h1 safe>{title}</h1>
          {own ? null : <Who {...section} />}
        </div>
        {own ? own.render?.(section) : <FirstPage {...section} />}
      </>
    ),
  })
}

/** The first page links to them in this order. */
function pagesOf({ view }: PartSection): readonly OwnPage[] {
  return [
    { path: PLANS, title: 'plansTitle', render: AllPlans },
    { path: PAYMENTS, title: 'historyTitle', render: AllPayments },
    ...view.parts.flatMap(({ pages = [] }) => pages),
  ]
}

function Who({ view: { session }, say }: PartSection) {
  const who = session.name ?? session.email
  return (
    <>
      {who === null ? null : (
        <p class="who soft small">
          <bdi safe>{who}</bdi>
        </p>
      )}
      {session.personId === null ? null : (
        <P class="who soft small">
          {say(mayOrder(session) ? 'actingAs' : 'readingAs', { person: session.personId })}
        </P>
      )}
    </>
  )
}

function FirstPage(section: PartSection) {
  const { view } = section
  const showsPlans = !isPaidNow(view.overview.subscription) && mayInvite(view)
  return (
    <>
      <PartsAt {...section} at="news" />
      <PartsAt {...section} at="open" />
      <PartsAt {...section} at="problems" />
      <State {...section} />
      <PartsAt {...section} at="warnings" />
      {showsPlans ? <PlanCards {...section} isBelow /> : null}
      <PartsAt {...section} at="usage" />
      <PartsAt {...section} at="recent" />
      {/* For an operator no link leads on, so what the page of the payments has stands here. */}
      {view.session.formToken === null ? <AllPayments {...section} /> : null}
      <OtherPages {...section} showsPlans={showsPlans} />
    </>
  )
}

function PartsAt({ at, ...section }: PartSection & { readonly at: Place }) {
  return <>{section.view.parts.map((part) => part[at]?.(section) ?? null)}</>
}

function State(section: PartSection) {
  const { pages, view, say } = section
  const { subscription } = view.overview
  const isInGrace = subscription.status === 'past_due'
  const [stretch] = stretchesAt(subscription, view.overview.now)
  const isOnTrial = subscription.periods.some((one) => isTrial(one) && one.end === stretch?.end)
  const plan = planName(subscription.plan.name, view.locale)
  return (
    <section class="card state" aria-labelledby="your-plan">
      <div class="row">
        <Inline class="soft">{say('yourPlan')}</Inline>
        <h2 id="your-plan" safe>
          {plan}
        </h2>
        {isPaidNow(subscription) ? (
          <Inline class={isInGrace ? 'badge warn' : 'badge '}>
            {say(isInGrace ? 'statusPastDue' : isOnTrial ? 'statusTrial' : 'statusActive')}
          </Inline>
        ) : null}
      </div>
      {isInGrace && isPaidNow(subscription) ? (
        <P class="full">
          {say(checkedIn(view)[0]?.pastDue ?? 'pastDueText', {
            plan,
            date: pages.formats.day(subscription.currentPeriodEnd, view.locale),
          })}
        </P>
      ) : null}
      <PartsAt {...section} at="state" />
      {isPaidNow(subscription) ? (
        <Until {...section} end={subscription.currentPeriodEnd} isInGrace={isInGrace} />
      ) : (
        <NotPaid {...section} />
      )}
      <NextStep {...section} />
    </section>
  )
}

function Until(section: PartSection & { readonly end: Instant; readonly isInGrace: boolean }) {
  const { pages, view, say, end, isInGrace } = section
  const { formats } = pages
  const { overview, locale } = view
  const { subscription, now } = overview
  const [stretch, ...following] = stretchesAt(subscription, now)
  const day = (instant: Instant) => formats.day(instant, locale)
  const until = isInGrace ? graceEndsAt(end, subscription.periods, pages.rules) : (stretch?.end ?? end)
  const left = until - now
  const plan = planName(subscription.plan.name, locale)
  return (
    <>
      <div class="figures">
        <p class="figure">
          <Inline class="soft">{isInGrace ? say('worksUntil') : say('planUntil', { plan })}</Inline>
          {/* In the largest letters: a day of them breaks between its words, not in its year. */}
          <strong safe>{day(until).replaceAll('\u00a0', ' ')}</strong>
          <Inline class="soft small">{say('atTime', { time: formats.time(until, locale) })}</Inline>
        </p>
        <P class={isInGrace || (left <= DAY && following.length === 0) ? 'left warn' : 'left'}>
          {say('timeLeft', { time: formats.timeLeft(left, locale) })}
        </P>
      </div>
      {following.map(({ plan, start, end }) => (
        <P>{say('thenPlan', { plan: planName(plan.name, locale), start: day(start), end: day(end) })}</P>
      ))}
    </>
  )
}

function NotPaid({ pages, view, say }: PartSection) {
  const { status, currentPeriodEnd } = view.overview.subscription
  if (currentPeriodEnd === null) return <p safe>{say('noEnd')}</p>
  const date = pages.formats.day(currentPeriodEnd, view.locale)
  const how = status === 'canceled' ? 'canceled' : 'expired'
  return (
    <p>
      <b>
        <Words>{say(`${how}Title`, { date })}</Words>
      </b>{' '}
      <Inline>{say(`${how}Text`)}</Inline>
    </p>
  )
}

/** One button, or the day from which there is one. Nothing while an open payment above has its own button. */
function NextStep(section: PartSection) {
  const { view } = section
  const { renewal } = view.overview
  if (!renewal || !mayInvite(view)) return null
  if (!renewal.allowed) return <TooEarly {...section} renewal={renewal} />
  return OnlyOrder(section) ?? <RenewForm {...section} />
}

/** Before the renewal window a plain button would buy nothing, so a link leads to the plans. */
function TooEarly({ renewal, ...section }: PartSection & { readonly renewal: Renewal }) {
  const { pages, view, say } = section
  const { renewableFrom } = renewal
  if (renewableFrom === null) return null
  const canChange = changesFor(section).length > 0
  const needsMore = canChange && view.overview.overLimits.length > 0
  const plans = hrefIn(view.session, `${pages.base}/portal/${PLANS}`)
  return (
    <>
      <P class="soft">{say('renewableFrom', { date: pages.formats.day(renewableFrom, view.locale) })}</P>
      {onlyOffer(section) ? null : (
        <p class="actions">
          {needsMore ? (
            <LinkButton href={plans} label={say('changeNow')} go />
          ) : (
            <a href={plans} safe>
              {say(canChange ? 'changeOrBuyAhead' : 'buyAhead')}
            </a>
          )}
        </p>
      )}
    </>
  )
}

/** All plans. A choice here replaces an open order. While nothing can be bought, the page says why. */
function AllPlans(section: PartSection) {
  const { view, say } = section
  const [checked] = checkedIn(view)
  const text = checked?.why ?? (isPaymentOpen(view) && mayInvite(view) ? 'chooseElseText' : null)
  return (
    <>
      <PartsAt {...section} at="problems" />
      {text === null ? null : <p safe>{say(text)}</p>}
      <PlanCards {...section} />
    </>
  )
}

function AllPayments(section: PartSection) {
  return (
    <>
      <PartsAt {...section} at="lists" />
      {section.view.isOlder ? null : <TimeList {...section} />}
    </>
  )
}

/** Links to the other pages. The plans have none if the first page shows them. */
function OtherPages({ showsPlans, ...section }: PartSection & { readonly showsPlans: boolean }) {
  const { pages, view, say } = section
  const { history, session, locale, overview } = view
  const isShown = ({ path }: OwnPage) =>
    path === PLANS
      ? !showsPlans && overview.renewal !== null && mayInvite(view)
      : path !== PAYMENTS || history.payments.length > 0 || view.timeList.length > 0
  return (
    <nav class="others" aria-label={say('otherPages')}>
      <ul>
        {pagesOf(section)
          .filter(isShown)
          .map(({ path, title, note }) => (
            <li>
              <a href={hrefIn(session, `${pages.base}/portal/${path}`)}>
                <span>
                  <span safe>{say(title)}</span> {note ? <b safe>{note(locale)}</b> : null}
                </span>
                <span aria-hidden="true">{'\u203a'}</span>
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
