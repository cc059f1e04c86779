// An emulator of Chargily Pay V2 over real HTTP: the API, the payment page, the signed events, and under
// /_sandbox a clock and faults. Written from Chargily's documents alone, independent of any client that it is
// used to test.
import type { FastifyInstance } from 'fastify'
import { ApiKeys } from './api-keys.js'
import { CheckoutService } from './checkout-service.js'
import { type EmulatorClock, type RandomBytes, SandboxClock, systemRandom } from './clock.js'
import type { Dialect, EmulatorContext } from './context.js'
import { EmulatorError } from './errors.js'
import { FaultSwitches, type Faults } from './faults.js'
import { redirectUrl } from './payment-page-routes.js'
import type { CheckoutRecord, CustomerRecord, DeliveryRecord, Outcome, PaymentMethod } from './records.js'
import { Scheduler } from './scheduler.js'
import { buildServer } from './server.js'
import { Store } from './store.js'
import { WebhookSender } from './webhook-sender.js'

export type { EmulatorClock, RandomBytes } from './clock.js'
export type { Dialect } from './context.js'
export { EmulatorError } from './errors.js'
export type { FaultName, FaultSettings, Faults } from './faults.js'
export type { Json, JsonObject } from './php-json.js'
export type {
  CheckoutRecord,
  CheckoutStatus,
  CustomerRecord,
  DeliveryAttempt,
  DeliveryRecord,
  EventType,
  FeeAllocation,
  LineItem,
  Locale,
  Outcome,
  PaymentMethod,
  Resource,
} from './records.js'

export interface EmulatorOptions {
  /**
   * Accepted API keys; the first of a mode signs its events. `test_sk_…` opens /test/api/v2, `live_sk_…`
   * /api/v2.
   */
  readonly secretKeys: readonly string[]
  /** Default: system time plus what `/_sandbox/clock` has added. */
  readonly clock?: EmulatorClock
  /** Default: the system's random numbers. */
  readonly random?: RandomBytes
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
  /** Base of `checkout_url` and of the addresses in lists. Default: the address it listens on. */
  readonly publicUrl?: string
  /** Receives the events of checkouts that name no `webhook_endpoint`. */
  readonly webhookEndpoint?: string
  /** How events look. Default: `wire-2026`, as captured. */
  readonly dialect?: Dialect
  /** A file that keeps everything through a restart or kill. One emulator a file. Default: none. */
  readonly stateFile?: string
  /** The merchant on the payment page. */
  readonly account?: { readonly name?: string }
  /** How long the merchant may take to answer an event. Default: 3000. */
  readonly webhookTimeoutMs?: number
  readonly log?: (line: Record<string, unknown>) => void
}

/** The result of a payment. */
export interface PaidCheckout {
  readonly checkout: CheckoutRecord
  /** Where the payer's browser is sent. */
  readonly redirectUrl: string
}

/** What can be done over HTTP, as methods. */
export interface Emulator {
  readonly url: string
  /** Throws `EmulatorError` when there is no such checkout or it can no longer be paid. */
  pay(checkoutId: string, outcome: Outcome, method?: PaymentMethod): Promise<PaidCheckout>
  /** Oldest first. */
  checkouts(): readonly CheckoutRecord[]
  /** Oldest first. */
  customers(): readonly CustomerRecord[]
  /**
   * Puts records, such as those of another emulator, beside its own or in place of those with their ids.
   * Sends no event of it.
   */
  add(records: {
    readonly customers: readonly CustomerRecord[]
    readonly checkouts: readonly CheckoutRecord[]
  }): void
  /** Sets what is named and leaves the rest; throws `EmulatorError` for unknown names and values. */
  setFaults(faults: Partial<Faults>): void
  clearFaults(): void
  faults(): Faults
  /** Oldest first; of those that are finished, the last 10,000. */
  deliveries(): readonly DeliveryRecord[]
  /** One more attempt with the same bytes; resolves when it was made. */
  resend(deliveryId: string): Promise<DeliveryRecord>
  /** Moves the clock; resolves when everything that became due on the way has happened, in its order. */
  advance(seconds: number): Promise<void>
  /** Resolves when no delivery is under way or due now. */
  settled(): Promise<void>
  /** Forgets every record, delivery and fault, and what `advance` added to a clock of the emulator's own. */
  reset(): Promise<void>
  close(): Promise<void>
}

