// The state of a payment in a sentence. If it is not booked, the sentence says why.
import { statusKey } from '../acts/changes.js'
import type { LoadedParts } from '../acts/file-parts.js'
import { type Payment, publicMethodOf } from '../core/payment.js'
import { isConsoleKey } from '../i18n/messages.js'
import type { AllPages } from '../overview/all-pages.js'
import type { View } from '../pages/console-frame.js'
import { reviewInWords } from '../pages/console-words.js'

interface PaymentWithParts {
  readonly payment: Payment
  readonly parts: LoadedParts
}

export function stateInWords(pages: AllPages, view: View, { payment, parts }: PaymentWithParts): string {
  const { say } = view
  const { status } = payment
  if (status === 'paid' || status === 'refunded')
    return say('notBookedYet', { status: say(statusKey(status)) })
  const what = reviewInWords(pages, view, payment)
  if (what !== null) return say('wentToReview', { what })
  const reasons = pages.fileParts.payment.map((part) => part.whyNotBooked?.(view, parts[part.key]) ?? null)
  return reasons.find((words) => words !== null) ?? unpaidInWords(pages, view, payment)
}

function unpaidInWords({ formats }: AllPages, { say, locale }: View, payment: Payment): string {
  const { status, method, createdAt, expiresAt } = payment
  const kind = publicMethodOf(method) === 'card' ? 'card' : 'other'
  const days = { at: formats.moment(createdAt, locale), until: formats.moment(expiresAt, locale) }
  const key = `unpaid_${status}`
  return say(isConsoleKey(key) ? key : `unpaid_pending_${kind}`, days)
}
