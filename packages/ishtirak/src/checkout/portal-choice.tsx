// The choice of what to buy: a plan and its term, and the way to pay. One form with one button, which leads
// to a page that states all of it (portal-summary.tsx) before anything is opened. No script is needed.
import type { PropsWithChildren } from '@kitajs/html'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Offer, offersOf, savingOf } from '../core/plan.js'
import {
  changeQuotes,
  type Quote,
  type QuoteDecision,
  quotesIn,
  renewalOffers,
  type Start,
  termDecisions,
} from '../core/quote.js'
import { taxAt } from '../core/receipt.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { termInWords } from '../i18n/formats.js'
import { planName, type Say } from '../i18n/messages.js'
import { hrefIn, OwnForm } from '../pages/own-form.js'
import { type PageParts, SubmitButton } from '../pages/portal-frame.js'
import { openMethods, type PartSection } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import type { ChosenWay } from '../pages/way-to-pay.js'
import { Words } from '../pages/words.js'

export const BY_CARD: ChosenWay = {
  method: 'card',
  label: (say) => say('card'),
  path: '/portal/upgrade',
  button: 'payByCard',
  next: 'cardNext',
}

/** The card first. `open`: by which a payment is waited for, so it is left out. */
function waysFor({ ways }: PageParts, open: readonly string[]): readonly ChosenWay[] {
  return [BY_CARD, ...ways].filter(({ method }) => !open.includes(method))
}

/** Undefined: it is not taken. */
export function chosenWay(pages: PageParts, method: string): ChosenWay | undefined {
  return waysFor(pages, []).find((way) => way.method === method)
}

/** Its months in place of a number: the plan is changed now. */
const NOW = 'now'

interface Chosen {
  readonly offer: { readonly plan: Pick<Offer['plan'], 'id'>; readonly months: number }
  readonly change?: Quote['change'] | boolean
}

/** As the form sends it: `12 pro`, `now business`. The id of a plan may hold any character. */
export function offerValue({ offer: { plan, months }, change }: Chosen): string {
  return `${change ? NOW : months} ${plan.id}`
}

/** The reverse, of what anyone may have sent. */
export function readOffer(value: string) {
  const [term = ''] = value.split(' ', 1)
  const start: Start = term === NOW ? 'now' : 'end'
  return { months: term === NOW ? 1 : Number(term), planId: value.slice(term.length + 1), start }
}

/** What is sold to this user, each as it would be bought now. */
function decisionsFor({ pages, view }: PartSection): readonly QuoteDecision[] {
  const { facts, now } = view.overview
  return termDecisions(facts, pages.catalogue, now, pages.rules)
}

/** Each dearer plan, from now on to the end of the time that is paid. */
export function changesFor({ pages, view }: PartSection): readonly Quote[] {
  return changeQuotes(view.overview.facts, pages.catalogue, view.overview.now, pages.rules)
}

/** The offer, where there is nothing to choose: one is sold, and it can be paid in one way. */
export function onlyOffer(section: PartSection): Offer | null {
  const { catalogue, ways } = section.pages
  const { facts } = section.view.overview
  const [offer, another] = catalogue.plans.flatMap(offersOf)
  if (!offer || another || changesFor(section).length > 0) return null
  return ways.every((way) => missingIn(way, facts, offer.price.amount) > 0) ? offer : null
}

/** Whole dinars that the way lacks for the sum. */
export function missingIn({ purse }: ChosenWay, facts: SubscriptionFacts, amount: number): number {
  return purse ? Math.max(0, amount - purse.amountIn(facts)) : 0
}

/** The term paid last, else the single month. */
function usualOffer({ pages, facts }: Pick<OffersFormOf, 'pages' | 'facts'>): string | null {
  const [usual] = renewalOffers(facts, pages.catalogue)
  return usual ? offerValue({ offer: usual }) : null
}

/** `children`: further fields of the form. */
export function ChoiceForm({ children, ...section }: PropsWithChildren<PartSection>) {
  const { pages, view, say } = section
  const { session, locale } = view
  return (
    <OffersForm
      {...{ pages, session, locale, say, now: view.overview.now }}
      changes={changesFor(section)}
      decisions={decisionsFor(section)}
      asked={view.asked('offer')}
      method={view.asked('method')}
      facts={view.overview.facts}
      open={openMethods(view)}
    >
      {children}
    </OffersForm>
  )
}

interface OffersFormOf {
  readonly pages: PageParts
  readonly session: Session | ReadOnlySession
  readonly locale: Locale
  readonly say: Say
  readonly now: Instant
  /** Plans that can be changed to. */
  readonly changes?: readonly Quote[]
  /** One for each that is shown. */
  readonly decisions: readonly QuoteDecision[]
  /** Value of the offer that is selected, if it can be bought; else the usual one, or the first that can. */
  readonly asked: string | null
  readonly method: string | null
  readonly facts: SubscriptionFacts
  /** The methods by which a payment is waited for. */
  readonly open?: readonly string[]
  /** A code that was typed. */
  readonly code?: string
}

/** Plans and their terms, and the ways to pay. */
export function OffersForm({ children, ...of }: PropsWithChildren<OffersFormOf>) {
  const { pages, session, say, now, decisions, changes = [], code } = of
  const sold = quotesIn(decisions)
  const values = [...sold, ...changes].map(offerValue)
  const wish = of.asked ?? usualOffer(of)
  const selected = values.find((value) => value === wish) ?? values[0]
  const shown = decisions.filter((decision) => 'quote' in decision)
  const plans = [...new Set(shown.map(({ quote }) => quote.offer.plan.id))]
  return (
    <OwnForm session={session} action={`${pages.base}/portal/choice`}>
      {code === undefined ? null : <input type="hidden" name="code" value={code} />}
      {changes.length === 0 ? null : <PlanChanges of={of} selected={selected} changes={changes} />}
      <div class="choices">
        {plans.map((id) => (
          <PlanTerms
            of={of}
            selected={selected}
            decisions={shown.filter(({ quote }) => quote.offer.plan.id === id)}
          />
        ))}
      </div>
      <WaysToPay {...of} least={Math.min(...[...sold, ...changes].map(({ amount }) => amount))} />
      {children}
      {selected === undefined ? null : <SubmitButton label={say('continue')} />}
      <p class="soft small">
        {isTaxed(pages, now) ? <span safe>{say('pricesWithTax')}</span> : null}{' '}
        <span safe>{say('continueText')}</span>
      </p>
    </OwnForm>
  )
}

