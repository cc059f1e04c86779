// Open payments and payments under review on the portal.
import type { Locale } from '../core/locale.js'
import type { Payment, ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { type Formats, inParts, paidForInWords } from '../i18n/formats.js'
import { hrefIn } from '../pages/own-form.js'
import { LinkButton, Notice } from '../pages/portal-frame.js'
import { checkedIn, type PartSection, PLANS } from '../pages/portal-kinds.js'
import { Id } from './lines.js'

export function PendingNotice(section: PartSection) {
  const { pages, view, say } = section
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  const mayPay = checkedIn(view).length === 0 && mayOrder(view.session)
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <Ordered {...section} payment={pending} />
      <p class="actions">
        {mayPay ? (
          <LinkButton href={hrefIn(view.session, pending.checkoutUrl)} label={say('goOnPaying')} go />
        ) : null}
        <LinkButton
          href={hrefIn(view.session, `${pages.base}/portal/return/${pending.id}`)}
          label={say('checkAgain')}
        />
      </p>
      {mayPay ? <ChooseElse {...section} /> : null}
    </Notice>
  )
}

export function Ordered({ pages, view, payment }: PartSection & { readonly payment: ShownPayment }) {
  const { amount } = payment.price
  const parts = [paidForInWords(payment, view.locale), pages.formats.money(amount, view.locale)]
  return (
    <p>
      <b safe>{inParts(parts, view.locale)}</b>
    </p>
  )
}

/** Leads back to the choice. Open payments stay until something else is chosen. */
export function ChooseElse({ pages, view, say }: PartSection) {
  return (
    <p>
      <a href={hrefIn(view.session, `${pages.base}/portal/${PLANS}`)} safe>
        {say('chooseElse')}
      </a>
    </p>
  )
}

export function ReviewNotice({ pages, view, say, odd }: PartSection & { readonly odd: Payment }) {
  const sums = differingSums(pages.formats, odd, view.locale)
  return (
    <Notice
      tone="warn"
      title={say('reviewTitle')}
      text={sums ? say('reviewAmounts', sums) : say('reviewText')}
    >
      <p class="small">
        <span safe>{say('orderReference')}</span> <Id>{odd.id}</Id>
      </p>
    </Notice>
  )
}

/** The sums paid and ordered, if they differ; null: something else differs. */
export function differingSums(
  { money }: Pick<Formats, 'money'>,
  { review, price }: Pick<Payment, 'review' | 'price'>,
  locale: Locale,
) {
  if (!review || review.amount === null || review.amount === price.amount) return null
  return { received: money(review.amount, locale), ordered: money(price.amount, locale) }
}
