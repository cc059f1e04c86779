// The port to a payment method, and the methods of this deployment by name. Failures of the provider are
// data, not exceptions: the caller decides what follows.
import type { CheckoutOrder, CheckoutReport, MethodTraits } from '../core/checkout.js'
import { DAY, type Instant } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { ConsoleKey } from '../i18n/console.js'
import type { Clock } from '../runtime/clock.js'

/** A signed message: something happened to a checkout. Its id is the only defence against replay. */
export interface ProviderEvent {
  readonly id: string
  /** The provider's word, `checkout.paid`; unknown ones are stored and acknowledged. */
  readonly type: string
  /** Null where the event is not about a checkout that we can read. */
  readonly report: CheckoutReport | null
  readonly createdAt: Instant | null
}

export type ProviderFailure =
  /**
   * Out of reach, too slow, or in trouble. With `outcomeUnknown` the request may have been carried out all
   * the same (of a read it means nothing). `detail` is safe to log and to store.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason:
        | 'timeout'
        | 'network'
        | 'server_error'
        | 'rate_limited'
        | 'unreadable'
        /** No such method is configured (any more). */
        | 'not_configured'
      readonly outcomeUnknown: boolean
      readonly retryAfterSeconds: number | null
      readonly detail: string
    }
  /** It understood and refused: our request, our key or our account is wrong. Another try gives the same. */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly detail: string
      /** Field -> sentences, as the provider gave them. */
      readonly errors: Readonly<Record<string, readonly string[]>>
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
  /** One page in the provider's order; pages count from 1. `nextPage` may promise an empty page. */
  page(page: number): Promise<ProviderAnswer<CheckoutPage>>
  /**
   * The checkouts that carry our payment id, newest first. `since` only ends the walk through the list, with
   * a margin for two clocks. None means none: where the list could not be seen that far back, the answer is a
   * failure.
   */
  find(paymentId: string, since: Instant): Promise<ProviderAnswer<readonly CheckoutReport[]>>
}

/** Why a signed body is no event: it is not JSON, or not what the provider sends of a checkout. */
export type NoEvent = 'malformed_json' | 'event_without_checkout'

/** Signed messages that the provider sends. */
export interface Webhook {
  /** Where, below the public address. No two gateways have one. */
  readonly path: string
  /** The header that the signature of the body comes in, in lower case. */
  readonly signatureHeader: string
  /** Its sender is not on this network: an address of this machine is out of its reach. */
  readonly isFromAfar: boolean
  /** How the OpenAPI document names and describes it. */
  /** Members of its route's schema. */
  readonly operation: {
    readonly operationId: string
    readonly description: string
    readonly 'x-body': object
  }
  /**
   * Whether `signature` is right for these very bytes, under any accepted key. Constant time; never throws.
   */
  verifySignature(body: Uint8Array, signature: string | undefined): boolean
  /** Reads a verified body. Never throws. */
  readEvent(body: Uint8Array): ProviderEvent | NoEvent
}

/** A way to pay: what every gateway must promise. Every report that it gives carries its name. */
export interface PaymentMethod extends MethodTraits {
  /** What operators call its own id of a payment; absent: a checkout. */
  readonly checkoutName?: ConsoleKey
  /** Null: nothing can be listed. Then `createCheckout` gives one checkout for one payment id. */
  readonly list: CheckoutList | null
  /** Null: the provider pushes nothing, and payments are settled by looks alone. */
  readonly webhook: Webhook | null
  /** The caller compares it with the order. With a list, `list.find` comes first after an unknown outcome. */
  createCheckout(order: CheckoutOrder): Promise<ProviderAnswer<CheckoutReport>>
  /** Null when the provider does not know the id. */
  getCheckout(checkoutId: string): Promise<ProviderAnswer<CheckoutReport | null>>
  /** Ends a pending checkout: it cannot be paid any more. Where it cannot be ended, what it is instead. */
  expireCheckout(checkoutId: string): Promise<ProviderAnswer<CheckoutReport | null>>
  /** The cheapest call that proves the key: for `doctor`. */
  checkKey(): Promise<ProviderAnswer<true>>
}

