// What is about to be bought, in one line, and the one button that buys it. As a page it follows on the
// choice; where there is nothing to choose it stands in the portal.
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { savingOf } from '../core/plan.js'
import { decideQuote, type Quote } from '../core/quote.js'
import { termInWords } from '../i18n/formats.js'
import { planName, type Say, sayFor } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import { LinkButton, type PageParts, type Pages, renderPage, SubmitButton } from '../pages/portal-frame.js'
import type { Answered, PartSection } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import type { ChosenWay } from '../pages/way-to-pay.js'
import { Words } from '../pages/words.js'
import {
  BY_CARD,
  chosenWay,
  isTaxed,
  Missing,
  missingIn,
  offerValue,
  onlyOffer,
  readOffer,
} from './portal-choice.js'
import { type QuoteDeps, readChoice } from './quote.js'

export interface SummaryOf {
  readonly pages: PageParts
  readonly session: Session | ReadOnlySession
  readonly locale: Locale
  readonly say: Say
  readonly now: Instant
  readonly quote: Quote
  readonly way: ChosenWay
  /** Whole dinars that the way lacks: nothing can be bought by it yet. */
  readonly missing?: number
  /** Before the renewal window. */
  readonly isAhead: boolean
  /** Within the first screen of a phone: the line stands below the button, which has the sum. */
  readonly isBrief?: boolean
  /** A code that was typed. */
  readonly code?: string | undefined
}

/** Of the one thing that can be bought, where nothing is to be chosen. */
export function onlyChoice(section: PartSection): SummaryOf | null {
  const { pages, view, say } = section
  const { facts, now } = view.overview
  const offer = onlyOffer(section)
  if (!offer) return null
  const wanted = { planId: offer.plan.id, months: offer.months, mode: 'upgrade', start: 'end' } as const
  const decision = decideQuote(facts, wanted, pages.catalogue, now, pages.rules)
  if (decision.kind !== 'sold') return null
  const { session, locale } = view
  return {
    ...{ pages, session, locale, say, now },
    quote: decision.quote,
    way: BY_CARD,
    isAhead: false,
    isBrief: true,
  }
}

