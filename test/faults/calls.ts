// Calls that go on during an outage. Each has an operation id of its own and is sent until it is answered
// 200.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Audit } from './audit.js'
import { NO_ANSWER_MS, type SendOutcome, type SentRequest, send } from './webhook-client.js'

/** Of a sender, between two calls. */
const PACE_MS = 80

export interface CallKind {
  readonly name: string
  readonly senders: number
  /** `count`: how many calls were made before it. */
  make(operation: string, count: number): { readonly path: string; readonly request: SentRequest }
}

export class Calls {
  readonly sent = new Set<string>()
  readonly acknowledged = new Set<string>()
  readonly outcomes = new Map<SendOutcome, number>()
  slowestMs = 0
  readonly #acknowledgedAt: number[] = []
  readonly #agent = new Agent({ keepAlive: true })
  #tries = 0
  #isRunning = true
  readonly #senders: Promise<void>[]

  /** Calls go to the instances of the service in turns, a retry to the next one. */
  constructor(
    private readonly urls: readonly string[],
    private readonly kind: CallKind,
  ) {
    this.#senders = Array.from({ length: kind.senders }, () => this.#send())
  }

  /** The longest time between two acknowledged calls since the given instant. */
  longestGapMs(since: number): number {
    const instants = [since, ...this.#acknowledgedAt.filter((instant) => instant > since)]
    return Math.max(...instants.map((instant, index) => instant - (instants[index - 1] ?? instant)))
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#senders)
    this.#agent.destroy()
  }

  async #send(): Promise<void> {
    while (this.#isRunning) {
      const count = this.sent.size
      const operation = `${this.kind.name}-${count}`
      const { path, request } = this.kind.make(operation, count)
      this.sent.add(operation)
      while (this.#isRunning && (await this.#try(path, request)) !== 200) await elapse(PACE_MS)
      if (this.#isRunning) this.acknowledged.add(operation)
      await elapse(PACE_MS)
    }
  }

  async #try(path: string, request: SentRequest): Promise<SendOutcome> {
    const url = this.urls[this.#tries++ % this.urls.length]
    const before = performance.now()
    const outcome = await send(this.#agent, `${url}${path}`, request, NO_ANSWER_MS)
    const now = performance.now()
    this.slowestMs = Math.max(this.slowestMs, now - before)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 200) this.#acknowledgedAt.push(now)
    return outcome
  }
}

export type SentCalls = Pick<Calls, 'sent' | 'acknowledged'>

/**
 * Compares what was sent with the operations that the database has. `counted`: how many times the operations
 * had their effect, where each has it once.
 */
export function auditCalls(
  { sent, acknowledged }: SentCalls,
  { operations, counted }: { readonly operations: readonly string[]; readonly counted: number },
): Audit {
  const stored = new Set(operations)
  const unsent = [...stored].filter((operation) => !sent.has(operation)).length
  return {
    booked: stored.size,
    lost: [...acknowledged].filter((operation) => !stored.has(operation)).length,
    doubled: Math.max(operations.length, counted) - stored.size,
    faults: unsent > 0 ? [`${unsent} operations were never sent`] : [],
  }
}
