// What is open in the portal: what was ordered, and the way back to the choice.
import type { ShownPayment } from '../core/payment.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import { hrefIn } from '../pages/own-form.js'
import { LinkButton } from '../pages/portal-frame.js'
import type { PartSection } from '../pages/portal-kinds.js'

type OpenPayment = Pick<ShownPayment, 'plan' | 'months' | 'price'>

/** What is open: its plan, its term and what it costs. */
export function Ordered({ pages, view, payment }: PartSection & { readonly payment: OpenPayment }) {
  const { plan, months, price } = payment
  const parts = [planAndTerm(plan, months, view.locale), pages.formats.money(price.amount, view.locale)]
  return (
    <p>
      <b safe>{inParts(parts, view.locale)}</b>
    </p>
  )
}

/** Back to the choice. What is open stays as it is until something else is chosen. */
export function ChooseElse({ pages, view, say }: PartSection) {
  if (view.isChoosing) {
    return (
      <p class="small" safe>
        {say('chooseElseText')}
      </p>
    )
  }
  return (
    <p class="actions">
      <LinkButton
        href={hrefIn(view.session, `${pages.base}/portal?choose=else#your-plan`)}
        label={say('chooseElse')}
      />
    </p>
  )
}
