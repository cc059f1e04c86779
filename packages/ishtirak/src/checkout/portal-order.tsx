// The order before it is paid: its lines and the one button that pays it. It is a page after the choice. If
// there is only one offer, the first page of the portal shows it instead.
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { decideQuote, isPaidNow, type Quote, renewalOffers } from '../core/quote.js'
import { netPriceOf, splitTax } from '../core/receipt.js'
import { endsWithTrial } from '../core/subscription.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { messagePage } from '../pages/message-pages.js'
import { hrefIn, LinkButton, OwnForm, P, SubmitButton, Words } from '../pages/parts.js'
import type { OfferedMethod, Pages } from '../pages/portal-frame.js'
import { type Answered, type PartSection, type PartView, PLANS } from '../pages/portal-kinds.js'
import { Lines, type NamedLine } from './lines.js'
import {
  BY_CARD,
  ChoiceForm,
  missingIn,
  NOW,
  offeredMethods,
  offerValue,
  onlyOffer,
  readOffer,
  taxNow,
  usualMethod,
} from './portal-choice.js'
import { type QuoteDeps, readQuote } from './quote.js'

interface OrderOf
  extends Pick<PartSection, 'pages' | 'say'>,
    Pick<PartView, 'session' | 'locale'>,
    Pick<PartView['overview'], 'facts' | 'now'> {
  readonly quote: Quote
  readonly paidBy: OfferedMethod
  readonly isAhead: boolean
  readonly code?: string | undefined
}

/** Null: there is something to choose. The button comes first, so that a phone shows it without scrolling. */
export function OnlyOrder(section: PartSection): JSX.Element | null {
  const { pages, view, say } = section
  const { facts, now } = view.overview
  const offer = onlyOffer(section)
  if (!offer) return null
  const wanted = { planId: offer.plan.id, months: offer.months, mode: 'upgrade', start: 'end' } as const
  const decision = decideQuote(facts, wanted, now, pages.rules)
  if (decision.kind !== 'sold') return null
  const { session, locale } = view
  const { quote } = decision
  const of = { pages, session, locale, say, now, facts, quote, paidBy: BY_CARD, isAhead: false }
  return (
    <div class="order" id="choose">
      <h3 safe>{buttonText(section, offer.plan)}</h3>
      <Pay {...of} />
      <Lines look="lines" lines={linesOf(of)} />
    </div>
  )
}

/** A running plan is renewed, and one that has ended is bought again. After a trial it is the first time. */
export function buttonText({ view, say }: PartSection, plan: { readonly name: string }): string {
  const { subscription } = view.overview
  const isFirst = subscription.currentPeriodEnd === null || endsWithTrial(subscription.periods)
  const key = isFirst ? 'upgrade' : isPaidNow(subscription) ? 'renew' : 'again'
  return say(key, { plan: planName(plan.name, view.locale) })
}

/** One button that orders the plan and term of before. Null: the user never had one. */
export function RenewForm(section: PartSection) {
  const { pages, view } = section
  const { locale, session } = view
  const { facts, subscription } = view.overview
  const [usual] = renewalOffers(facts, pages.catalogue)
  if (!usual || subscription.currentPeriodEnd === null) return null
  const parts = [
    buttonText(section, usual.plan),
    termInWords(usual.months, locale),
    pages.formats.money(usual.price.amount, locale),
  ]
  return (
    <ChoiceForm {...{ pages, session }} kept={{ method: usualMethod(pages, view) }}>
      <button type="submit" name="offer" value={offerValue({ offer: usual })} class="go" safe>
        {inParts(parts, locale)}
      </button>
    </ChoiceForm>
  )
}

function Pay(of: OrderOf) {
  const { pages, session, locale, say, quote, paidBy, code } = of
  const { offer, amount, discount } = quote
  const { purse } = paidBy
  const money = (dinars: number) => pages.formats.money(dinars, locale)
  const missing = missingIn(paidBy, of.facts, amount)
  if (purse && missing > 0)
    return (
      <p>
        <span safe>{say(purse.missing, { missing: money(missing) })}</span>{' '}
        <a href={hrefIn(session, `${pages.base}${purse.add.path}`)} safe>
          {say(purse.add.label)}
        </a>
      </p>
    )
  // Only a code leaves nothing to pay.
  const isFree = amount === 0
  const kept = {
    ...{ plan: offer.plan.id, code },
    ...(quote.change ? { start: NOW } : { months: String(offer.months) }),
    ...(of.isAhead && { ahead: 'yes' }),
    // The sum on the button is the most that is taken.
    ...(purse && { shown: String(amount) }),
  }
  return (
    <>
      {discount === 0 ? null : <P class="saves">{say('insteadOf', { amount: money(amount + discount) })}</P>}
      <OwnForm {...{ session, kept }} action={`${pages.base}${isFree ? '/portal/redeem' : paidBy.path}`}>
        <SubmitButton label={isFree ? say('redeem') : say(paidBy.button, { amount: money(amount) })} />
      </OwnForm>
      <p class="soft small">
        {quote.change ? null : <Words>{startInWords(of)}</Words>}{' '}
        {isFree ? null : <span safe>{say(paidBy.next)}</span>}
      </p>
    </>
  )
}

