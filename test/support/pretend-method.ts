// A gateway such as SATIM's: no list, no events, one order a payment. It undoes what was not looked at.
import type { CheckoutReport, CheckoutStatus } from '../../packages/ishtirak/src/core/checkout.js'
import { HOUR, type Instant, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import type { PaymentMethod } from '../../packages/ishtirak/src/ledger/method.js'
import type { Clock } from '../../packages/ishtirak/src/runtime/clock.js'

const LIFETIME_MS = 15 * MINUTE
const ACKNOWLEDGE_WITHIN_MS = 20 * MINUTE

export type PretendMethod = ReturnType<typeof createPretendMethod>

export function createPretendMethod(clock: Clock) {
  const orders = new Map<string, CheckoutReport & { acknowledged: boolean; moneyAt: Instant | null }>()
  let looks = 0
  let nextId: string | null = null

  const statusOf = ({ moneyAt, acknowledged, createdAt }: Order, now: Instant): CheckoutStatus => {
    if (moneyAt === null) return now < (createdAt ?? 0) + LIFETIME_MS ? 'pending' : 'expired'
    return acknowledged || now < moneyAt + ACKNOWLEDGE_WITHIN_MS ? 'paid' : 'canceled'
  }
  const look = (id: string): CheckoutReport | null => {
    const order = orders.get(id)
    if (!order) return null
    looks += 1
    const status = statusOf(order, clock.now())
    order.acknowledged ||= status === 'paid'
    const { acknowledged, moneyAt, ...report } = order
    return { ...report, status, updatedAt: moneyAt ?? report.createdAt }
  }
  type Order = NonNullable<ReturnType<typeof orders.get>>

  const method: PaymentMethod = {
    ...{ name: 'pretend', live: false, leastAmount: 50, checkoutLifetimeMs: LIFETIME_MS, list: null },
    lookupsAfterMs: [2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 18 * MINUTE, 6 * HOUR],
    ...{ instruments: ['cib_edahabia'], begunBy: 'user' },
    ...{ bearsStampDuty: false, settledBy: 'provider', accounts: [], webhook: null },
    createCheckout: async ({ paymentId, userId, kind, planId, months, price }) => {
      const made = [...orders.values()].find((order) => order.paymentId === paymentId)
      const id = made?.checkoutId ?? nextId ?? `order-${orders.size + 1}`
      nextId = null
      const of = { paymentId, userId, kind, ...(planId !== null && months !== null && { planId, months }) }
      const fresh: Order = {
        ...{ method: 'pretend', checkoutId: id, status: 'pending', ...price, live: false, ...of },
        // No field of the gateway names the card.
        ...{ instrument: null, checkoutUrl: `https://gateway.example/${id}`, createdAt: clock.now() },
        ...{ updatedAt: clock.now(), acknowledged: false, moneyAt: null },
      }
      if (!made) orders.set(id, fresh)
      return { ok: true, value: made ?? fresh }
    },
    getCheckout: async (id) => ({ ok: true, value: look(id) }),
    // There is no such call: what the order is instead.
    expireCheckout: async (id) => ({ ok: true, value: look(id) }),
    checkKey: async () => ({ ok: true, value: true }),
  }
  return {
    method,
    orders: () => [...orders.keys()],
    looks: () => looks,
    pay: (id: string) => {
      const order = orders.get(id)
      if (!order) throw new Error(`there is no order ${id}`)
      order.moneyAt = clock.now()
    },
    nextOrderId: (id: string) => {
      nextId = id
    },
    forget: (id: string) => void orders.delete(id),
  }
}
