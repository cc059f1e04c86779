// Users of all cells buy, read and consume through the router, those of each cell beside the others, and
// repeat what was not acknowledged, as the provider does with its events and a client with its requests.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { PATIENCE } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { CELL_NAMES, type CellName } from './cells.js'
import { Consumes } from './consumes.js'
import { Excuses, isAcknowledged } from './excuses.js'
import { type Ask, openSale, type Sale } from './sales.js'
import { exchange, NO_ANSWER_MS, type SentRequest, webhookOf } from './webhook-client.js'

/** Of each cell. */
const BUYERS_AT_ONCE = 4
const SENDERS = 2
const CONSUMERS = 100
/** After a purchase, and between two readings. */
const PACE_MS = 40
const RETRY_MS = 200
/** A fifth of the events is sent twice: of these every other one at the same time. */
const TWICE_EVERY = 5

interface Shop {
  readonly url: string
  readonly emulator: Emulator
  holderOf(userId: string): CellName
}

interface Selling {
  /** So many have paid and see it. */
  done: number
  readonly ended: Promise<unknown>
}

export class CellTraffic {
  readonly excuses = new Excuses()
  /** Sales whose event was sent, and those of whom one was answered 200. */
  readonly sent = new Set<Sale>()
  readonly answered = new Set<Sale>()
  #agents = [new Agent({ keepAlive: true })]
  readonly #consumes: readonly Consumes[]
  readonly #readers: readonly Promise<void>[]
  #isRunning = true
  #given = 0

  constructor(private readonly shop: Shop) {
    const consumers = CELL_NAMES.map((name) => this.newUsers(name, CONSUMERS))
    const send = async (...asked: Parameters<Ask>) => (await this.#askOnce(...asked)).outcome
    this.#consumes = consumers.map((users) => new Consumes([], { users, senders: SENDERS, send }))
    this.#readers = consumers.map((users) => this.#read(users))
  }

  /** Users whom the cell has now. */
  newUsers(cell: CellName, count: number): string[] {
    const users: string[] = []
    while (users.length < count) {
      const userId = `user-${this.#given++}`
      if (this.shop.holderOf(userId) === cell) users.push(userId)
    }
    return users
  }

  /** So many users buy, as many of each cell. */
  sell(count: number): Selling {
    const selling = { done: 0, ended: Promise.resolve<unknown>(null) }
    const buyers = CELL_NAMES.flatMap((name) => {
      const users = this.newUsers(name, Math.ceil(count / CELL_NAMES.length))
      return Array.from({ length: BUYERS_AT_ONCE }, () => this.#sellTo(users, selling))
    })
    selling.ended = Promise.all(buyers)
    return selling
  }

  async #sellTo(users: string[], selling: Selling): Promise<void> {
    for (let userId = users.shift(); userId !== undefined; userId = users.shift()) {
      await this.deliver(await this.open(userId))
      selling.done += 1
      await elapse(PACE_MS)
    }
  }

  open(userId: string): Promise<Sale> {
    return openSale({ ask: this.#ask, emulator: this.shop.emulator, userId, topsUp: false })
  }

  /** The event until it is answered 200; then the user sees what was bought. */
  async deliver(sale: Sale): Promise<void> {
    this.sent.add(sale)
    const place = this.sent.size
    const send = () => this.#ask(sale.userId, '/api/v1/billing/webhook', webhookOf(sale))
    const isTwice = place % TWICE_EVERY === 0
    const isAtOnce = place % (2 * TWICE_EVERY) === 0
    await Promise.all(isAtOnce ? [send(), send()] : [send()])
    this.answered.add(sale)
    if (isTwice && !isAtOnce) await send()
    const { plan } = JSON.parse(await this.#ask(sale.userId, STATUS, withToken(sale.token)))
    if (plan !== 'pro') throw new Error(`${sale.userId} has paid and sees ${plan}`)
  }

  /** Asks for the user until it is acknowledged. */
  readonly #ask: Ask = async (userId, path, request) => {
    const giveUpAt = performance.now() + PATIENCE.timeout
    for (;;) {
      const { outcome, text } = await this.#askOnce(userId, path, request)
      if (isAcknowledged(outcome)) return text
      if (performance.now() > giveUpAt)
        throw new Error(`${path} of ${userId} is answered ${outcome}: ${text}`)
      await elapse(RETRY_MS)
    }
  }

  /** By new connections from now on: one that was idle asks once more what the router was before. */
  reconnect(): void {
    this.#agents.unshift(new Agent({ keepAlive: true }))
  }

  async #askOnce(userId: string, path: string, request: SentRequest) {
    const began = performance.now()
    const [agent = new Agent()] = this.#agents
    const answer = await exchange(agent, `${this.shop.url}${path}`, request, NO_ANSWER_MS)
    this.excuses.hear({ userId, what: path, ...answer, began })
    return answer
  }

  async #read(users: readonly string[]): Promise<void> {
    for (let n = 0; this.#isRunning; n++) {
      const userId = users[n % users.length] ?? ''
      await this.#ask(userId, STATUS, withToken(await tokenOf({ sub: userId })))
      await elapse(PACE_MS)
    }
  }

  /** Of all cells together, for `auditConsumes`. */
  get operations() {
    return {
      sent: new Set(this.#consumes.flatMap(({ sent }) => [...sent])),
      acknowledged: new Set(this.#consumes.flatMap(({ acknowledged }) => [...acknowledged])),
    }
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all([...this.#consumes.map((consumes) => consumes.stop()), ...this.#readers])
    for (const agent of this.#agents) agent.destroy()
  }
}

export const STATUS = '/api/v1/billing/status'

export function withToken(token: string): SentRequest {
  return { headers: { authorization: `Bearer ${token}` } }
}