/**
 * Resolves when it listens. Throws `EmulatorError` for wrong options, a damaged state file or an address in
 * use.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  let address: string | null = null
  const context = createContext(options, () => address ?? server.listeningOrigin)
  const { store, clock, faults, log } = context
  const sender = new WebhookSender(context, options.webhookTimeoutMs ?? 3000)
  const checkoutService = new CheckoutService(context, sender)
  const scheduler = new Scheduler(context, checkoutService, sender)
  const advance = (seconds: number) => scheduler.advance(seconds)
  const server = buildServer({ ...context, checkoutService, advance })
  const url = await listen(server, options, store)
  address = url
  scheduler.start()
  log({ message: 'emulator listening', url })
  return {
    url,
    pay: (checkoutId, outcome, method = 'edahabia') =>
      pay(context, checkoutService, { checkoutId, outcome, method }),
    checkouts: () => [...store.checkouts.values()],
    customers: () => [...store.customers.values()],
    add: (records) => checkoutService.add(records),
    setFaults: (wanted) => faults.set(wanted),
    clearFaults: () => faults.clear(),
    faults: () => faults.current(),
    deliveries: () => [...store.deliveries.values()],
    resend: (deliveryId) => sender.resend(deliveryId),
    advance,
    settled: () => scheduler.settled(),
    async reset() {
      faults.clear()
      // Nothing is due any more, so a call of `advance` that is under way ends at once.
      checkoutService.clear()
      await sender.clear()
      await scheduler.idle()
      store.clear()
      clock.restoreOffset(0)
    },
    async close() {
      scheduler.stop()
      await sender.close()
      await server.close()
      store.close()
    },
  }
}

function createContext(options: EmulatorOptions, address: () => string): EmulatorContext {
  const keys = new ApiKeys(options.secretKeys)
  const store = new Store(options.stateFile)
  const clock = new SandboxClock(options.clock)
  clock.restoreOffset(store.clockOffsetMs)
  return {
    clock,
    random: options.random ?? systemRandom,
    store,
    faults: new FaultSwitches(),
    keys,
    dialect: options.dialect ?? 'wire-2026',
    merchantName: options.account?.name ?? 'Sandbox',
    webhookEndpoint: options.webhookEndpoint ?? null,
    publicUrl: () => (options.publicUrl ?? address()).replace(/\/+$/, ''),
    log: options.log ?? (() => undefined),
  }
}

/** An address in use must not leave the state file open. */
async function listen(
  server: FastifyInstance,
  { host, port }: EmulatorOptions,
  store: Store,
): Promise<string> {
  try {
    return await server.listen({ host: host ?? '127.0.0.1', port: port ?? 0 })
  } catch (cause) {
    store.close()
    throw new EmulatorError(`cannot listen: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

async function pay(
  context: EmulatorContext,
  checkoutService: CheckoutService,
  payment: { checkoutId: string; outcome: Outcome; method: PaymentMethod },
): Promise<PaidCheckout> {
  const { checkoutId, outcome, method } = payment
  checkoutService.endDue()
  const checkout = context.store.checkouts.get(checkoutId)
  if (!checkout) throw new EmulatorError(`there is no checkout ${checkoutId}`)
  const result = checkoutService.pay(checkout, outcome, method)
  if (!result.ok) throw new EmulatorError(`the checkout ${checkoutId} is ${result.status}`)
  await checkoutService.sender.sendFirst(result.sendBeforeRedirect)
  return { checkout: result.checkout, redirectUrl: redirectUrl(context, result.checkout, outcome) }
}
