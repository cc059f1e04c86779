// The choice of a term: what each costs, what it saves, until when it would go. The single month stands first, no term is
// preselected, and all have the same button.
import { offersOf, type Plan, savingOf } from '../core/plan.js'
import { decideQuote } from '../core/quote.js'
import { termInWords } from '../i18n/formats.js'
import { FormToken } from './frame.js'
import { isTaxed, type Section } from './portal-view.js'

export function hasTerms(plan: Plan): boolean {
  return offersOf(plan).length > 1
}

type TermsOf = Section & {
  readonly plan: Plan
  /** Before the renewal window. */
  readonly ahead?: boolean
  /** Of the choice on its page: a plan can be offered at two places. */
  readonly id: string
}

export function TermChoice({ plan, ahead, id, ...section }: TermsOf) {
  const { pages, view, say } = section
  return (
    <form method="post" action={`${pages.base}/portal/upgrade`}>
      <FormToken session={view.session} />
      <input type="hidden" name="plan" value={plan.id} />
      {ahead ? <input type="hidden" name="ahead" value="yes" /> : null}
      <ul class="terms">
        {offersOf(plan).map(({ months }) => (
          <TermLine section={section} plan={plan} months={months} id={`${id}-${months}`} />
        ))}
      </ul>
      {isTaxed(section) ? (
        <p class="soft small" safe>
          {say('pricesWithTax')}
        </p>
      ) : null}
    </form>
  )
}

function TermLine(of: {
  readonly section: Section
  readonly plan: Plan
  readonly months: number
  readonly id: string
}) {
  const { section, plan, months, id } = of
  const { pages, view, say } = section
  const { formats, catalogue, rules } = pages
  const { overview, locale } = view
  // As an explicit wish: whether it is one is the form's matter, and a usual one is offered in the renewal window alone.
  const wanted = { planId: plan.id, months, mode: 'payment' } as const
  const decision = decideQuote(overview.facts, wanted, catalogue, overview.now, rules)
  if (!('quote' in decision)) return null
  const { offer, amount, period } = decision.quote
  const saving = savingOf(offer)
  return (
    <li>
      <div id={id}>
        <b safe>{termInWords(months, locale)}</b>
        {saving === 0 ? null : (
          <p class="saves small" safe>
            {say('saves', { amount: formats.money(saving, locale) })}
          </p>
        )}
        <p class="soft small" safe>
          {say('wouldEnd', { end: formats.day(period.end, locale) })}
        </p>
      </div>
      {decision.kind === 'prepaid_limit_reached' ? (
        <p safe>{say('fitsFrom', { date: formats.day(decision.fitsFrom, locale) })}</p>
      ) : (
        <button type="submit" class="go" name="months" value={String(months)} aria-describedby={id} safe>
          {say('pay', { amount: formats.money(amount, locale) })}
        </button>
      )}
    </li>
  )
}
