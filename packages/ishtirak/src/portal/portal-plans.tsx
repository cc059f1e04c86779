// The plans side by side: what each costs a month, and what it allows.
import { isTaxed } from '../checkout/portal-choice.js'
import { maximumOf } from '../core/limit.js'
import type { Plan } from '../core/plan.js'
import { planName } from '../i18n/messages.js'
import type { PortalSection } from './portal-view.js'

/** A table, to be moved sideways where it is wider than the page. */
export function Plans(section: PortalSection) {
  const { pages, view, say } = section
  const { plans, limits } = pages.catalogue
  const { locale } = view
  const { formats } = pages
  return (
    <section class="card wide" tabindex="0" aria-labelledby="plans">
      <h2 id="plans" safe>
        {say('plansTitle')}
      </h2>
      <table class="plans">
        <thead>
          <tr>
            {plans.map((plan) => (
              <th scope="col">
                <PlanHead {...section} plan={plan} />
              </th>
            ))}
          </tr>
        </thead>
        <Row
          title={say(isTaxed(pages, view.overview.now) ? 'perMonthTaxIncluded' : 'perMonth')}
          figures={plans.map(({ price }) => formats.money(price, locale))}
        />
        {limits.map((limit) => (
          <Row
            title={limit.words[locale]}
            figures={plans.map((plan) =>
              // The unit may stand below: four plans fit a phone.
              formats.figure(maximumOf(plan.limits, limit), limit.unit, locale).replace(/\u00a0(?!\d)/, ' '),
            )}
          />
        ))}
      </table>
    </section>
  )
}

/** What is compared stands above its figures: beside them it takes a third of a phone. */
function Row({ title, figures }: { readonly title: string; readonly figures: readonly string[] }) {
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colspan={figures.length} safe>
          {title}
        </th>
      </tr>
      <tr>
        {figures.map((figure) => (
          <td safe>{figure}</td>
        ))}
      </tr>
    </tbody>
  )
}

function PlanHead({ view, say, plan }: PortalSection & { readonly plan: Plan }) {
  const isCurrent = plan.id === view.overview.subscription.plan.id
  return (
    <>
      <span safe>{planName(plan.name, view.locale)}</span>
      {isCurrent ? <small safe>{say('currentPlan')}</small> : null}
    </>
  )
}
