// In the portal: each dearer plan for the time that is paid, with what is left of what was paid for it.
import { changeQuotes } from '../core/quote.js'
import { planName } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import { Card, SubmitButton } from '../pages/portal-frame.js'
import type { PartSection } from '../pages/portal-kinds.js'
import { Words } from '../pages/words.js'

/** Nothing where no plan is dearer than the one that runs. */
export function PlanChanges({ pages, view, say }: PartSection) {
  const { facts, now } = view.overview
  const quotes = changeQuotes(facts, pages.catalogue, now, pages.rules)
  if (quotes.length === 0) return null
  const { session, locale } = view
  const money = (dinars: number) => pages.formats.money(dinars, locale)
  return (
    <Card id="change" title={say('changeNow')}>
      {quotes.map(({ offer, change, amount, period }) => {
        const plan = planName(offer.plan.name, locale)
        const price = money(offer.price.amount)
        const cost = { plan, price, credit: money(change?.credit ?? 0) }
        return (
          <OwnForm session={session} action={`${pages.base}/portal/upgrade`}>
            <input type="hidden" name="plan" value={offer.plan.id} />
            <input type="hidden" name="start" value="now" />
            <p>
              <Words>{say('changeCost', { ...cost, end: pages.formats.day(period.end, locale) })}</Words>
            </p>
            <SubmitButton label={say('changeTo', { plan, amount: money(amount) })} />
          </OwnForm>
        )
      })}
    </Card>
  )
}
