// What can be bought in the portal, and the methods to pay for it.
import type { PropsWithChildren } from '@kitajs/html'
import type { Instant } from '../core/instant.js'
import { type Offer, offersOf } from '../core/plan.js'
import { changeQuotes, type Quote, type QuoteDecision, type Start, termDecisions } from '../core/quote.js'
import { taxAt } from '../core/receipt.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { OwnForm } from '../pages/parts.js'
import type { OfferedMethod, PageParts } from '../pages/portal-frame.js'
import type { PartSection, PartView } from '../pages/portal-kinds.js'

export const BY_CARD: OfferedMethod = {
  method: 'card',
  label: (say) => say('card'),
  path: '/portal/upgrade',
  button: 'payByCard',
  next: 'cardNext',
}

export function offeredMethods({ shownMethods }: Pick<PageParts, 'shownMethods'>): readonly OfferedMethod[] {
  return [BY_CARD, ...shownMethods]
}

/** The method of the user's last paid payment, or the card if that method is no longer taken. */
export function usualMethod(pages: PageParts, { history }: PartView): string {
  const last = history.payments.find(({ status }) => status === 'paid')?.method
  return offeredMethods(pages).find(({ method }) => method === last)?.method ?? BY_CARD.method
}

/** A plan change has this instead of a number of months. */
export const NOW = 'now'

/** The value in the form: `12 pro`, `now business`. The id of a plan may have any character. */
export function offerValue(of: {
  readonly offer: { readonly plan: Pick<Offer['plan'], 'id'>; readonly months: number }
  readonly change?: Quote['change'] | boolean
}): string {
  const { plan, months } = of.offer
  return `${of.change ? NOW : months} ${plan.id}`
}

/** Reads `offerValue` again. The value may be anything that a caller sent. */
export function readOffer(value: string) {
  const [term = ''] = value.split(' ', 1)
  const start: Start = term === NOW ? 'now' : 'end'
  return { months: term === NOW ? 1 : Number(term), planId: value.slice(term.length + 1), start }
}

/** A form buys ahead only with `ahead` or a code, so that a usual button pressed twice buys nothing more. */
export function wantedIn(field: (name: string) => string) {
  const [months, code, ahead] = [field('months'), field('code'), field('ahead')]
  return {
    planId: field('plan'),
    start: field('start') === 'now' ? ('now' as const) : ('end' as const),
    ...(months && { months: Number(months) }),
    ...(code && { code }),
    mode: code || ahead ? ('payment' as const) : ('upgrade' as const),
  }
}

export function decisionsFor({ pages, view }: PartSection): readonly QuoteDecision[] {
  const { facts, now } = view.overview
  return termDecisions(facts, now, pages.rules)
}

export function changesFor({ pages, view }: PartSection): readonly Quote[] {
  return changeQuotes(view.overview.facts, view.overview.now, pages.rules)
}

/** The only offer, if there is one offer and one payment method. */
export function onlyOffer(section: PartSection): Offer | null {
  const { catalogue, shownMethods } = section.pages
  const { facts } = section.view.overview
  const [offer, another] = catalogue.plans.flatMap(offersOf)
  if (!offer || another || changesFor(section).length > 0) return null
  return shownMethods.every((method) => missingIn(method, facts, offer.price.amount) > 0) ? offer : null
}

/** The whole dinars that the balance lacks. */
export function missingIn({ purse }: OfferedMethod, facts: SubscriptionFacts, amount: number): number {
  return purse ? Math.max(0, amount - purse.amountIn(facts)) : 0
}

/** Leads to the page of the order. The buttons inside choose what `kept` leaves open. */
export function ChoiceForm(
  of: PropsWithChildren<Pick<PartSection, 'pages'> & Pick<PartView, 'session'> & { kept: Partial<Chosen> }>,
) {
  return (
    <OwnForm session={of.session} action={`${of.pages.base}/portal/choice`} kept={{ ...of.kept }}>
      {of.children}
    </OwnForm>
  )
}

/** What is chosen: an offer (`offerValue`), the API's name of a method, a code that was typed. */
export interface Chosen {
  readonly offer: string
  readonly method: string
  readonly code?: string | undefined
}

export function choiceToKeep({ offer, method, code }: Chosen): string {
  return new URLSearchParams({ offer, method, ...(code && { code }) }).toString()
}

export function taxNow({ formats, seller }: Pick<PageParts, 'formats' | 'seller'>, now: Instant) {
  return taxAt(seller.taxTerms, formats.isoDay(now))
}
