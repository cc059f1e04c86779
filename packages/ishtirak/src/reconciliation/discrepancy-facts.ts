// A discrepancy in words: what only one side has, or has otherwise, and what is known of it here.
import { plainName } from '../core/name.js'
import { type Labels, paymentInWords } from '../ledger/labels.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import type { findDiscrepancy } from './discrepancies.sql.js'

export type FoundDiscrepancy = NonNullable<Awaited<ReturnType<typeof findDiscrepancy>>> & {
  readonly labels: Labels
}

const KINDS = ['paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid'] as const

export function discrepancyInWords({ say }: Pick<View, 'say'>, kind: string): string {
  const found = KINDS.find((one) => one === kind)
  return found ? say(`discrepancy_${found}`) : kind
}

/** A payment that only the provider knows is a text. */
export function factsOf(
  { base, formats }: ConsolePages,
  view: View,
  { discrepancy, isOurPayment, labels }: FoundDiscrepancy,
) {
  const { say, locale } = view
  const { kind, outcome, checkout_id, payment_id, user_id, details, found_at, seen_at } = discrepancy
  const { closed_at, closed_by, closed_because } = discrepancy
  const moment = (timestamp: string) => formats.moment(Date.parse(timestamp), locale)
  const linked = (page: string, id: string, text: string) => ({ href: addressOf(base, page, id), text })
  const ours = payment_id === null ? null : labels.payment(payment_id)
  const user = labels.user(user_id)
  const { amount } = Object(details)
  return [
    [say('what'), discrepancyInWords(view, kind)],
    [say('outcome'), closed_at === null ? codeInWords(view, 'outcome', outcome) : null],
    [say('checkout'), checkout_id],
    [
      say(isOurPayment ? 'payment' : 'paymentNamed'),
      ours === null ? payment_id : linked('payments', ours.id, paymentInWords(formats, ours, locale)),
    ],
    [say('user'), user_id && linked('users', user_id, plainName(user.name ?? user.email ?? user_id))],
    [say('amount'), typeof amount === 'number' ? formats.money(amount, locale) : null],
    [say('foundAt'), moment(found_at)],
    [say('seenAt'), moment(seen_at)],
    [
      say('closedAt'),
      closed_at &&
        say('closedText', { when: moment(closed_at), name: closed_by ?? '', why: closed_because ?? '' }),
    ],
  ] as const
}
