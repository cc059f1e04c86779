// A payment method, as far as decisions depend on it. How it is called is the port's business (payments/method.ts).

/** What differs from method to method, as data. */
export interface MethodTraits {
  /** Names the method in payments and events, for ever: `chargily`. */
  readonly name: string
  /** Which money it moves. Compared with every report. */
  readonly live: boolean
  /** How long a checkout can be paid. */
  readonly checkoutLifetimeMs: number
  /** When a payment that was not heard of is looked at, counted from the opening of its checkout; rising, at most a day. */
  readonly looksAfterMs: readonly number[]
  /** The provider undoes a payment that was not looked at (a look acknowledges it) within this time. Null: it does not. */
  readonly acknowledgeWithinMs: number | null
  /** The kinds of card or account that it takes, as `payment_method` names them on the wire. */
  readonly instruments: readonly string[]
  /** False: the operator refunds at the provider, outside of this service. */
  readonly refunds: boolean
}
