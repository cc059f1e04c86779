// A way to pay, as the pages know it.
import type { Locale } from '../core/locale.js'
import type { ShownPayment } from '../core/payment.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { MessageKey, Say } from '../i18n/messages.js'

/** One that can be chosen. */
export interface ChosenWay {
  /** The API's name of the method, such as `card`. */
  readonly method: string
  /** Where the choice is made: `Transfer (CCP or BaridiMob)`. */
  readonly label: (say: Say, locale: Locale) => string
  /** Where the form of the purchase is sent. */
  readonly path: string
  /** The text of its button. */
  readonly button: MessageKey
  /** The text after the button. */
  readonly next: MessageKey
  /** From when on counts what begins at once; absent: from now on. */
  readonly startsFrom?: MessageKey
  /** Absent: it pays any sum. */
  readonly purse?: Purse
}

/** What a way pays from, where that can be too little. */
interface Purse {
  /** Whole dinars. */
  readonly amountIn: (facts: SubscriptionFacts) => number
  /** What is said of the sum that is `missing`. */
  readonly missing: MessageKey
  /** The link to where money is added. */
  readonly add: { readonly label: MessageKey; readonly path: string }
}

/** A field of the page of an order. */
export type OrderField = (of: { readonly say: Say }) => JSX.Element

/** The card is no such way: it needs no part of its own. */
export interface WayToPay extends ChosenWay {
  /** The text in the list of payments: `by transfer`. */
  readonly by: MessageKey
  /** What is said where another payment came first, and one by this way is open still. */
  readonly also: MessageKey
  readonly reference: { readonly label: MessageKey; readonly inWords: (checkoutId: string) => string }
}

/** Undefined: it was paid by card, or is to be. */
export function wayToPayOf(
  { ways }: { readonly ways: readonly WayToPay[] },
  { method }: Pick<ShownPayment, 'method'>,
): WayToPay | undefined {
  return ways.find((way) => way.method === method)
}
