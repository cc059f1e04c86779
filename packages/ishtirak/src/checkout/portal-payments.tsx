// The payments in the portal: open ones and those under review, the newest on its first page, and all of them
// on a page of their own, since twelve lines are a seventh of the work of a page.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Payment, type PublicPaymentStatus, publicStatusAt, type ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { type Formats, inParts, paidForInWords } from '../i18n/formats.js'
import { instrumentName, planName } from '../i18n/messages.js'
import { Card, hrefIn, Inline, LinkButton, Notice } from '../pages/parts.js'
import { shownMethodOf } from '../pages/portal-frame.js'
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

export function ReviewNotice({ pages, view, say, reviewed }: PartSection & { readonly reviewed: Payment }) {
  const sums = differingSums(pages.formats, reviewed, view.locale)
  return (
    <Notice
      tone="warn"
      title={say('reviewTitle')}
      text={sums ? say('reviewAmounts', sums) : say('reviewText')}
    >
      <p class="small">
        <span safe>{say('orderReference')}</span> <Id>{reviewed.id}</Id>
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

export function RecentPayments(section: PartSection) {
  const { view, say } = section
  const payments = view.history.payments.slice(0, RECENT)
  if (payments.length === 0 || view.session.formToken === null) return null
  return (
    <Card id="recent" title={say('historyTitle')}>
      <HistoryLines {...section} payments={payments} />
    </Card>
  )
}

const RECENT = 3

export function History(section: PartSection) {
  const { pages, view, say } = section
  const { payments, nextCursor } = view.history
  if (payments.length === 0) return null
  const address = `${pages.base}/portal/payments`
  return (
    <section class="card" id="history" aria-label={say('historyTitle')}>
      <HistoryLines {...section} payments={payments} />
      {nextCursor === null && !view.isOlder ? null : (
        <p class="actions">
          {nextCursor === null ? null : (
            <LinkButton
              href={hrefIn(view.session, `${address}?cursor=${encodeURIComponent(nextCursor)}`)}
              label={say('olderPayments')}
            />
          )}
          {view.isOlder ? (
            <LinkButton href={hrefIn(view.session, address)} label={say('newestPayments')} />
          ) : null}
        </p>
      )}
    </section>
  )
}

function HistoryLines({ payments, ...section }: PartSection & { payments: readonly ShownPayment[] }) {
  return (
    <ul class="payments">
      {payments.map((payment) => (
        <HistoryLine section={section} payment={payment} />
      ))}
    </ul>
  )
}

const TONES: Readonly<Record<PublicPaymentStatus, '' | 'warn' | 'bad' | 'none'>> = {
  pending: 'warn',
  paid: '',
  failed: 'bad',
  canceled: 'none',
  expired: 'none',
  review: 'warn',
  refunded: 'none',
}

/** The section is one prop, because a prop after a spread costs 2 µs and a page has twelve lines. */
function HistoryLine({ payment, section }: { payment: ShownPayment; section: PartSection }) {
  const { pages, view, say } = section
  const { formats } = pages
  const { locale } = view
  const status = publicStatusAt(payment, view.history.now)
  const date = formats.day(payment.paidAt ?? payment.createdAt, locale)
  const checked = checkedIn(view).find(({ ids }) => ids.has(payment.id))
  return (
    <li>
      <Inline class="date">{date}</Inline>
      <Inline class="sum">{formats.amountPaid(payment, locale)}</Inline>
      <Inline class="bought soft small">{whatItBought(section, payment, status)}</Inline>
      <span class="end">
        <Inline class={`badge ${TONES[status]}`}>{say(checked?.badge ?? `payment_${status}`)}</Inline>
      </span>
      {view.parts.map((part) => part.line?.(section, payment) ?? null)}
    </li>
  )
}

function whatItBought({ pages, view, say }: PartSection, payment: ShownPayment, status: PublicPaymentStatus) {
  const { periodStart, periodEnd, months, instrument, boughtBy } = payment
  const { locale } = view
  const bought = months === 1 ? planName(payment.plan.name, locale) : paidForInWords(payment, locale)
  if (periodStart === null || periodEnd === null) {
    if (payment.kind === 'top_up' && status === 'paid') return bought
    if (status !== 'pending' && status !== 'review') return say('boughtNothing')
    // A card's page and a payment without a card may be open at the same time.
    if (pages.shownMethods.length === 0) return bought
    return inParts([bought, say(shownMethodOf(pages, payment)?.by ?? 'byCard')], locale)
  }
  const day = (instant: Instant) => pages.formats.day(instant, locale)
  const period = say('boughtPeriod', { start: day(periodStart), end: day(periodEnd) })
  const paidWith = instrument === null ? [] : [instrumentName(instrument, locale)]
  const buyer = boughtBy === null ? [] : [say('boughtBy', { person: boughtBy })]
  return inParts([bought, period, ...paidWith, ...buyer], locale)
}
