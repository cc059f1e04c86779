// Codes on the pages: where one is typed, and what was redeemed just now.
import { planById } from '../core/plan.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import type { Say } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { PartSection } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import type { Redemption } from './redeem.sql.js'

/** `Pro · 3 months · 21 November 2026 to 21 February 2027` */
export function inWords({ pages, view, say }: PartSection, redemption: Redemption): string {
  const { plan, months, period_start, period_end } = redemption
  const day = (timestamp: string) => pages.formats.day(Date.parse(timestamp), view.locale)
  const period = say('boughtPeriod', { start: day(period_start), end: day(period_end) })
  const bought = planAndTerm(planById(pages.catalogue, plan) ?? { name: plan }, months, view.locale)
  return inParts([bought, period], view.locale)
}

/** The field on the page of an order. */
export function FoldedCode({ say }: { readonly say: Say }) {
  return (
    <details>
      <summary safe>{say('haveCode')}</summary>
      <TypedCode say={say} />
    </details>
  )
}

/** The form in which a user types a code. `wrong` is an invalid code, to be corrected. */
export function CodeForm(of: {
  readonly pages: Pick<PageParts, 'base'>
  readonly session: Session | ReadOnlySession
  readonly say: Say
  readonly wrong?: string
}) {
  const { pages, session, say, wrong } = of
  return (
    <OwnForm session={session} action={`${pages.base}/portal/code`}>
      <TypedCode say={say} wrong={wrong} />
    </OwnForm>
  )
}

function TypedCode({ say, wrong }: { say: Say; wrong?: string | undefined }) {
  return (
    <>
      <label>
        <span safe>{say('code')}</span>
        <input
          type="text"
          name="code"
          required
          maxlength="100"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          dir="ltr"
          {...(wrong !== undefined && { value: wrong, 'aria-invalid': 'true' })}
        />
      </label>
      <button type="submit" safe>
        {say('checkCode')}
      </button>
    </>
  )
}
