// A payment method as the portal shows it.
import type { Locale } from '../core/locale.js'
import type { ShownPayment } from '../core/payment.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { MessageKey, Say } from '../i18n/messages.js'

export interface OfferedMethod {
  /** The API's name of the method, such as `card`. */
  readonly method: string
  /** The words of the choice: `Transfer (CCP or BaridiMob)`. */
  readonly label: (say: Say, locale: Locale) => string
  readonly path: string
  readonly button: MessageKey
  readonly next: MessageKey
  /** When time that begins at once starts to count, in words; absent: now. */
  readonly startsFrom?: MessageKey
  /** Absent: it pays any sum. */
  readonly purse?: Purse
}

/** The user's own money that the method pays from, which can be too little. */
interface Purse {
  /** Whole dinars. */
  readonly amountIn: (facts: SubscriptionFacts) => number
  readonly missing: MessageKey
  readonly add: { readonly label: MessageKey; readonly path: string }
}

export type OrderField = (of: { readonly say: Say }) => JSX.Element

/** A method other than the card, in lists and after paying too. */
export interface ShownMethod extends OfferedMethod {
  /** The text in the list of payments: `by transfer`. */
  readonly by: MessageKey
  /** The text about an open payment by this method, after another payment was paid. */
  readonly also: MessageKey
  readonly reference: { readonly label: MessageKey; readonly inWords: (checkoutId: string) => string }
}

/** Undefined: the payment is by card. */
export function shownMethodOf(
  { shownMethods }: { readonly shownMethods: readonly ShownMethod[] },
  { method }: Pick<ShownPayment, 'method'>,
): ShownMethod | undefined {
  return shownMethods.find((shown) => shown.method === method)
}
