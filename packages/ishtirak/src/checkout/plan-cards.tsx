// The plans side by side: each with what is in it, what it costs, and one button, which leads to the page of
// the order (portal-summary.tsx). Terms are switched by links, so no script is needed.
import type { PropsWithChildren } from '@kitajs/html'
import { maximumOf } from '../core/limit.js'
import { offersOf, type Plan, savingOf } from '../core/plan.js'
import { type Quote, type QuoteDecision, renewalOffers } from '../core/quote.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { hrefIn, OwnForm } from '../pages/own-form.js'
import { mayInvite, type PartSection, PLANS } from '../pages/portal-kinds.js'
import { Words } from '../pages/words.js'
import { changesFor, decisionsFor, NOW, offerValue, onlyOffer, taxNow, usualMethod } from './portal-choice.js'

/** `isBelow`: below the state on the first page, under a heading of its own. */
export function PlanCards({ isBelow = false, ...section }: PartSection & { readonly isBelow?: boolean }) {
  const { pages, view, say } = section
  // The only offer has its button above, at the plan.
  const canChoose = mayInvite(view) && !(isBelow && onlyOffer(section))
  const changes = changesFor(section)
  const decisions = decisionsFor(section)
  const terms = termsOf(pages.catalogue.plans, changes)
  const term = terms.find((one) => one === view.asked('term')) ?? usualTerm(section, changes)
  const cards = pages.catalogue.plans.map((plan) => (
    <PlanCard
      {...{ ...section, plan, canChoose, isBelow }}
      offered={offeredIn(plan, term, changes, decisions)}
    />
  ))
  return (
    <section class="offers" id="plans" aria-label={isBelow ? undefined : say('plansTitle')}>
      {isBelow ? <h2 safe>{say('choosePlan')}</h2> : null}
      <Terms {...section} {...{ terms, term, changes }} path={isBelow ? '' : `/${PLANS}`} />
      {canChoose ? (
        <ChoiceForm pages={pages} session={view.session} kept={{ method: usualMethod(pages, view) }}>
          <ul class="plans">{cards}</ul>
        </ChoiceForm>
      ) : (
        <ul class="plans">{cards}</ul>
      )}
      {term === NOW ? null : <StartsLater {...section} decisions={decisions} />}
    </section>
  )
}

