// Each call is sent with its operation id until it is answered 200, and must have its effect once.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import { type Queryable, type Statement, statement } from '../../packages/ishtirak/src/database/database.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { PLATFORM_KEY } from '../support/platform.js'
import type { Audit } from './audit.js'
import { NO_ANSWER_MS, type SendOutcome, send } from './webhook-client.js'

const PACE_MS = 80

interface CallKind {
  readonly name: string
  readonly senders: number
  readonly key: string
  /** `count`: how many calls were made before it. */
  path(count: number): string
  readonly body: object
  readonly stored: Statement
}

export const CONSUMES: CallKind = {
  ...{ name: 'consume', senders: 8, key: PLATFORM_KEY, body: {} },
  // 400 users: each may consume 500 on the free plan, more than their share of any run.
  path: (count) => `/api/v1/platform/users/consumer-${count % 400}/limits/storage_mb/consume`,
  stored: statement(
    'faults.operations',
    'select operation_id, (select sum(used) from usage) as counted from usage_operations',
  ),
}

/** Several acts meet on one user: each is decided on the user's version. */
const GRANTED = 20

/** An operator who grants days: each act is in the audit trail once. */
export const GRANTS: CallKind = {
  ...{ name: 'grant', senders: 2, key: OPERATOR_KEY, body: { days: 1, why: 'an outage' } },
  path: (count) => `/api/v1/operator/users/granted-${count % GRANTED}/grant`,
  stored: statement(
    'faults.acts',
    `select operation_id, greatest((select sum(days) from grants),
            (select count(*) from audit where act = 'user.grant')) as counted
       from grants`,
  ),
}

export async function rememberGranted(serviceUrl: string): Promise<void> {
  for (let n = 0; n < GRANTED; n++) {
    const { ok, status } = await fetch(`${serviceUrl}/api/v1/platform/users/granted-${n}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Granted ${n}` }),
    })
    if (!ok) throw new Error(`granted-${n} is answered ${status}`)
  }
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

  constructor(
    private readonly urls: readonly string[],
    private readonly kind: CallKind,
  ) {
    this.#senders = Array.from({ length: kind.senders }, () => this.#send())
  }

  longestGapMs(since: number): number {
    const instants = [since, ...this.#acknowledgedAt.filter((instant) => instant > since)]
    return Math.max(...instants.map((instant, index) => instant - (instants[index - 1] ?? instant)))
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#senders)
    this.#agent.destroy()
  }

  async audit(database: Queryable): Promise<Audit> {
    const rows = await database.query(this.kind.stored)
    const stored = new Set(rows.map(({ operation_id }) => String(operation_id)))
    const unsent = [...stored].filter((operation) => !this.sent.has(operation)).length
    return {
      booked: stored.size,
      lost: [...this.acknowledged].filter((operation) => !stored.has(operation)).length,
      doubled: Math.max(rows.length, Number(rows[0]?.counted ?? 0)) - stored.size,
      faults: unsent > 0 ? [`${unsent} operations were never sent`] : [],
    }
  }

  async #send(): Promise<void> {
    while (this.#isRunning) {
      const count = this.sent.size
      const operation = `${this.kind.name}-${count}`
      this.sent.add(operation)
      while (this.#isRunning && (await this.#try(operation, count)) !== 200) await elapse(PACE_MS)
      if (this.#isRunning) this.acknowledged.add(operation)
      await elapse(PACE_MS)
    }
  }

  async #try(operation: string, count: number): Promise<SendOutcome> {
    const url = `${this.urls[this.#tries++ % this.urls.length]}${this.kind.path(count)}`
    const headers = { authorization: `Bearer ${this.kind.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ ...this.kind.body, operation_id: operation })
    const before = performance.now()
    const outcome = await send(this.#agent, url, { method: 'POST', headers, body }, NO_ANSWER_MS)
    const now = performance.now()
    this.slowestMs = Math.max(this.slowestMs, now - before)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 200) this.#acknowledgedAt.push(now)
    return outcome
  }
}
