// The portal's one page: notices, the plan with the one thing to buy, then the plans for users without paid time, or usage and
// payments for users with paid time.
import { DAY, type Instant } from '../core/instant.js'
import type { Plan } from '../core/plan.js'
import { isPaidNow, type Renewal } from '../core/quote.js'
import { graceEndsAt } from '../core/subscription.js'
import { planName, sayFor } from '../i18n/messages.js'
import { LinkButton, type PageParts, renderPage } from './frame.js'
import { BuyForm, hrefIn, OwnForm } from './own-form.js'
import { CodeForm, inWords, Redemptions } from './portal-redemptions.js'
import { History, Plans } from './portal-sections.js'
import { hasTerms, TermChoice } from './portal-terms.js'
import { scopeInWords, UsageBars, usageInWords } from './portal-usage.js'
import { isUnderReview, mayInvite, type PortalView, priceOf, type Section } from './portal-view.js'
import {
  HowToPay,
  RefusedNotice,
  TransferButton,
  TransferSection,
  takesTransfers,
} from './transfer-section.js'

/** `safeStart`: what an operator who looks on is told; for users there is nothing above the page. */
export function portalPage(pages: PageParts, view: PortalView, safeStart?: JSX.Element): string {
  const { session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const section: Section = { pages, view, say }
  const who = session.name ?? session.email
  const isPaid = isPaidNow(view.overview.subscription)
  return renderPage(pages, {
    locale,
    title: say('portalTitle'),
    languagePath: session.formToken === null ? null : `${pages.base}/portal`,
    backUrl: view.backUrl,
    ...(safeStart && { safeStart }),
    safeEnd: (
      <OwnForm session={session} action={`${pages.base}/portal/leave`}>
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
        </div>
        <RedeemedNotice {...section} />
        <PendingNotice {...section} />
        <TransferSection {...section} />
        <RefusedNotice {...section} />
        <ReviewNotice {...section} />
        <Hero {...section} />
        <OverLimitNotice {...section} />
        {isPaid ? null : <Plans {...section} />}
        <UsageBars {...section} />
        <History {...section} />
        <Redemptions {...section} />
        {isPaid ? <Plans {...section} /> : null}
      </>
    ),
  })
}

/** Which plan, until when, and the one thing to buy, with what it brings before it is paid. */
function Hero(section: Section) {
  const { pages, view, say } = section
  const { subscription } = view.overview
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
      {isPaidNow(subscription) ? (
        <Until {...section} end={subscription.currentPeriodEnd} isInGrace={isInGrace} />
      ) : (
        <NotPaid {...section} />
      )}
      <Offer {...section} />
      <Code {...section} />
      {isInGrace && isPaidNow(subscription) ? (
        <p safe>
          {say('pastDueText', { date: pages.formats.day(subscription.currentPeriodEnd, view.locale) })}
        </p>
      ) : null}
    </section>
  )
}

/** Until when everything works, counted down. In grace that is the end of grace, since the paid end is past. */
function Until(section: Section & { readonly end: Instant; readonly isInGrace: boolean }) {
  const { pages, view, say, end, isInGrace } = section
  const { formats } = pages
  const { overview, locale } = view
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
  const how = status === 'canceled' ? 'canceled' : 'expired'
  return (
    <p>
      <b safe>{say(`${how}Title`, { date })}</b> <span safe>{say(`${how}Text`)}</span>
    </p>
  )
}

function Offer(section: Section) {
  const { pages, view, say } = section
  const { formats } = pages
  const { overview, session, locale } = view
  const { renewal } = overview
  if (!renewal || !mayInvite(view)) return null
  if (!renewal.allowed) return <TooEarly section={section} renewal={renewal} />
  const isRenewal = isPaidNow(overview.subscription)
  if (hasTerms(renewal.plan)) return <Terms section={section} plan={renewal.plan} isRenewal={isRenewal} />
  const words = { plan: planName(renewal.plan.name, locale), amount: priceOf(section, renewal.amount) }
  const end = formats.day(renewal.wouldEnd, locale)
  const [renew, upgrade] = takesTransfers(pages)
    ? (['renewByCard', 'upgradeByCard'] as const)
    : (['renew', 'upgrade'] as const)
  return (
    <div class="buy">
      <BuyForm
        base={pages.base}
        session={session}
        planId={renewal.plan.id}
        months={1}
        label={say(isRenewal ? renew : upgrade, words)}
        other={<TransferButton {...section} />}
      />
      <p safe>{say(isRenewal ? 'willExtend' : 'willStart', { end })}</p>
      <HowToPay {...section} byCard="paidByHand" />
    </div>
  )
}