/** Leads to the page of the order. The buttons inside choose what `kept` leaves open. */
export function ChoiceForm(
  of: PropsWithChildren<
    Pick<PartSection, 'pages'> & {
      readonly session: PartSection['view']['session']
      readonly kept: Partial<Record<'offer' | 'method' | 'code', string | undefined>>
    }
  >,
) {
  const { pages, session, kept, children } = of
  return (
    <OwnForm session={session} action={`${pages.base}/portal/choice`}>
      {Object.entries(kept).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </OwnForm>
  )
}

/** The terms to choose from: `now`, then the numbers of months. */
function termsOf(plans: readonly Plan[], changes: readonly Quote[]): readonly string[] {
  const months = new Set(plans.flatMap(offersOf).map((offer) => offer.months))
  const byLength = [...months].toSorted((one, other) => one - other).map(String)
  return changes.length > 0 ? [NOW, ...byLength] : byLength
}

/** The term that was paid last. Before it can be renewed, only the plan can be changed. */
function usualTerm({ pages, view }: PartSection, changes: readonly Quote[]): string {
  const { renewal, facts } = view.overview
  if (changes.length > 0 && renewal?.allowed !== true) return NOW
  return String(renewalOffers(facts, pages.catalogue)[0]?.months ?? 1)
}

/** A quote that is sold now, or from an instant on. */
type Offered = Extract<QuoteDecision, { readonly quote: Quote }>

/** A plan without this term is offered for the single month. Undefined: it is not sold. */
function offeredIn(
  plan: Plan,
  term: string,
  changes: readonly Quote[],
  decisions: readonly QuoteDecision[],
): Offered | undefined {
  if (term === NOW) {
    const quote = changes.find(({ offer }) => offer.plan.id === plan.id)
    return quote && { kind: 'sold', quote }
  }
  const sold = decisions.flatMap((one) =>
    'quote' in one && one.quote.offer.plan.id === plan.id ? [one] : [],
  )
  return sold.find(({ quote }) => String(quote.offer.months) === term) ?? sold[0]
}

function Terms(
  of: PartSection & {
    readonly terms: readonly string[]
    readonly term: string
    readonly changes: readonly Quote[]
    readonly path: string
  },
) {
  const { pages, view, say, terms, path } = of
  if (terms.length < 2) return null
  return (
    <nav class="kinds" aria-label={say('term')}>
      <ul>
        {terms.map((term) => (
          <li>
            <a
              href={hrefIn(view.session, `${pages.base}/portal${path}?term=${term}#plans`)}
              aria-current={term === of.term ? 'true' : undefined}
            >
              <span safe>{term === NOW ? say('fromNowOn') : termInWords(Number(term), view.locale)}</span>
              <TermSaving {...of} term={term} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The greatest share that a plan saves by this term, in whole percent. */
function TermSaving({ pages, view, say, term }: PartSection & { readonly term: string }) {
  const offers = pages.catalogue.plans.flatMap(offersOf).filter(({ months }) => String(months) === term)
  const shares = offers.map((offer) => savingOf(offer) / (offer.plan.price * offer.months))
  const percent = Math.floor(Math.max(0, ...shares) * 100)
  if (percent === 0) return null
  return <small safe>{say('savesUpTo', { percent: pages.formats.number(percent, view.locale) })}</small>
}

/** A card shows this many limits and folds the rest, unless the rest is a single one. */
const SHOWN_LIMITS = 5

function PlanCard(
  of: PartSection & {
    readonly plan: Plan
    readonly offered: Offered | undefined
    readonly canChoose: boolean
    /** True below a heading of the section. */
    readonly isBelow: boolean
  },
) {
  const { plan, offered, canChoose, isBelow, ...section } = of
  const { pages, view, say } = section
  const { subscription, renewal } = view.overview
  const name = planName(plan.name, view.locale)
  const isOwn = plan.id === subscription.plan.id
  const limits = pages.catalogue.limits.filter((limit) => maximumOf(plan.limits, limit) > 0)
  const shown = limits.length === SHOWN_LIMITS + 1 ? limits.length : SHOWN_LIMITS
  // A user who paid before sees one main button, at the plan of before.
  const isUsual = renewal?.plan.id === plan.id && view.page === PLANS
  return (
    <li class={plan.price === 0 ? 'plan free' : isOwn ? 'plan own' : 'plan'}>
      <div class="row">
        {isBelow ? <h3 safe>{name}</h3> : <h2 safe>{name}</h2>}
        {isOwn ? (
          <span class="badge" safe>
            {say('yourPlan')}
          </span>
        ) : null}
      </div>
      <Price {...section} plan={plan} quote={offered?.quote ?? null} />
      <dl class="limits">{limits.slice(0, shown).map((limit) => LimitLine(section, plan, limit))}</dl>
      {limits.length <= shown ? null : (
        <details>
          <summary safe>{say('moreLimits')}</summary>
          <dl class="limits">{limits.slice(shown).map((limit) => LimitLine(section, plan, limit))}</dl>
        </details>
      )}
      {offered && canChoose ? (
        <ChooseButton
          {...{ ...section, offered, name }}
          isPlain={subscription.currentPeriodEnd !== null && !isUsual}
        />
      ) : null}
    </li>
  )
}

function LimitLine({ pages, view }: PartSection, plan: Plan, limit: Parameters<typeof maximumOf>[1]) {
  return (
    <div>
      <dt safe>{limit.words[view.locale]}</dt>
      <dd safe>{pages.formats.figure(maximumOf(plan.limits, limit), limit.unit, view.locale)}</dd>
    </div>
  )
}

function ChooseButton({
  offered,
  name,
  isPlain,
  ...section
}: PartSection & { readonly offered: Offered; readonly name: string; readonly isPlain: boolean }) {
  const { pages, view, say } = section
  const { quote } = offered
  if (offered.kind === 'prepaid_limit_reached')
    return (
      <p class="small soft">
        <Words>{say('fitsFrom', { date: pages.formats.day(offered.fitsFrom, view.locale) })}</Words>
      </p>
    )
  const isOwn = quote.offer.plan.id === view.overview.subscription.plan.id
  return (
    <button type="submit" name="offer" value={offerValue(quote)} class={isPlain ? undefined : 'go'} safe>
      {say(isOwn ? 'renew' : 'choose', { plan: name })}
    </button>
  )
}

/** Without a quote it shows the price of a month. */
function Price({ plan, quote, ...section }: PartSection & { plan: Plan; quote: Quote | null }) {
  const { pages, view, say } = section
  const { formats } = pages
  const { locale } = view
  const money = (dinars: number) => formats.money(dinars, locale)
  if (quote?.change)
    return (
      <p class="price">
        <b safe>{money(quote.amount)}</b>{' '}
        <span class="soft small">
          <Words>{say('untilDay', { end: formats.day(quote.period.end, locale) })}</Words>
        </span>
      </p>
    )
  const { months, price } = quote?.offer ?? { months: 1, price: { amount: plan.price } }
  const isTaxed = plan.price > 0 && taxNow(pages, view.overview.now).kind === 'vat'
  const saving = quote ? savingOf(quote.offer) : 0
  return (
    <>
      <p class="price">
        <b safe>{formats.centimes(Math.round((price.amount * 100) / months), locale)}</b>{' '}
        <span class="soft small" safe>
          {say(isTaxed ? 'perMonthTaxIncluded' : 'perMonth')}
        </span>
      </p>
      {months === 1 ? null : (
        <p class="small">
          <span safe>{inParts([termInWords(months, locale), money(price.amount)], locale)}</span>
          {saving === 0 ? null : (
            <span class="saves" safe>
              {say('saves', { amount: money(saving) })}
            </span>
          )}
        </p>
      )}
    </>
  )
}

/** Says when what is bought now begins, if that is later. */
function StartsLater(of: PartSection & { readonly decisions: readonly QuoteDecision[] }) {
  const { pages, view, say, decisions } = of
  const start = decisions.find((one) => 'quote' in one)?.quote.period.start ?? 0
  if (start <= view.overview.now || !mayInvite(view)) return null
  return (
    <p class="soft small">
      <Words>{say('buyAheadText', { start: pages.formats.day(start, view.locale) })}</Words>
    </p>
  )
}
