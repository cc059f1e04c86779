// The payments in the portal: the newest on its first page, all of them on a page of their own, since twelve
// lines are a seventh of the work of a page.
import type { Instant } from '../core/instant.js'
import { type PublicPaymentStatus, publicStatusAt, type ShownPayment } from '../core/payment.js'
import { inParts, paidForInWords } from '../i18n/formats.js'
import { instrumentName, planName } from '../i18n/messages.js'
import { hrefIn } from '../pages/own-form.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { checkedIn, type PartSection } from '../pages/portal-kinds.js'
import { shownMethodOf } from '../pages/shown-method.js'
import { Words } from '../pages/words.js'

/** The newest payments with their documents. */
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

/** What was paid when, and what each payment bought; a year on each page. */
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
function HistoryLine({
  payment,
  section,
}: {
  readonly payment: ShownPayment
  readonly section: PartSection
}) {
  const { pages, view, say } = section
  const { formats } = pages
  const { locale } = view
  const status = publicStatusAt(payment, view.history.now)
  const date = formats.day(payment.paidAt ?? payment.createdAt, locale)
  const checked = checkedIn(view).find(({ ids }) => ids.has(payment.id))
  return (
    <li>
      <span class="date">
        <Words>{date}</Words>
      </span>
      <span class="sum" safe>
        {formats.came(payment, locale)}
      </span>
      <span class="bought soft small">
        <Words>{whatItBought(section, payment, status)}</Words>
      </span>
      <span class="end">
        <span class={`badge ${TONES[status]}`} safe>
          {say(checked?.badge ?? `payment_${status}`)}
        </span>
      </span>
      {view.parts.map((part) => part.line?.(section, payment) ?? null)}
    </li>
  )
}

function whatItBought(
  { pages, view, say }: PartSection,
  payment: ShownPayment,
  status: PublicPaymentStatus,
): string {
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
  return inParts(
    [
      ...[bought, period, ...(instrument === null ? [] : [instrumentName(instrument, locale)])],
      ...(boughtBy === null ? [] : [say('boughtBy', { person: boughtBy })]),
    ],
    locale,
  )
}