/**
 * Whether everything that follows this page is older still: known only while the list runs from new to old.
 */
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
  /** Those with a page that takes cards; at least one. A click leads to the page of the first. */
  readonly gateways: readonly PaymentMethod[]
  /** Whether real money moves, by every method. */
  readonly live: boolean
  /**
   * By the name that a payment holds. One that is not configured any more answers every call with a failure.
   */
  of(name: string): PaymentMethod
}

/** Throws where they do not go together, or the schedule of looks of one is not what the sweep needs. */
export function createPaymentMethods(...all: readonly PaymentMethod[]): PaymentMethods {
  const byName = new Map(all.map((method) => [method.name, method]))
  if (byName.size < all.length) throw new Error('two payment methods have one name')
  const paths = all.flatMap(({ webhook }) => webhook?.path ?? [])
  if (new Set(paths).size < paths.length) throw new Error('two payment methods have one webhook address')
  for (const method of all) checkLooks(method)
  const gateways = all.filter(({ settledBy }) => settledBy === 'provider')
  if (gateways.length === 0) throw new Error('no payment method has a page that a click could lead to')
  const live = all.some((method) => method.live)
  // Test cards are public: beside live money they would buy what others pay for.
  if (!all.every((method) => method.live === live))
    throw new Error('some payment methods move real money and others do not')
  return { all, gateways, live, of: (name) => byName.get(name) ?? notConfigured(name, live) }
}

/**
 * A way to pay that is paid when it is written: our row is all that there is, so nothing is opened, looked at
 * or ended. `why`: no checkout is opened.
 */
export function paidWhenWritten(
  { name, ...traits }: Pick<PaymentMethod, 'name' | 'live' | 'bearsStampDuty'>,
  why: string,
): PaymentMethod {
  return {
    name,
    ...traits,
    begunBy: 'operator',
    settledBy: 'operator',
    accounts: [],
    instruments: [name],
    leastAmount: 0,
    checkoutLifetimeMs: 0,
    looksAfterMs: [DAY],
    list: null,
    webhook: null,
    createCheckout: async () => ({
      ok: false,
      failure: { kind: 'rejected', status: 422, detail: why, errors: {} },
    }),
    getCheckout: async () => ({ ok: true, value: null }),
    expireCheckout: async () => ({ ok: true, value: null }),
    checkKey: async () => ({ ok: true, value: true }),
  }
}

/** Where the method sends what happens to a checkout. */
export function webhookUrlOf({ webhook }: PaymentMethod, publicUrl: string): string | null {
  return webhook && `${publicUrl}${webhook.path}`
}

function checkLooks({ name, looksAfterMs }: MethodTraits): void {
  const steps = looksAfterMs.map((wait, index) => wait - (looksAfterMs[index - 1] ?? 0))
  if (!steps.every((step) => step > 0 && step <= DAY) || steps.length === 0) {
    throw new Error(`the looks of ${name} must rise, by a day at most`)
  }
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
    name,
    live,
    leastAmount: 0,
    checkoutLifetimeMs: 0,
    looksAfterMs: [DAY],
    instruments: [],
    begunBy: 'user',
    bearsStampDuty: false,
    settledBy: 'provider',
    accounts: [],
    list: null,
    webhook: null,
    createCheckout: fail,
    getCheckout: fail,
    expireCheckout: fail,
    checkKey: fail,
  }
}

/** What is known where methods are made. */
interface MethodWorld {
  readonly database: Queryable
  readonly clock: Clock
  /** Whether real money moves. */
  readonly live: boolean
}

/** Of a capability: ways to pay beside the gateways, as the service is set up. */
export interface BringsMethods<Config> {
  readonly name: string
  readonly methods?: (config: Config, world: MethodWorld) => readonly PaymentMethod[]
}
