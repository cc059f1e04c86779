// The payment methods of this deployment, by name. A payment is looked at, ended and compared by the method it names.
import type { MethodTraits } from '../core/checkout.js'
import { DAY } from '../core/instant.js'
import type { PaymentMethod, ProviderAnswer } from './method.js'

export interface PaymentMethods {
  readonly all: readonly PaymentMethod[]
  /** What `/upgrade` buys with: the first. */
  readonly primary: PaymentMethod
  /** By the name that a payment holds. One that is not configured any more answers every call with a failure. */
  of(name: string): PaymentMethod
}

/** Throws where two have one name, or the schedule of looks of one is not what the sweep needs. */
export function createPaymentMethods(
  primary: PaymentMethod,
  ...others: readonly PaymentMethod[]
): PaymentMethods {
  const all = [primary, ...others]
  const byName = new Map(all.map((method) => [method.name, method]))
  if (byName.size < all.length) throw new Error('two payment methods have one name')
  for (const method of all) checkLooks(method)
  return { all, primary, of: (name) => byName.get(name) ?? notConfigured(name) }
}

function checkLooks({ name, looksAfterMs, acknowledgeWithinMs }: MethodTraits): void {
  const isRising = looksAfterMs.every((wait, index) => wait > (looksAfterMs[index - 1] ?? 0) && wait <= DAY)
  if (!isRising || looksAfterMs.length === 0) {
    throw new Error(`the looks of ${name} must rise, and end within a day`)
  }
  const lastInTime = looksAfterMs.filter((wait) => wait < (acknowledgeWithinMs ?? 0))
  if (acknowledgeWithinMs !== null && lastInTime.length === 0) {
    throw new Error(`${name} must be acknowledged within ${acknowledgeWithinMs} ms, and no look is as early`)
  }
}

function notConfigured(name: string): PaymentMethod {
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
    live: false,
    checkoutLifetimeMs: 0,
    looksAfterMs: [DAY],
    acknowledgeWithinMs: null,
    instruments: [],
    list: null,
    webhook: null,
    createCheckout: fail,
    getCheckout: fail,
    expireCheckout: fail,
    checkKey: fail,
  }
}
