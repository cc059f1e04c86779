// The history: what was paid when, what each payment bought, and its receipt.
import { type Payment, publicStatusAt } from '../core/payment.js'
import type { Section } from './section.js'
import { PAYMENT_WORDS } from './words.js'

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
            <a
              class="button"
              href={`${pages.base}/portal?cursor=${encodeURIComponent(nextCursor)}#history`}
              safe
            >
              {say('olderPayments')}
            </a>
          )}
          {view.isOlder ? (
            <a class="button" href={`${pages.base}/portal#history`} safe>
              {say('newestPayments')}
            </a>
          ) : null}
        </p>
      )}
    </section>
  )
}

function Line({ pages, view, say, payment }: Section & { readonly payment: Payment }) {
  const { formats } = pages
  const { locale } = view
  const { key, tone } = PAYMENT_WORDS[publicStatusAt(payment, view.history.now)]
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
        <span class={`badge ${tone === 'good' ? '' : tone}`} safe>
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
