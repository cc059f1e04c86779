// The interface of payment methods, and the methods of this deployment by name. Failures of the provider are
// data, not exceptions: the caller decides what follows.
import type { CheckoutOrder, CheckoutReport, MethodTraits } from '../core/checkout.js'
import { DAY, type Instant } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { ConsoleKey } from '../i18n/messages.js'
import type { Clock } from '../runtime/clock.js'

/** A signed message about a checkout. Its id is the only protection against replay. */
export interface ProviderEvent {
  readonly id: string
  /** The provider's word, such as `checkout.paid`. Unknown ones are stored and acknowledged. */
  readonly type: string
  /** Null: the event is not about a checkout that we can read. */
  readonly report: CheckoutReport | null
  readonly createdAt: Instant | null
}

export type ProviderFailure =
  /**
   * Unreachable, too slow, or failing. With `outcomeUnknown` the provider may have carried out the request
   * (for a read it means nothing). `detail` is safe to log and to store.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason:
        | 'timeout'
        | 'network'
        | 'server_error'
        | 'rate_limited'
        | 'unreadable'
        /** The method is not configured, or not any more. */
        | 'not_configured'
      readonly outcomeUnknown: boolean
      readonly retryAfterSeconds: number | null
      readonly detail: string
    }
  /** It understood and refused: our request, key or account is wrong. Another attempt gives the same. */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly detail: string
    }

export type ProviderAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: ProviderFailure }

export interface CheckoutPage {
  readonly checkouts: readonly CheckoutReport[]
  readonly nextPage: number | null
}

/** The provider's list of all its checkouts. */
export interface CheckoutList {
  /** One page in the provider's order. Pages count from 1. `nextPage` may lead to an empty page. */
  page(page: number): Promise<ProviderAnswer<CheckoutPage>>
  /**
   * The checkouts with our payment id. `since` only ends the search through the list, with a
   * margin for two clocks. An empty answer is certain: if the list does not reach back that far, it is a
   * failure.
   */
  find(paymentId: string, since: Instant): Promise<ProviderAnswer<readonly CheckoutReport[]>>
}

/** Why a signed body is not an event: it is not JSON, or has no readable checkout. */
export type NoEvent = 'malformed_json' | 'event_without_checkout'

/** Signed messages that the provider sends. */
export interface Webhook {
  /** The path below the public address. Each gateway has another. */
  readonly path: string
  /** The header of the body's signature, in lower case. */
  readonly signatureHeader: string
  /** True if the provider is outside of this network and cannot reach an address of this machine. */
  readonly needsPublicAddress: boolean
  readonly operation: {
    readonly operationId: string
    readonly description: string
    readonly 'x-body': object
  }
  /** Right for exactly these bytes, under any accepted key. Constant time; never throws. */
  verifySignature(body: Uint8Array, signature: string | undefined): boolean
  /** Reads a verified body. Never throws. */
  readEvent(body: Uint8Array): ProviderEvent | NoEvent
}

/** What every payment method must do. Each of its reports has its name. */
export interface PaymentMethod extends MethodTraits {
  /** The operators' word for the method's own id of a payment; absent: "checkout". */
  readonly checkoutName?: ConsoleKey
  /** Null: there is no list. Then `createCheckout` must return the same checkout for the same payment id. */
  readonly list: CheckoutList | null
  /** Null: the provider sends no events, and only lookups settle payments. */
  readonly webhook: Webhook | null
  /** The caller compares the report with the order. After an unknown outcome it calls `list.find` first. */
  createCheckout(order: CheckoutOrder): Promise<ProviderAnswer<CheckoutReport>>
  /** Null: the provider does not know the id. */
  getCheckout(checkoutId: string): Promise<ProviderAnswer<CheckoutReport | null>>
  /** Ends a pending checkout, so that it cannot be paid. Returns it as it is, ended or not. */
  expireCheckout(checkoutId: string): Promise<ProviderAnswer<CheckoutReport | null>>
  /** The cheapest call that proves the key, for `doctor`. */
  checkKey(): Promise<ProviderAnswer<true>>
}

/** Whether all later pages are older too. This is known only while the list is sorted from new to old. */
export function isAllBefore(checkouts: readonly CheckoutReport[], instant: Instant): boolean {
  let previous = Number.POSITIVE_INFINITY
  for (const { createdAt } of checkouts) {
    if (createdAt === null || createdAt >= instant || createdAt > previous) return false
    previous = createdAt
  }
  return checkouts.length > 0
}

