// What a user redeemed, each with its statement: no money came, so there is no receipt.
import { planById } from '../core/plan.js'
import { termInWords } from '../i18n/formats.js'
import type { Redemption } from '../payments/redeem.sql.js'
import { Card } from './frame.js'
import type { Section } from './portal-view.js'

export function Redemptions(section: Section) {
  const { pages, view, say } = section
  if (view.redemptions.length === 0) return null
  return (
    <Card id="redemptions" title={say('redemptionsTitle')}>
      <ul class="payments">
        {view.redemptions.map((redemption) => {
          const date = pages.formats.day(Date.parse(redemption.redeemed_at), view.locale)
          return (
            <li>
              <span class="date" safe>
                {date}
              </span>
              <span class="bought soft small" safe>
                {inWords(section, redemption)}
              </span>
              <a
                href={`${pages.base}/portal/statements/${redemption.id}`}
                aria-label={say('statementOf', { date })}
                safe
              >
                {say('statement')}
              </a>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** `Pro · 3 months · 21 November 2026 to 21 February 2027` */
export function inWords({ pages, view, say }: Section, redemption: Redemption): string {
  const { plan, months, period_start, period_end } = redemption
  const day = (timestamp: string) => pages.formats.day(Date.parse(timestamp), view.locale)
  const period = say('boughtPeriod', { start: day(period_start), end: day(period_end) })
  return [planById(pages.catalogue, plan)?.name ?? plan, termInWords(months, view.locale), period].join(' · ')
}
