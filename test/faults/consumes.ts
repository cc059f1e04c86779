// Continuous consumes during an outage, each with an operation id of its own that is sent until it is
// answered 200; and what the database says of them afterwards: every acknowledged operation is there, and is
// counted once.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import { PLATFORM_KEY } from '../support/platform.js'
import type { Audit } from './audit.js'
import { NO_ANSWER_MS, type SendOutcome, type SentRequest, send } from './webhook-client.js'

const SENDERS = 8
/** Of a sender, between two operations. */
const PACE_MS = 80
/** Each may consume 500 on the free plan, more than their share of any run. */
const USERS = Array.from({ length: 400 }, (_, n) => `consumer-${n}`)

interface ConsumesOptions {
  readonly users: readonly string[]
  readonly senders: number
  readonly send: (userId: string, path: string, request: SentRequest) => Promise<SendOutcome>
}

export class Consumes {
  readonly sent = new Set<string>()
  readonly acknowledged = new Set<string>()
  readonly outcomes = new Map<SendOutcome, number>()
  slowestMs = 0
  readonly #acknowledgedAt: number[] = []
  readonly #agent = new Agent({ keepAlive: true })
  #calls = 0
  #isRunning = true
  readonly #sendOnce: ConsumesOptions['send']
  readonly #senders: Promise<void>[]

  /** Calls go to the instances of the service in turns, a retry to the next one. */
  constructor(
    private readonly urls: readonly string[],
    { users = USERS, senders = SENDERS, send: sendOnce }: Partial<ConsumesOptions> = {},
  ) {
    this.#sendOnce = sendOnce ?? ((_, path, request) => this.#sendInTurns(path, request))
    this.#senders = Array.from({ length: senders }, () => this.#send(users))
  }

  /** The longest time between two acknowledged operations since the given instant. */
  longestGapMs(since: number): number {
    const instants = [since, ...this.#acknowledgedAt.filter((instant) => instant > since)]
    return Math.max(...instants.map((instant, index) => instant - (instants[index - 1] ?? instant)))
  }

  /** Answers other than 200 and 503. */
  get unexpected(): string[] {
    const odd = [...this.outcomes].filter(([outcome]) => outcome !== 200 && outcome !== 503)
    return odd.map(([outcome, times]) => `${times} × consume ${outcome}`)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#senders)
    this.#agent.destroy()
  }

  async #send(users: readonly string[]): Promise<void> {
    while (this.#isRunning) {
      const user = users[this.sent.size % users.length] ?? ''
      const operation = `${user}-${this.sent.size}`
      const request = consume(operation)
      this.sent.add(operation)
      while (this.#isRunning && (await this.#call(user, request)) !== 200) await elapse(PACE_MS)
      if (this.#isRunning) this.acknowledged.add(operation)
      await elapse(PACE_MS)
    }
  }

  async #call(user: string, request: SentRequest): Promise<SendOutcome> {
    const before = performance.now()
    const outcome = await this.#sendOnce(user, consumePath(user), request)
    const now = performance.now()
    this.slowestMs = Math.max(this.slowestMs, now - before)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 200) this.#acknowledgedAt.push(now)
    return outcome
  }

  #sendInTurns(path: string, request: SentRequest): Promise<SendOutcome> {
    const url = this.urls[this.#calls++ % this.urls.length]
    return send(this.#agent, `${url}${path}`, request, NO_ANSWER_MS)
  }
}

export const consumePath = (user: string) => `/api/v1/platform/users/${user}/limits/storage_mb/consume`

export function consume(operation: string): SentRequest {
  const headers = { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify({ operation_id: operation }) }
}

const readOperations = statement(
  'faults.operations',
  'select operation_id, (select sum(used) from usage) as used from usage_operations',
)

/** Of the databases of one shop together; judges `lost` by what was acknowledged before the call. */
export async function auditConsumes(
  databases: readonly Queryable[],
  { sent, acknowledged }: Pick<Consumes, 'sent' | 'acknowledged'>,
): Promise<Audit> {
  const promised = [...acknowledged]
  const found = await Promise.all(databases.map((database) => database.query(readOperations)))
  const rows = found.flat()
  const used = found.reduce((sum, [row]) => sum + Number(row?.used ?? 0), 0)
  const stored = new Set(rows.map((row) => String(row.operation_id)))
  const unsent = [...stored].filter((operation) => !sent.has(operation)).length
  return {
    booked: stored.size,
    lost: promised.filter((operation) => !stored.has(operation)).length,
    doubled: Math.max(rows.length, used) - stored.size,
    faults: unsent > 0 ? [`${unsent} operations were never sent`] : [],
  }
}
