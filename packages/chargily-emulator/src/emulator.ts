// An emulator of Chargily Pay V2 over real HTTP: the API, the payment page, the signed events, and under /_sandbox
// a clock and faults. Written from the provider's documents alone; it imports nothing of the service it is used to
// test, so that the two are independent readings of one contract. It is no mock: nothing answers but over a socket.
import type { FastifyInstance } from 'fastify'
import { checkoutUrl } from './api-json.js'
import { KeyRing } from './api-keys.js'
import { Cashier } from './checkout-service.js'
import { type Dice, type EmulatorClock, SandboxClock, systemDice } from './clock.js'
import type { Desk, Dialect } from './context.js'
import { EmulatorError } from './errors.js'
import { FaultBoard, type Faults } from './faults.js'
import type { CheckoutRecord, DeliveryRecord, Outcome, PaymentMethod } from './records.js'
import { returnUrl } from './return-url.js'
import { Rounds } from './scheduler.js'
import { buildServer } from './server.js'
import { Ledger } from './store.js'
import { Courier } from './webhook-sender.js'

export type { Dice, EmulatorClock } from './clock.js'
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
  readonly dice?: Dice
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
  close(): Promise<void>
}

export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  let address: string | null = null
  const desk = openDesk(options, () => address ?? server.listeningOrigin)
  const courier = new Courier(desk, options.webhookTimeoutMs ?? 3000)
  const cashier = new Cashier(desk, courier)
  const rounds = new Rounds(desk, cashier, courier)
  const server = buildServer({ desk, cashier, advance: (seconds) => rounds.advance(seconds) })
  address = await listen(server, options, desk)
  rounds.begin()
  desk.log({ message: 'emulator listening', url: address })
  return handles({ url: address, desk, cashier, courier, rounds, server })
}

/** An address that is taken must not leave the state file open. */
async function listen(server: FastifyInstance, { host, port }: EmulatorOptions, desk: Desk): Promise<string> {
  try {
    return await server.listen({ host: host ?? '127.0.0.1', port: port ?? 0 })
  } catch (cause) {
    desk.ledger.close()
    throw new EmulatorError(`cannot listen: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

function openDesk(options: EmulatorOptions, address: () => string): Desk {
  const keys = new KeyRing(options.secretKeys)
  const ledger = new Ledger(options.stateFile)
  const clock = new SandboxClock(options.clock)
  clock.restoreOffset(ledger.clockOffsetMs)
  return {
    clock,
    dice: options.dice ?? systemDice,
    ledger,
    faults: new FaultBoard(),
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
  readonly desk: Desk
  readonly cashier: Cashier
  readonly courier: Courier
  readonly rounds: Rounds
  readonly server: FastifyInstance
}

function handles({ url, desk, cashier, courier, rounds, server }: Parts): Emulator {
  return {
    url,
    async pay(checkoutId, outcome, method = 'edahabia') {
      cashier.endDue()
      const checkout = desk.ledger.checkouts.findAnywhere(checkoutId)
      if (!checkout) throw new EmulatorError(`there is no checkout ${checkoutId}`)
      const result = cashier.pay(checkout, outcome, method)
      if (!result.ok) throw new EmulatorError(`the checkout ${checkoutId} is ${result.status}`)
      await courier.sendFirst(result.firstSend)
      const redirectUrl = returnUrl(result.checkout, outcome) ?? checkoutUrl(desk, checkout)
      return { checkout: result.checkout, redirectUrl }
    },
    checkouts: () => [...desk.ledger.checkouts.all()],
    setFaults: (faults) => desk.faults.set(faults),
    clearFaults: () => desk.faults.clear(),
    faults: () => desk.faults.current(),
    deliveries: () => [...desk.ledger.deliveries.all()],
    resend: (deliveryId) => courier.resend(deliveryId),
    advance: (seconds) => rounds.advance(seconds),
    settled: () => rounds.settled(),
    async close() {
      rounds.end()
      await courier.close()
      await server.close()
      desk.ledger.close()
    },
  }
}