/** The lines have the sums that the receipt will have. */
function linesOf(of: OrderOf): readonly NamedLine[] {
  const { pages, locale, say, now, quote, paidBy } = of
  const { formats, seller } = pages
  const { offer, amount, discount, change } = quote
  const tax = taxNow(pages, now)
  const split = splitTax(amount, tax)
  const credited = change && { change: { from: '', credit: change.credit } }
  const price = netPriceOf({ amount, discount, tax, split, ...credited })
  const money = (centimes: number) => formats.centimes(centimes, locale)
  const less = (centimes: number) => (centimes > 0 ? money(-centimes) : null)
  const rate = tax.kind === 'vat' ? formats.number(tax.ratePercent, locale) : null
  return [
    [say('plan'), planName(offer.plan.name, locale)],
    [say('period'), periodInWords(of)],
    [say(rate === null ? 'orderPrice' : 'orderNet'), money(price.priceCentimes)],
    [say('orderCredit'), less(price.creditCentimes)],
    [say('discount'), less(price.discountCentimes), 'saves'],
    [say('orderTax', { rate: rate ?? '' }), rate === null ? null : money(split.taxCentimes)],
    // Stamp duty is due only on cash, which cannot be paid here.
    [say('orderDuty'), seller.stampDutyTerms === null ? null : money(0)],
    [say('orderTotal'), money(split.totalCentimes), 'total'],
    [say('howToPay'), amount === 0 ? null : paidBy.label(say, locale)],
  ]
}

/** `12 months`, `23 November 2026 to 23 November 2027`. A transfer's time starts when it is seen. */
function periodInWords({ pages, locale, say, now, quote, paidBy }: OrderOf): readonly string[] {
  const { offer, period, change } = quote
  const day = (instant: Instant) => pages.formats.day(instant, locale)
  if (change) return [say(paidBy.startsFrom ?? 'fromNowOn'), say('untilDay', { end: day(period.end) })]
  const days =
    period.start === now && paidBy.startsFrom
      ? say(paidBy.startsFrom)
      : say('boughtPeriod', { start: day(period.start), end: day(period.end) })
  return [termInWords(offer.months, locale), days]
}

function startInWords({ pages, locale, say, now, quote, paidBy }: OrderOf): string {
  const { period, amount } = quote
  if (period.start === now) return say(paidBy.purse || amount === 0 ? 'startsAtOnce' : 'startsWhenPaid')
  const start = pages.formats.day(period.start, locale)
  return say(period.start > now ? 'startsLater' : 'pastDueStart', { start })
}

/** `value` is a saved choice. Throws what `readQuote` does, and `unknown_method`. */
export async function orderPage(pages: Pages & QuoteDeps, { session, locale, value }: Answered) {
  const kept = new URLSearchParams(value)
  const [offer, method] = [kept.get('offer') ?? '', kept.get('method') ?? '']
  const code = kept.get('code') ?? undefined
  const methods = offeredMethods(pages)
  const chosen = methods.find((one) => one.method === method)
  if (!chosen) throw new BillingError('unknown_method')
  const wanted = { userId: session.userId, ...readOffer(offer), code }
  const { quote, ...read } = await readQuote(pages, wanted)
  // If nothing is to be paid, the time begins at once, whatever method was chosen.
  const paidBy = quote.amount === 0 ? BY_CARD : chosen
  const others = quote.amount === 0 ? [] : methods.filter((other) => other.method !== paidBy.method)
  const term = wanted.start === NOW ? NOW : quote.offer.months
  return messagePage(pages, locale, (say) => {
    const of = { pages, session, locale, say, quote, paidBy, code, ...read }
    return {
      title: say('orderTitle'),
      languagePath: `${pages.base}/portal/answer`,
      backUrl: pages.backUrl(session),
      safeMore: (
        <>
          <div class="order">
            <Lines look="lines" lines={linesOf(of)} />
            <Pay {...of} />
          </div>
          {others.length === 0 ? null : (
            <ChoiceForm {...{ pages, session }} kept={{ offer, code }}>
              <P class="soft small">{say('chooseElse')}</P>
              <div class="actions">
                {others.map((other) => (
                  <button type="submit" name="method" value={other.method} safe>
                    {other.label(say, locale)}
                  </button>
                ))}
              </div>
            </ChoiceForm>
          )}
          {code === undefined && pages.orderFields.length > 0 ? (
            <ChoiceForm {...{ pages, session }} kept={{ offer, method }}>
              {pages.orderFields.map((field) => field({ say }))}
            </ChoiceForm>
          ) : null}
          <p class="actions">
            <LinkButton href={`${pages.base}/portal/${PLANS}?term=${term}`} label={say('changeChoice')} />
          </p>
        </>
      ),
    }
  })
}
