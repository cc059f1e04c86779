// The plans side by side, with their limits. For users without paid time those that can be bought come first.
import { LIMIT_NAMES, type Plan } from '../core/plan.js'
import { isPaidNow } from '../core/upgrade.js'
import { planName } from '../i18n/messages.js'
import { BuyForm } from './frame.js'
import { isTaxed, limitInWords, mayInvite, priceOf, type Section } from './section.js'

export function Plans(section: Section) {
  const { pages, view, say } = section
  const plans = pages.catalogue.plans
  const sorted = isPaidNow(view.overview.subscription)
    ? plans
    : plans.toSorted((one, other) => Number(one.price === 0) - Number(other.price === 0))
  return (
    <section aria-labelledby="plans" class="group">
      <h2 id="plans" safe>
        {say('plansTitle')}
      </h2>
      <div class="plans">
        {sorted.map((plan) => (
          <PlanCard {...section} plan={plan} />
        ))}
      </div>
    </section>
  )
}

function PlanCard({ plan, ...section }: Section & { readonly plan: Plan }) {
  const { pages, view, say } = section
  const { formats } = pages
  const { overview, locale } = view
  const isCurrent = plan.id === overview.subscription.plan.id
  return (
    <article class={isCurrent ? 'card plan now' : 'card plan'}>
      <h3 safe>{planName(plan.name, locale)}</h3>
      <p class="price">
        <span safe>{formats.money(plan.price, locale)}</span>{' '}
        {plan.price === 0 ? null : (
          <small safe>{say(isTaxed(section) ? 'perMonthTaxIncluded' : 'perMonth')}</small>
        )}
      </p>
      <ul>
        {LIMIT_NAMES.map((limit) => (
          <li>
            <span safe>{say(limit)}</span>
            <b safe>{limitInWords(section, limit, plan.limits[limit])}</b>
          </li>
        ))}
      </ul>
      {isCurrent ? (
        <p>
          <span class="badge" safe>
            {say('currentPlan')}
          </span>
        </p>
      ) : null}
      <Purchase {...section} plan={plan} />
    </article>
  )
}

/** A running plan is renewed in the hero; here stand those that one is not on. */
function Purchase({ plan, ...section }: Section & { readonly plan: Plan }) {
  const { pages, view, say } = section
  const { overview, session, locale } = view
  const { renewal } = overview
  const isRunning = isPaidNow(overview.subscription)
  if (plan.price === 0 || !renewal?.allowed || !mayInvite(view)) return null
  if (isRunning && plan.id === renewal.plan.id) return null
  const label = say('upgrade', {
    plan: planName(plan.name, locale),
    amount: priceOf(section, plan.price),
  })
  return <BuyForm base={pages.base} session={session} planId={plan.id} label={label} />
}
