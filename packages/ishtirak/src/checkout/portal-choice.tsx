// What can be bought in the portal, and the ways to pay for it.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Offer, offersOf } from '../core/plan.js'
import { changeQuotes, type Quote, type QuoteDecision, type Start, termDecisions } from '../core/quote.js'
import { taxAt } from '../core/receipt.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { Say } from '../i18n/messages.js'
import { hrefIn } from '../pages/own-form.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { PartSection, PartView } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import type { ChosenWay } from '../pages/way-to-pay.js'

export const BY_CARD: ChosenWay = {
  method: 'card',
  label: (say) => say('card'),
  path: '/portal/upgrade',
  button: 'payByCard',
  next: 'cardNext',
}

/** The card first. */
export function waysOf({ ways }: Pick<PageParts, 'ways'>): readonly ChosenWay[] {
  return [BY_CARD, ...ways]
}

/** By which the user paid last, if it is still taken; else the card. */
export function usualMethod(pages: PageParts, { history }: PartView): string {
  const last = history.payments.find(({ status }) => status === 'paid')?.method
  return waysOf(pages).find(({ method }) => method === last)?.method ?? BY_CARD.method
}

/** Its months in place of a number: the plan is changed now. */
export const NOW = 'now'

interface Chosen {
  readonly offer: { readonly plan: Pick<Offer['plan'], 'id'>; readonly months: number }
  readonly change?: Quote['change'] | boolean
}

/** The value in the form: `12 pro`, `now business`. The id of a plan may have any character. */
export function offerValue({ offer: { plan, months }, change }: Chosen): string {
  return `${change ? NOW : months} ${plan.id}`
}

/** Reads `offerValue` again. The value may be anything that a caller sent. */
export function readOffer(value: string) {
  const [term = ''] = value.split(' ', 1)
  const start: Start = term === NOW ? 'now' : 'end'
  return { months: term === NOW ? 1 : Number(term), planId: value.slice(term.length + 1), start }
}

/** What is sold to this user, each as it would be bought now. */
export function decisionsFor({ pages, view }: PartSection): readonly QuoteDecision[] {
  const { facts, now } = view.overview
  return termDecisions(facts, pages.catalogue, now, pages.rules)
}

/** The change to each dearer plan, until the end of the paid time. */
export function changesFor({ pages, view }: PartSection): readonly Quote[] {
  return changeQuotes(view.overview.facts, pages.catalogue, view.overview.now, pages.rules)
}

/** The only offer, if there is one offer and one payment method. */
export function onlyOffer(section: PartSection): Offer | null {
  const { catalogue, ways } = section.pages
  const { facts } = section.view.overview
  const [offer, another] = catalogue.plans.flatMap(offersOf)
  if (!offer || another || changesFor(section).length > 0) return null
  return ways.every((way) => missingIn(way, facts, offer.price.amount) > 0) ? offer : null
}

/** The whole dinars that the balance lacks. */
export function missingIn({ purse }: ChosenWay, facts: SubscriptionFacts, amount: number): number {
  return purse ? Math.max(0, amount - purse.amountIn(facts)) : 0
}

/** What a way lacks, and where it is added. */
export function Missing(of: {
  readonly pages: PageParts
  readonly session: Session | ReadOnlySession
  readonly locale: Locale
  readonly say: Say
  readonly way: ChosenWay
  readonly missing: number
}) {
  const { pages, session, locale, say, missing } = of
  const { purse } = of.way
  if (!purse) return null
  return (
    <p>
      <span safe>{say(purse.missing, { missing: pages.formats.money(missing, locale) })}</span>{' '}
      <a href={hrefIn(session, `${pages.base}${purse.add.path}`)} safe>
        {say(purse.add.label)}
      </a>
    </p>
  )
}

/** The tax of this day. */
export function taxNow({ formats, seller }: Pick<PageParts, 'formats' | 'seller'>, now: Instant) {
  return taxAt(seller.taxTerms, formats.isoDay(now))
}
