// The plans side by side, with their limits; where a month can be bought, what it brings stands above the button.
import { planName } from '../../domain/messages.js'
import { LIMIT_NAMES, type Plan } from '../../domain/plan.js'
import { BuyForm } from './buy-form.js'
import { isPaidNow, isUnderReview, type Section } from './section.js'
import { limitInWords } from './words.js'

export function Plans(section: Section) {
  const { pages, say } = section
  return (
    <section aria-labelledby="plans" class="group">
      <h2 id="plans" safe>
        {say('plansTitle')}
      </h2>
      <div class="plans">
        {pages.billing.plans().map((plan) => (
          <PlanCard {...section} plan={plan} />
        ))}
      </div>
    </section>
  )
}

function PlanCard({ pages, view, say, plan }: Section & { readonly plan: Plan }) {
  const { formats } = pages
  const { overview, locale } = view
  const isCurrent = plan.id === overview.subscription.plan.id
  return (
    <article class={isCurrent ? 'card plan now' : 'card plan'}>
      <h3 safe>{planName(plan.name, locale)}</h3>
      <p class="price">
        <span safe>{formats.money(plan.price, locale)}</span>{' '}
        {plan.price === 0 ? null : <small safe>{say('perMonth')}</small>}
      </p>
      <ul>
        {LIMIT_NAMES.map((limit) => (
          <li>
            <span safe>{say(limit)}</span>
            <b safe>{limitInWords(formats, limit, plan.limits[limit], locale)}</b>
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
      <Purchase pages={pages} view={view} say={say} plan={plan} />
    </article>
  )
}

/** A running plan is renewed in the hero; here stand those that one is not on. */
function Purchase({ pages, view, say, plan }: Section & { readonly plan: Plan }) {
  const { formats } = pages
  const { overview, session, locale } = view
  const { renewal } = overview
  const isRunning = isPaidNow(overview)
  if (plan.price === 0 || !renewal?.allowed || isUnderReview(view)) return null
  if (isRunning && plan.id === renewal.plan.id) return null
  const end = formats.day(renewal.wouldEnd, locale)
  const label = say('upgrade', { amount: formats.money(plan.price, locale) })
  return (
    <div class="buy">
      <p safe>{isRunning ? say('willExtend', { end }) : say('willStart', { end })}</p>
      <BuyForm base={pages.base} session={session} planId={plan.id} label={label} />
      <p class="soft small" safe>
        {say('paidByHand')}
      </p>
    </div>
  )
}