export function Summary(of: SummaryOf) {
  const { pages, session, say, quote, way, code, missing = 0 } = of
  const { offer, amount, discount } = quote
  const money = (dinars: number) => pages.formats.money(dinars, of.locale)
  const saving = savingOf(offer)
  // Only a code leaves nothing to pay.
  const isFree = amount === 0
  const fields = {
    plan: offer.plan.id,
    ...(quote.change ? { start: 'now' } : { months: String(offer.months) }),
    ...(code !== undefined && { code }),
    ...(of.isAhead && { ahead: 'yes' }),
    // What the button says bounds what is taken.
    ...(way.purse && { shown: String(amount) }),
  }
  const gain =
    discount > 0
      ? say('insteadOf', { amount: money(amount + discount) })
      : saving > 0 && say('saves', { amount: money(saving) })
  return (
    <>
      {of.isBrief ? null : <SummaryLine {...of} />}
      {gain ? (
        <p class="saves" safe>
          {gain}
        </p>
      ) : null}
      {missing > 0 ? (
        <p>
          <Missing {...of} missing={missing} />
        </p>
      ) : (
        <OwnForm session={session} action={`${pages.base}${isFree ? '/portal/redeem' : way.path}`}>
          {Object.entries(fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <SubmitButton label={isFree ? say('redeem') : say(way.button, { amount: money(amount) })} />
        </OwnForm>
      )}
      {of.isBrief ? <SummaryLine {...of} /> : null}
      <p>
        <Words>{startInWords(of)}</Words>
      </p>
      {isFree ? null : (
        <p class="soft small" safe>
          {say(way.next)}
        </p>
      )}
    </>
  )
}

function SummaryLine(of: SummaryOf) {
  return (
    <p class="summary">
      {partsOf(of).map((part, index) => (
        <>
          {index === 0 ? '' : ' · '}
          <bdi>
            <Words>{part}</Words>
          </bdi>
        </>
      ))}
    </p>
  )
}

/** `Pro`, `12 months`, `24 000 DA incl. tax (2 000 DA a month)`, `23 November 2026 to 23 November 2027`. */
function partsOf({ pages, locale, say, now, quote, way }: SummaryOf): readonly string[] {
  const { formats } = pages
  const { offer, amount, period, change } = quote
  const { plan, months } = offer
  const sum = formats.money(amount, locale)
  const taxed = amount > 0 && isTaxed(pages, now) ? say('withTax', { amount: sum }) : sum
  if (change) {
    const until = say('untilDay', { end: formats.day(period.end, locale) })
    return [planName(plan.name, locale), say(way.startsFrom ?? 'fromNowOn'), taxed, until]
  }
  const monthly = formats.centimes(Math.round((amount * 100) / months), locale)
  const price = months === 1 || amount === 0 ? taxed : say('sumAndMonth', { sum: taxed, month: monthly })
  const day = (instant: Instant) => formats.day(instant, locale)
  // Seen later, it begins later: its days are not known yet.
  const days =
    period.start === now && way.startsFrom
      ? say(way.startsFrom)
      : say('boughtPeriod', { start: day(period.start), end: day(period.end) })
  return [planName(plan.name, locale), termInWords(months, locale), price, days]
}

function startInWords({ pages, locale, say, now, quote, way }: SummaryOf): string {
  const { offer, period, change } = quote
  if (change) {
    const money = (dinars: number) => pages.formats.money(dinars, locale)
    const cost = { price: money(offer.price.amount), credit: money(change.credit) }
    const plan = planName(offer.plan.name, locale)
    return say('changeCost', { plan, ...cost, end: pages.formats.day(period.end, locale) })
  }
  if (period.start === now) return say(way.purse || quote.amount === 0 ? 'startsAtOnce' : 'startsWhenPaid')
  const start = pages.formats.day(period.start, locale)
  return say(period.start > now ? 'startsLater' : 'pastDueStart', { start })
}

/** What was chosen, as it is kept for the page. */
export interface Chosen {
  readonly offer: string
  readonly method: string
  readonly code?: string
}

export function keepChoice(chosen: Chosen): string {
  return new URLSearchParams({ ...chosen }).toString()
}

/** `value`: a choice that was kept. Throws what `readQuote` does, and `unknown_method`. */
export async function summaryPage(
  pages: Pages & QuoteDeps,
  { session, locale, value }: Answered,
): Promise<string> {
  const kept = new URLSearchParams(value)
  const [offer, method] = [kept.get('offer') ?? '', kept.get('method') ?? '']
  const code = kept.get('code') ?? undefined
  const chosen = chosenWay(pages, method)
  if (!chosen) throw new BillingError('unknown_method')
  const { userId } = session
  const { quote, isAhead, facts, now } = await readChoice(pages, { userId, ...readOffer(offer), code })
  // Where nothing is to be paid it begins at once, whatever the method.
  const way = quote.amount === 0 ? BY_CARD : chosen
  const missing = missingIn(way, facts, quote.amount)
  const say = sayFor(pages.seller.identity, locale)
  const title = say('summaryTitle')
  const back = new URLSearchParams({ choose: 'else', offer: offerValue(quote), method })
  return renderPage(pages, {
    locale,
    title,
    languagePath: `${pages.base}/portal/answer`,
    backUrl: pages.backUrl(session),
    safeContent: (
      <section class="middle card">
        <h1 safe>{title}</h1>
        <Summary {...{ pages, session, locale, say, now, quote, way, missing, isAhead, code }} />
        <p class="actions">
          <LinkButton href={`${pages.base}/portal?${back}#choose`} label={say('changeChoice')} />
        </p>
      </section>
    ),
  })
}
