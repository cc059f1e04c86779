// The choice of a term: what each costs, what it saves, until when it would go. The single month stands
// first, no term is preselected, and all have the same button.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { offersOf, type Plan, savingOf } from '../core/plan.js'
import { decideQuote, type QuoteDecision } from '../core/quote.js'
import { taxAt } from '../core/receipt.js'
import { inParts, planAndTerm, termInWords } from '../i18n/formats.js'
import type { Say } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import type { PageParts } from '../pages/portal-frame.js'
import { openMethods, type PartSection } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import { OtherWays, PayButton } from '../pages/way-to-pay.js'
import { Words } from '../pages/words.js'

export function hasTerms(plan: Plan): boolean {
  return offersOf(plan).length > 1
}

/** `ahead`: before the renewal window. `id`: of the choice, since a plan can be offered twice on a page. */
export function TermChoice({
  plan,
  ahead,
  id,
  pages,
  view,
  say,
}: PartSection & {
  readonly plan: Plan
  readonly ahead?: boolean
  readonly id: string
}) {
  const { facts, now } = view.overview
  // `payment` also buys ahead; the form for a plain renewal is offered in the renewal window alone.
  const decisions = offersOf(plan).map(({ months }) => {
    const wanted = { planId: plan.id, months, mode: 'payment' } as const
    return decideQuote(facts, wanted, pages.catalogue, now, pages.rules)
  })
  const { session, locale } = view
  return (
    <TermsForm
      {...{ pages, session, locale, say, now, plan, decisions, id }}
      open={openMethods(view)}
      isAlone={!hasTerms(plan)}
      extra={ahead ? { ahead: 'yes' } : {}}
    />
  )
}

interface TermsFormOf {
  readonly pages: PageParts
  readonly session: Session | ReadOnlySession
  readonly locale: Locale
  readonly say: Say
  readonly now: Instant
  readonly plan: Plan
  /** One for each term that is shown. */
  readonly decisions: readonly QuoteDecision[]
  readonly id: string
  /** Fields that the form carries beside plan and months. */
  readonly extra: Readonly<Record<string, string>>
  /** The one term of its plan: until when it goes stands below, or nowhere. */
  readonly isAlone?: boolean
  /** The methods by which a payment is waited for. */
  readonly open?: readonly string[]
}

export function TermsForm(of: TermsFormOf) {
  const { pages, session, say, now, plan, decisions, extra } = of
  return (
    <OwnForm session={session} action={`${pages.base}/portal/upgrade`}>
      {Object.entries({ plan: plan.id, ...extra }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <ul class="terms">
        {decisions.map((decision) => (
          <TermLine of={of} decision={decision} />
        ))}
      </ul>
      {isTaxed(pages, now) ? (
        <p class="soft small" safe>
          {say('pricesWithTax')}
        </p>
      ) : null}
    </OwnForm>
  )
}

function TermLine({ of, decision }: { readonly of: TermsFormOf; readonly decision: QuoteDecision }) {
  if (!('quote' in decision)) return null
  const { pages, locale, say } = of
  const { formats } = pages
  const { offer, amount, discount, period } = decision.quote
  const what = inParts([planAndTerm(of.plan, offer.months, locale), formats.money(amount, locale)], locale)
  const { months } = offer
  const money = (dinars: number) => formats.money(dinars, locale)
  const saving = savingOf(offer)
  const saves = saving === 0 ? null : say('saves', { amount: money(saving) })
  const gain = discount > 0 ? say('insteadOf', { amount: money(offer.price.amount) }) : saves
  return (
    <li>
      <div>
        <b safe>{termInWords(months, locale)}</b>
        {gain === null ? null : (
          <p class="saves small" safe>
            {gain}
          </p>
        )}
        {of.isAlone ? null : (
          <p class="soft small">
            <Words>{say('wouldEnd', { end: formats.day(period.end, locale) })}</Words>
          </p>
        )}
      </div>
      {decision.kind === 'prepaid_limit_reached' ? (
        <p>
          <Words>{say('fitsFrom', { date: formats.day(decision.fitsFrom, locale) })}</Words>
        </p>
      ) : (
        <div class="pay">
          <b class="cost" safe>
            {money(amount)}
          </b>
          <PayButton go {...{ say, months, what }} label={say(pages.ways.length > 0 ? 'card' : 'pay')} />
          <OtherWays {...{ pages, say, months, what }} {...(of.open && { open: of.open })} />
        </div>
      )}
    </li>
  )
}

/** Prices contain the tax, and say so where one applies on this day. */
export function isTaxed({ formats, seller }: Pick<PageParts, 'formats' | 'seller'>, now: Instant): boolean {
  return taxAt(seller.taxTerms, formats.isoDay(now)).kind === 'vat'
}
