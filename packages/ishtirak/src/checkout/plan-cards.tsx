// The plans side by side. Terms are switched by links, and a button leads to the order (portal-order.tsx).
import { maximumOf } from '../core/limit.js'
import { offersOf, type Plan, savingOf } from '../core/plan.js'
import { type Quote, type QuoteDecision, renewalOffers } from '../core/quote.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { hrefIn, Inline, P } from '../pages/parts.js'
import { mayInvite, type PartSection, PLANS } from '../pages/portal-kinds.js'
import { Lines, type NamedLine } from './lines.js'
import {
  ChoiceForm,
  changesFor,
  decisionsFor,
  NOW,
  offerValue,
  onlyOffer,
  taxNow,
  usualMethod,
} from './portal-choice.js'
import { buttonText } from './portal-order.js'

/** `isBelow`: below the state on the first page, under a heading of its own. */
export function PlanCards({ isBelow = false, ...section }: PartSection & { readonly isBelow?: boolean }) {
  const { pages, view, say } = section
  const { session, overview } = view
  // The only offer has its button above, at the plan.
  const canChoose = mayInvite(view) && !(isBelow && onlyOffer(section))
  const changes = changesFor(section)
  const decisions = decisionsFor(section)
  const terms = termsOf(pages.catalogue.plans, changes)
  const term = terms.find((one) => one === view.asked('term')) ?? usualTerm(section, changes)
  const start = decisions.find((one) => 'quote' in one)?.quote.period.start ?? 0
  const startsLater = term !== NOW && start > overview.now && mayInvite(view)
  const cards = (
    <ul class="plans">
      {pages.catalogue.plans.map((plan) => (
        <PlanCard
          {...{ ...section, plan, canChoose, isBelow }}
          offered={offeredIn(plan, term, changes, decisions)}
        />
      ))}
    </ul>
  )
  return (
    <section class="offers" id="plans" aria-label={isBelow ? undefined : say('plansTitle')}>
      {isBelow ? <h2 safe>{say('choosePlan')}</h2> : null}
      <Terms {...{ ...section, terms, term }} path={isBelow ? '' : `/${PLANS}`} />
      {canChoose ? (
        <ChoiceForm {...{ pages, session }} kept={{ method: usualMethod(pages, view) }}>
          {cards}
        </ChoiceForm>
      ) : (
        cards
      )}
      {startsLater ? (
        <P class="soft small">{say('buyAheadText', { start: pages.formats.day(start, view.locale) })}</P>
      ) : null}
    </section>
  )
}

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

function Terms(of: PartSection & { terms: readonly string[]; term: string; path: string }) {
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
  of: PartSection & { plan: Plan; offered: Offered | undefined; canChoose: boolean; isBelow: boolean },
) {
  const { plan, offered, canChoose, isBelow, ...section } = of
  const { pages, view, say } = section
  const { locale, overview } = view
  const name = planName(plan.name, locale)
  const isOwn = plan.id === overview.subscription.plan.id
  const limits = pages.catalogue.limits.flatMap((limit): NamedLine[] => {
    const most = maximumOf(plan.limits, limit)
    return most > 0 ? [[limit.words[locale], pages.formats.figure(most, limit.unit, locale)]] : []
  })
  const shown = limits.length === SHOWN_LIMITS + 1 ? limits.length : SHOWN_LIMITS
  return (
    <li class={plan.price === 0 ? 'plan free' : isOwn ? 'plan own' : 'plan'}>
      <div class="row">
        {isBelow ? <h3 safe>{name}</h3> : <h2 safe>{name}</h2>}
        {isOwn ? <Inline class="badge">{say('yourPlan')}</Inline> : null}
      </div>
      <Price {...section} plan={plan} quote={offered?.quote ?? null} />
      <Lines look="limits" lines={limits.slice(0, shown)} />
      {limits.length <= shown ? null : (
        <details>
          <summary safe>{say('moreLimits')}</summary>
          <Lines look="limits" lines={limits.slice(shown)} />
        </details>
      )}
      {offered && canChoose ? <Choose {...{ ...section, offered, name, isOwn }} /> : null}
    </li>
  )
}

function Choose(of: PartSection & { offered: Offered; name: string; isOwn: boolean }) {
  const { pages, view, say, offered, name, isOwn } = of
  const { subscription, renewal } = view.overview
  if (offered.kind === 'prepaid_limit_reached')
    return (
      <P class="small soft">{say('fitsFrom', { date: pages.formats.day(offered.fitsFrom, view.locale) })}</P>
    )
  // A user who paid before sees one main button, at the plan of before.
  const isUsual = renewal?.plan.id === offered.quote.offer.plan.id && view.page === PLANS
  const isMain = subscription.currentPeriodEnd === null || isUsual
  return (
    <button
      type="submit"
      name="offer"
      value={offerValue(offered.quote)}
      class={isMain ? 'go' : undefined}
      safe
    >
      {isOwn ? buttonText(of, offered.quote.offer.plan) : say('choose', { plan: name })}
    </button>
  )
}

function Price({ plan, quote, ...section }: PartSection & { plan: Plan; quote: Quote | null }) {
  const { pages, view, say } = section
  const { formats } = pages
  const { locale } = view
  const money = (dinars: number) => formats.money(dinars, locale)
  if (quote?.change)
    return (
      <p class="price">
        <b safe>{money(quote.amount)}</b>{' '}
        <Inline class="soft small">{say('untilDay', { end: formats.day(quote.period.end, locale) })}</Inline>
      </p>
    )
  const { months, price } = quote?.offer ?? { months: 1, price: { amount: plan.price } }
  const isTaxed = plan.price > 0 && taxNow(pages, view.overview.now).kind === 'vat'
  const saving = quote ? savingOf(quote.offer) : 0
  return (
    <>
      <p class="price">
        <b safe>{formats.centimes(Math.round((price.amount * 100) / months), locale)}</b>{' '}
        <Inline class="soft small">{say(isTaxed ? 'perMonthTaxIncluded' : 'perMonth')}</Inline>
      </p>
      {months === 1 ? null : (
        <p class="small">
          <span safe>{inParts([termInWords(months, locale), money(price.amount)], locale)}</span>
          {saving === 0 ? null : <Inline class="saves">{say('saves', { amount: money(saving) })}</Inline>}
        </p>
      )}
    </>
  )
}
