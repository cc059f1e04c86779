// The status of a payment on a page of the console.
import { statusKey } from '../acts/changes.js'
import type { Payment } from '../core/payment.js'
import type { View } from '../pages/console-frame.js'

const BADGES: Readonly<Record<string, string>> = {
  paid: '',
  review: 'warn',
  pending: 'none',
  requested: 'none',
}

export function StatusBadge({ view, payment }: { view: View; payment: Payment }) {
  const { status } = payment
  return (
    <span class={`badge ${BADGES[status] ?? 'bad'}`} safe>
      {view.say(statusKey(status))}
    </span>
  )
}
