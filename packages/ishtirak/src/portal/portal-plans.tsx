// The plans of the portal's page, side by side.
import { isTaxed, TermChoice } from '../checkout/portal-terms.js'
import { maximumOf } from '../core/limit.js'
import type { Plan } from '../core/plan.js'
import { isPaidNow } from '../core/quote.js'
import { planName } from '../i18n/messages.js'
import { mayInvite } from '../pages/portal-kinds.js'
import type { PortalSection } from './portal-view.js'

/**
 * The plans side by side, with their limits. For users without paid time those that can be bought come first.
 */
export function Plans(section: PortalSection) {
  const { pages, view, say } = section
  const { plans } = pages.catalogue
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

function PlanCard({ plan, ...section }: PortalSection & { readonly plan: Plan }) {
  const { pages, view, say } = section
  const isCurrent = plan.id === view.overview.subscription.plan.id
  return (
    <article class={isCurrent ? 'card plan now' : 'card plan'}>
      <h3 safe>{planName(plan.name, view.locale)}</h3>
      <p class="price">
        <span safe>{pages.formats.money(plan.price, view.locale)}</span>{' '}
        {plan.price === 0 ? null : (
          <small safe>{say(isTaxed(pages, view.overview.now) ? 'perMonthTaxIncluded' : 'perMonth')}</small>
        )}
      </p>
      <ul>
        {pages.catalogue.limits.map((limit) => (
          <li>
            <span safe>{limit.words[view.locale]}</span>
            <b safe>{pages.formats.figure(maximumOf(plan.limits, limit), limit.unit, view.locale)}</b>
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
function Purchase({ plan, ...section }: PortalSection & { readonly plan: Plan }) {
  const { view } = section
  const { renewal, subscription } = view.overview
  if (plan.price === 0 || !renewal?.allowed || !mayInvite(view)) return null
  if (isPaidNow(subscription) && plan.id === renewal.plan.id) return null
  return <TermChoice {...section} plan={plan} id={`plan-${plan.id}`} />
}
