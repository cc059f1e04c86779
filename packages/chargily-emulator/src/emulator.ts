// An emulator of Chargily Pay V2 over real HTTP: the API, the payment page, the signed events, and under /_sandbox
// a clock and faults. Written from the provider's documents alone; it imports nothing of the service it is used to
// test, so that the two are independent readings of one contract. It is no mock: nothing answers but over a socket.
import type { FastifyInstance } from 'fastify'
import { checkoutUrl } from './api-json.js'
import { ApiKeys } from './api-keys.js'
import { CheckoutService } from './checkout-service.js'
import { type EmulatorClock, type RandomBytes, SandboxClock, systemRandom } from './clock.js'
import type { Dialect, EmulatorContext } from './context.js'
import { EmulatorError } from './errors.js'
import { FaultSwitches, type Faults } from './faults.js'
import type { CheckoutRecord, DeliveryRecord, Outcome, PaymentMethod } from './records.js'
import { returnUrl } from './return-url.js'
import { Scheduler } from './scheduler.js'
import { buildServer } from './server.js'
import { Store } from './store.js'
import { WebhookSender } from './webhook-sender.js'

export type { EmulatorClock, RandomBytes } from './clock.js'
export type { Dialect } from './context.js'
export { EmulatorError } from './errors.js'
export type { FaultName, FaultSettings, Faults } from './faults.js'
export type { CheckoutStatus, EventType, Outcome, PaymentMethod } from './records.js'

export interface EmulatorOptions {
  /** Accepted API keys; the first of a mode signs its events. `test_sk_…` opens /test/api/v2, `live_sk_…` /api/v2. */
  readonly secretKeys: readonly string[]
  /** Default: system time plus what `/_sandbox/clock` has added. */
  readonly clock?: EmulatorClock
  /** Default: the system's random numbers. */
  readonly random?: RandomBytes
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Base of `checkout_url` and of the addresses in lists; default: the address it listens on. */
  readonly publicUrl?: string
  /** Where the events of checkouts go that name no `webhook_endpoint` of their own. */
  readonly webhookEndpoint?: string
  /** How events look; default `wire-2026`, as captured. */
  readonly dialect?: Dialect
  /** With it, everything survives a kill: each promise is on the disk before it is given. One emulator a file. */
  readonly stateFile?: string
  /** The merchant on the payment page. */
  readonly account?: { readonly name?: string }
  /** How long the merchant may take to answer an event; default 3000. */
  readonly webhookTimeoutMs?: number
  readonly log?: (line: Record<string, unknown>) => void
}

export type EmulatedCheckout = CheckoutRecord
export type Delivery = DeliveryRecord

export interface Paid {
  readonly checkout: EmulatedCheckout
  /** Where the payer's browser is sent. */
  readonly redirectUrl: string
}

/** Direct handles beside HTTP, with the same effects. */
export interface Emulator {
  readonly url: string
  /** Throws `EmulatorError` when there is no such checkout or it can no longer be paid. */
  pay(checkoutId: string, outcome: Outcome, method?: PaymentMethod): Promise<Paid>
  /** Oldest first. */
  checkouts(): readonly EmulatedCheckout[]
  /** Sets what is named and leaves the rest; throws `EmulatorError` for unknown names and values. */
  setFaults(faults: Partial<Faults>): void
  clearFaults(): void
  faults(): Faults
  /** Oldest first; of those that are finished, the last 10,000. */
  deliveries(): readonly Delivery[]
  /** One more try with the same bytes; resolves when it was made. */
  resend(deliveryId: string): Promise<Delivery>
  /** Moves the clock; resolves when everything that became due on the way has happened, in its order. */
  advance(seconds: number): Promise<void>
  /** Resolves when no delivery is under way or due now. */
  settled(): Promise<void>
  /** Forgets every record, delivery and fault, and what `advance` added to a clock of the emulator's own. */
  reset(): Promise<void>
  close(): Promise<void>
}

export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  let address: string | null = null
  const desk = openContext(options, () => address ?? server.listeningOrigin)
  const sender = new WebhookSender(desk, options.webhookTimeoutMs ?? 3000)
  const checkoutService = new CheckoutService(desk, sender)
  const scheduler = new Scheduler(desk, checkoutService, sender)
  const server = buildServer({ desk, checkoutService, advance: (seconds) => scheduler.advance(seconds) })
  address = await listen(server, options, desk)
  scheduler.begin()
  desk.log({ message: 'emulator listening', url: address })
  return handles({ url: address, desk, checkoutService, sender, scheduler, server })
}

/** An address that is taken must not leave the state file open. */
async function listen(
  server: FastifyInstance,
  { host, port }: EmulatorOptions,
  desk: EmulatorContext,
): Promise<string> {
  try {
    return await server.listen({ host: host ?? '127.0.0.1', port: port ?? 0 })
  } catch (cause) {
    desk.store.close()
    throw new EmulatorError(`cannot listen: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

function openContext(options: EmulatorOptions, address: () => string): EmulatorContext {
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

interface Parts {
  readonly url: string
  readonly desk: EmulatorContext
  readonly checkoutService: CheckoutService
  readonly sender: WebhookSender
  readonly scheduler: Scheduler
  readonly server: FastifyInstance
}

function handles({ url, desk, checkoutService, sender, scheduler, server }: Parts): Emulator {
  return {
    url,
    async pay(checkoutId, outcome, method = 'edahabia') {
      checkoutService.endDue()
      const checkout = desk.store.checkouts.findAnywhere(checkoutId)
      if (!checkout) throw new EmulatorError(`there is no checkout ${checkoutId}`)
      const result = checkoutService.pay(checkout, outcome, method)
      if (!result.ok) throw new EmulatorError(`the checkout ${checkoutId} is ${result.status}`)
      await sender.sendFirst(result.sendBeforeRedirect)
      const redirectUrl = returnUrl(result.checkout, outcome) ?? checkoutUrl(desk, checkout)
      return { checkout: result.checkout, redirectUrl }
    },
    checkouts: () => [...desk.store.checkouts.all()],
    setFaults: (faults) => desk.faults.set(faults),
    clearFaults: () => desk.faults.clear(),
    faults: () => desk.faults.current(),
    deliveries: () => [...desk.store.deliveries.all()],
    resend: (deliveryId) => sender.resend(deliveryId),
    advance: (seconds) => scheduler.advance(seconds),
    settled: () => scheduler.settled(),
    async reset() {
      desk.faults.clear()
      // Nothing is due any more, so a call of `advance` that is under way ends at once.
      checkoutService.clear()
      await sender.clear()
      await scheduler.idle()
      desk.store.clear()
      desk.clock.restoreOffset(0)
    },
    async close() {
      scheduler.end()
      await sender.close()
      await server.close()
      desk.store.close()
    },
  }
}
