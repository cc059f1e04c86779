// The history: what was paid when, what each payment bought, and its receipt.
import { type Payment, type PublicPaymentStatus, publicStatusAt } from '../core/payment.js'
import type { MessageKey } from '../i18n/messages.js'
import { LinkButton } from './frame.js'
import type { Section } from './section.js'

export function History(section: Section) {
  const { pages, view, say } = section
  const { payments, nextCursor } = view.history
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history" safe>
        {say('historyTitle')}
      </h2>
      {payments.length === 0 ? (
        <p class="soft" safe>
          {say('noPayments')}
        </p>
      ) : (
        <ul class="payments">
          {payments.map((payment) => (
            <Line {...section} payment={payment} />
          ))}
        </ul>
      )}
      {nextCursor === null && !view.isOlder ? null : (
        <p class="actions">
          {nextCursor === null ? null : (
            <LinkButton
              href={`${pages.base}/portal?cursor=${encodeURIComponent(nextCursor)}#history`}
              label={say('olderPayments')}
            />
          )}
          {view.isOlder ? (
            <LinkButton href={`${pages.base}/portal#history`} label={say('newestPayments')} />
          ) : null}
        </p>
      )}
    </section>
  )
}

const BADGES: Readonly<
  Record<PublicPaymentStatus, { readonly key: MessageKey; readonly tone: '' | 'warn' | 'bad' | 'none' }>
> = {
  pending: { key: 'payment_pending', tone: 'warn' },
  paid: { key: 'payment_paid', tone: '' },
  failed: { key: 'payment_failed', tone: 'bad' },
  canceled: { key: 'payment_canceled', tone: 'none' },
  expired: { key: 'payment_expired', tone: 'none' },
  review: { key: 'payment_review', tone: 'warn' },
  refunded: { key: 'payment_refunded', tone: 'none' },
}

function Line({ pages, view, say, payment }: Section & { readonly payment: Payment }) {
  const { formats } = pages
  const { locale } = view
  const { key, tone } = BADGES[publicStatusAt(payment, view.history.now)]
  const hasReceipt = payment.status === 'paid' || payment.status === 'refunded'
  const date = formats.day(payment.paidAt ?? payment.createdAt, locale)
  return (
    <li>
      <span class="date" safe>
        {date}
      </span>
      <span class="sum" safe>
        {formats.money(payment.price.amount, locale)}
      </span>
      <span class="bought soft small" safe>
        {whatItBought({ pages, view, say }, payment)}
      </span>
      <span class="end">
        <span class={`badge ${tone}`} safe>
          {say(key)}
        </span>
      </span>
      {hasReceipt ? (
        <a href={`${pages.base}/portal/receipts/${payment.id}`} aria-label={say('receiptOf', { date })} safe>
          {say('receipt')}
        </a>
      ) : null}
    </li>
  )
}

function whatItBought({ pages, view, say }: Section, payment: Payment): string {
  const { periodStart, periodEnd, plan } = payment
  if (periodStart === null || periodEnd === null) {
    const isOpen = publicStatusAt(payment, view.history.now) === 'pending' || payment.status === 'review'
    return isOpen ? plan.name : say('boughtNothing')
  }
  const { formats } = pages
  const start = formats.day(periodStart, view.locale)
  return `${plan.name} · ${say('boughtPeriod', { start, end: formats.day(periodEnd, view.locale) })}`
}