export interface PaymentMethods {
  readonly all: readonly PaymentMethod[]
  /** The methods with a page for cards. A click leads to the page of the first. */
  readonly gateways: readonly [PaymentMethod, ...PaymentMethod[]]
  /** Whether real money moves. It is the same for all methods. */
  readonly live: boolean
  /** Finds a method by the name in a payment. If it is no longer configured, each call returns a failure. */
  of(name: string): PaymentMethod
}

/** Throws if the methods cannot be combined, or if a schedule of lookups is not what the sweep needs. */
export function createPaymentMethods(...all: readonly PaymentMethod[]): PaymentMethods {
  const byName = new Map(all.map((method) => [method.name, method]))
  if (byName.size < all.length) throw new Error('two payment methods have one name')
  const paths = all.flatMap(({ webhook }) => webhook?.path ?? [])
  if (new Set(paths).size < paths.length) throw new Error('two payment methods have one webhook address')
  for (const method of all) checkLookups(method)
  const [first, ...others] = all.filter(({ settledBy }) => settledBy === 'provider')
  if (!first) throw new Error('no payment method has a page that a click could lead to')
  const live = all.some((method) => method.live)
  // Test cards are public: beside live money they would buy what others pay for.
  if (!all.every((method) => method.live === live))
    throw new Error('some payment methods move real money and others do not')
  return {
    all,
    gateways: [first, ...others],
    live,
    of: (name) => byName.get(name) ?? notConfigured(name, live),
  }
}

/** What methods without a provider have in common. */
const WITHOUT_PROVIDER = {
  accounts: [],
  leastAmount: 0,
  checkoutLifetimeMs: 0,
  lookupsAfterMs: [DAY],
  list: null,
  webhook: null,
} as const

/**
 * A method whose payments are already paid when they are written. Our row is the only record, so there is
 * nothing to open, ask about or end. `why` says that no checkout can be opened.
 */
export function paidWhenWritten(
  traits: Pick<PaymentMethod, 'name' | 'live' | 'bearsStampDuty'>,
  why: string,
): PaymentMethod {
  const failure = { kind: 'rejected', status: 422, detail: why } as const
  return {
    ...WITHOUT_PROVIDER,
    ...traits,
    begunBy: 'operator',
    settledBy: 'operator',
    instruments: [traits.name],
    createCheckout: async () => ({ ok: false, failure }),
    getCheckout: async () => ({ ok: true, value: null }),
    expireCheckout: async () => ({ ok: true, value: null }),
    checkKey: async () => ({ ok: true, value: true }),
  }
}

export function webhookUrlOf({ webhook }: PaymentMethod, publicUrl: string): string | null {
  return webhook && `${publicUrl}${webhook.path}`
}

function checkLookups({ name, lookupsAfterMs }: MethodTraits): void {
  const steps = lookupsAfterMs.map((wait, index) => wait - (lookupsAfterMs[index - 1] ?? 0))
  if (!steps.every((step) => step > 0 && step <= DAY) || steps.length === 0)
    throw new Error(`lookupsAfterMs of ${name} must rise, by a day at most`)
}

function notConfigured(name: string, live: boolean): PaymentMethod {
  const failure = {
    kind: 'unavailable',
    reason: 'not_configured',
    outcomeUnknown: false,
    retryAfterSeconds: null,
    detail: `no payment method ${name} is configured`,
  } as const
  const fail = async (): Promise<ProviderAnswer<never>> => ({ ok: false, failure })
  return {
    ...WITHOUT_PROVIDER,
    ...{ name, live, begunBy: 'user', settledBy: 'provider', instruments: [], bearsStampDuty: false },
    ...{ createCheckout: fail, getCheckout: fail, expireCheckout: fail, checkKey: fail },
  }
}

interface MethodWorld {
  readonly database: Queryable
  readonly clock: Clock
  readonly live: boolean
}

/** A capability may add payment methods besides the gateways, depending on the configuration. */
export interface BringsMethods<Config> {
  readonly name: string
  readonly methods?: (config: Config, world: MethodWorld) => readonly PaymentMethod[]
}