function Terms(of: { readonly section: Section; readonly plan: Plan; readonly isRenewal: boolean }) {
  const { section, plan, isRenewal } = of
  const { view, say } = section
  return (
    <div class="buy">
      <h3 safe>
        {say(isRenewal ? 'renewTerms' : 'upgradeTerms', { plan: planName(plan.name, view.locale) })}
      </h3>
      <TermChoice {...section} plan={plan} id="hero" />
      <HowToPay {...section} byCard="termsPaidByHand" />
    </div>
  )
}

/** Before the renewal window only an explicit wish buys, and only where there is a choice of terms to wish for. */
function TooEarly({ section, renewal }: { readonly section: Section; readonly renewal: Renewal }) {
  const { pages, view, say } = section
  const { plan, renewableFrom, wouldStart } = renewal
  if (renewableFrom === null) return null
  const day = (instant: Instant) => pages.formats.day(instant, view.locale)
  return (
    <>
      <p class="soft" safe>
        {say('renewableFrom', { date: day(renewableFrom) })}
      </p>
      {hasTerms(plan) ? (
        <details>
          <summary safe>{say('buyAhead')}</summary>
          <p safe>{say('buyAheadText', { start: day(wouldStart) })}</p>
          <TermChoice {...section} plan={plan} id="ahead" ahead />
        </details>
      ) : null}
    </>
  )
}

/** A code can be redeemed while a payment is open; one that makes it cheaper takes its place. */
function Code({ pages, view, say }: Section) {
  if (pages.codeKeys.length === 0 || isUnderReview(view)) return null
  return (
    <details>
      <summary safe>{say('haveCode')}</summary>
      <CodeForm pages={pages} session={view.session} say={say} />
    </details>
  )
}

function RedeemedNotice(section: Section) {
  const { view, say } = section
  const redemption = view.redemptions.find(({ id }) => id === view.redeemed)
  if (!redemption) return null
  return <Notice tone="" title={say('redeemedTitle')} text={inWords(section, redemption)} />
}

function PendingNotice({ pages, view, say }: Section) {
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <p class="actions">
        <LinkButton href={hrefIn(view.session, pending.checkoutUrl)} label={say('goOnPaying')} go />
        <LinkButton
          href={hrefIn(view.session, `${pages.base}/billing/return/${pending.id}`)}
          label={say('checkAgain')}
        />
      </p>
    </Notice>
  )
}

function ReviewNotice({ view, say }: Section) {
  const odd = view.history.payments.find((payment) => payment.status === 'review')
  if (!odd) return null
  return (
    <Notice tone="warn" title={say('reviewTitle')} text={say('reviewText')}>
      <p class="small">
        <span safe>{say('orderReference')}</span>{' '}
        <code dir="ltr" safe>
          {odd.id}
        </code>
      </p>
    </Notice>
  )
}

/** Each limit that is exceeded, by how much, and what to do. */
function OverLimitNotice(section: Section) {
  const { view, say } = section
  const { overLimits } = view.overview
  if (overLimits.length === 0) return null
  return (
    <Notice tone="warn" title={say('overLimitTitle')} text={say('overLimitText')}>
      <ul class="marked">
        {overLimits.map((over) => {
          const { limit, scopeId } = over
          const name = limit.words[view.locale]
          const place = scopeId === null ? name : `${name} (${scopeInWords(section, limit, scopeId)})`
          return <li safe>{say('overLimitLine', { limit: place, ...usageInWords(section, over) })}</li>
        })}
      </ul>
    </Notice>
  )
}

function Notice(of: { tone: '' | 'warn'; title: string; text: string; children?: JSX.Element }) {
  return (
    <section class={`notice ${of.tone}`}>
      <h2 safe>{of.title}</h2>
      <p safe>{of.text}</p>
      {of.children ?? null}
    </section>
  )
}
