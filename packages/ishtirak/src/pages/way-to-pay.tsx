// A way to pay beside the card, as the pages know it, and the buttons that choose among the ways.
import type { Locale } from '../core/locale.js'
import type { ShownPayment } from '../core/payment.js'
import type { MessageKey, Say } from '../i18n/messages.js'

export interface WayToPay {
  /** The name of its method. */
  readonly method: string
  /** On its button. */
  readonly label: MessageKey
  /** Where that button sends the form of the purchase. */
  readonly path: string
  /** In the list of payments: `by transfer`. */
  readonly by: MessageKey
  /** What is said where another payment came first, and one by this way is open still. */
  readonly also: MessageKey
  readonly reference: { readonly label: MessageKey; readonly inWords: (checkoutId: string) => string }
  /** How what can be bought is paid, this way included. */
  readonly how: (say: Say, locale: Locale) => string
}

interface Ways {
  readonly ways: readonly WayToPay[]
}

/** Undefined: it was paid by card, or is to be. */
export function wayToPayOf({ ways }: Ways, { method }: Pick<ShownPayment, 'method'>): WayToPay | undefined {
  return ways.find((way) => way.method === method)
}

/** Its name for a screen reader says what it buys, after its word. `to`: where it sends the form instead. */
export function PayButton(of: {
  readonly say: Say
  readonly months: number
  readonly what: string
  readonly label: string
  readonly go?: boolean
  readonly to?: string
}) {
  const { say, months, what, label, go, to } = of
  return (
    <button
      type="submit"
      class={go ? 'go' : undefined}
      formaction={to}
      name="months"
      value={String(months)}
      aria-label={say('labelled', { label, value: what })}
      safe
    >
      {label}
    </button>
  )
}

/** Beside the button for a card: the same purchase, sent elsewhere. `open`: by what one is waited for. */
export function OtherWays(of: {
  readonly pages: Ways & { readonly base: string }
  readonly say: Say
  readonly months: number
  readonly what: string
  readonly open?: readonly string[]
}) {
  const { pages, say, months, what, open = [] } = of
  return (
    <>
      {pages.ways.map(({ method, label, path }) =>
        open.includes(method) ? null : (
          <PayButton {...{ say, months, what }} to={`${pages.base}${path}`} label={say(label)} />
        ),
      )}
    </>
  )
}