type Shown = Extract<QuoteDecision, { readonly quote: unknown }>

interface TermsOf {
  readonly of: OffersFormOf
  readonly selected: string | undefined
}

function PlanTerms({ decisions, ...terms }: TermsOf & { readonly decisions: readonly Shown[] }) {
  const { locale } = terms.of
  return (
    <fieldset class="choice">
      <legend safe>{planName(decisions[0]?.quote.offer.plan.name ?? '', locale)}</legend>
      {decisions.map((decision) => (
        <TermLine {...terms} decision={decision} />
      ))}
    </fieldset>
  )
}

function PlanChanges({ of, selected, changes }: TermsOf & { readonly changes: readonly Quote[] }) {
  const { pages, locale, say } = of
  return (
    <fieldset class="choice">
      <legend safe>{say('changeNow')}</legend>
      {changes.map((quote) => {
        const value = offerValue(quote)
        const end = pages.formats.day(quote.period.end, locale)
        return (
          <label class="pick dated">
            <input type="radio" name="offer" value={value} required checked={value === selected} />
            <span>
              <b safe>{planName(quote.offer.plan.name, locale)}</b>
              <span class="small">
                <Words>{say('untilDay', { end })}</Words>
              </span>
            </span>
            <b class="cost" safe>
              {pages.formats.money(quote.amount, locale)}
            </b>
          </label>
        )
      })}
    </fieldset>
  )
}

function TermLine({ of, selected, decision }: TermsOf & { readonly decision: Shown }) {
  const { pages, locale, say } = of
  const { formats } = pages
  const { offer, amount, discount } = decision.quote
  const money = (dinars: number) => formats.money(dinars, locale)
  const saving = savingOf(offer)
  const saves = saving === 0 ? null : say('saves', { amount: money(saving) })
  const gain = discount > 0 ? say('insteadOf', { amount: money(offer.price.amount) }) : saves
  const value = offerValue(decision.quote)
  const fitsFrom = decision.kind === 'prepaid_limit_reached' ? decision.fitsFrom : null
  return (
    <label class={fitsFrom === null ? 'pick' : 'pick dated'}>
      <input
        type="radio"
        name="offer"
        value={value}
        required
        checked={value === selected}
        disabled={fitsFrom !== null}
      />
      <span>
        <b safe>{termInWords(offer.months, locale)}</b>
        {gain === null ? null : (
          <span class="saves small" safe>
            {gain}
          </span>
        )}
        {fitsFrom === null ? null : (
          <span class="small">
            <Words>{say('fitsFrom', { date: formats.day(fitsFrom, locale) })}</Words>
          </span>
        )}
      </span>
      <b class="cost" safe>
        {money(amount)}
      </b>
    </label>
  )
}

/** `least`: what the cheapest costs, in whole dinars. A way that lacks some of it is shown all the same. */
function WaysToPay({ least, ...of }: OffersFormOf & { readonly least: number }) {
  const { pages, say, locale, facts, method, open = [] } = of
  const ways = waysFor(pages, open).map((way) => ({
    way,
    missing: missingIn(way, facts, least),
  }))
  const [first, another] = ways
  if (first === undefined) return null
  if (!another)
    return (
      <>
        <input type="hidden" name="method" value={first.way.method} />
        <p safe>{say('paidBy', { way: first.way.label(say, locale) })}</p>
      </>
    )
  const able = ways.filter(({ missing }) => missing === 0)
  const chosen = able.find(({ way }) => way.method === method) ?? able[0]
  return (
    <fieldset class="choice">
      <legend safe>{say('howToPay')}</legend>
      {ways.map(({ way, missing }) => (
        <label class="pick">
          <input
            type="radio"
            name="method"
            value={way.method}
            required
            checked={way === chosen?.way}
            disabled={missing > 0}
          />
          <span safe>{way.label(say, locale)}</span>
          {way.purse ? (
            <b class="cost" safe>
              {pages.formats.money(way.purse.amountIn(facts), locale)}
            </b>
          ) : null}
          {missing > 0 ? <Missing {...of} way={way} missing={missing} /> : null}
        </label>
      ))}
    </fieldset>
  )
}

/** What a way lacks, and where it is added. */
export function Missing({
  pages,
  session,
  locale,
  say,
  way: { purse },
  missing,
}: Pick<OffersFormOf, 'pages' | 'session' | 'locale' | 'say'> & {
  readonly way: ChosenWay
  readonly missing: number
}) {
  if (!purse) return null
  return (
    <span class="missing">
      <span safe>{say(purse.missing, { missing: pages.formats.money(missing, locale) })}</span>{' '}
      <a href={hrefIn(session, `${pages.base}${purse.add.path}`)} safe>
        {say(purse.add.label)}
      </a>
    </span>
  )
}

/** Prices contain the tax, and say so where one applies on this day. */
export function isTaxed({ formats, seller }: Pick<PageParts, 'formats' | 'seller'>, now: Instant): boolean {
  return taxAt(seller.taxTerms, formats.isoDay(now)).kind === 'vat'
}
