// The database server hangs under load and recovers. Every call is answered meanwhile, no refused call is
// executed afterwards, and the first call after the hang succeeds.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { launchService } from '../support/process.js'
import { startRunningTime } from '../support/running-time.js'
import { waitFor } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { serverInstallation } from './installations.js'
import { PostgresNode } from './postgres-node.js'
import { openSales, type Sale } from './sales.js'
import { type SentRequest, send, webhookOf } from './webhook-client.js'

export interface HangOptions {
  readonly emulator: Emulator
  readonly hangMs: number
  readonly callsPerSecond: number
}

const KINDS = ['status', 'consume', 'webhook', 'healthz', 'readyz'] as const
type Kind = (typeof KINDS)[number]

interface Call {
  readonly kind: Kind
  readonly askedAt: number
  readonly status: number | 'none'
  readonly tookMs: number
  /** Of a consume. */
  readonly operationId?: string
}

interface KindFigures {
  readonly kind: Kind
  readonly calls: number
  readonly refused: number
  readonly slowestMs: number
  /** Of the calls during the hang. */
  readonly firstRefusalMs: number
}

export interface HangFigures {
  readonly kinds: readonly KindFigures[]
  readonly slowestMs: number
  /** From the end of the hang to the first later call that was answered 200. */
  readonly recoveryMs: number
  /** During the hang `/readyz` answered 503 and `/healthz` 200. */
  readonly readyWhileHung: number
  readonly aliveWhileHung: number
  /** Consumes that were committed more than 6 s after they were asked. */
  readonly executedLate: number
  /** Consumes that were answered 503 but are in the database. */
  readonly executedThoughRefused: number
  /** Answered 200 and not in the database. */
  readonly lost: number
  /** Answers other than 200 and 503, and bugs in the log. */
  readonly faults: readonly string[]
}

const SALES = 40
const USERS = 100
const BEFORE_MS = 1_000
const AFTER_MS = 2_000
/** Of a call without an answer: longer than any limit of the service. */
const NO_ANSWER_MS = 100_000

export async function runHang({ emulator, hangMs, callsPerSecond }: HangOptions): Promise<HangFigures> {
  const server = await PostgresNode.create()
  await createDatabase(server.url, 'faults')
  const url = withDatabaseName(server.url, 'faults')
  const installation = await serverInstallation(emulator, url)
  const service = launchService({ ...installation.env, PLATFORM_API_KEYS: PLATFORM_KEY })
  try {
    const serviceUrl = await service.listening()
    const userIds = Array.from({ length: SALES }, (_, index) => `buyer-${index}`)
    const load = new Load(serviceUrl, await openSales({ serviceUrl, emulator, userIds }))
    await load.warmUp()
    const calling = load.run(callsPerSecond, BEFORE_MS + hangMs + AFTER_MS)
    await elapse(BEFORE_MS)
    const hungAt = performance.now()
    server.hang()
    await elapse(hangMs)
    const wokenAt = performance.now()
    server.wake()
    await calling
    const executed = await executedConsumes(url)
    const bugs = service.lines.filter((line) => line.includes('"a bug"')).length
    return figuresOf(load.calls, { hungAt, wokenAt, executed, bugs })
  } finally {
    server.wake()
    await service.kill('SIGKILL')
    await installation.remove()
    await server.remove()
  }
}

/** A fixed rate of calls that does not wait for earlier answers, as independent users cause. */
class Load {
  readonly calls: Call[] = []
  #sent = 0
  #tokens: string[] = []
  readonly #time = startRunningTime()

  constructor(
    private readonly url: string,
    private readonly sales: readonly Sale[],
  ) {}

  async warmUp(): Promise<void> {
    this.#tokens = await Promise.all(
      Array.from({ length: USERS }, (_, index) => tokenOf({ sub: `user-${index}` })),
    )
    for (const kind of KINDS) {
      await waitFor(async () => {
        await this.#call(kind)
        return this.calls.at(-1)?.status === 200
      })
    }
    this.calls.length = 0
  }

  async run(callsPerSecond: number, ms: number): Promise<void> {
    const startedAt = performance.now()
    const underWay = new Set<Promise<void>>()
    for (let made = 0; performance.now() - startedAt < ms; ) {
      const due = ((performance.now() - startedAt) / 1_000) * callsPerSecond
      for (; made < due; made++) {
        // One in fifty each asks for /healthz and /readyz.
        const kind = made % 50 === 0 ? 'healthz' : made % 50 === 25 ? 'readyz' : KINDS[made % 3]
        const call = this.#call(kind ?? 'status').finally(() => underWay.delete(call))
        underWay.add(call)
      }
      await elapse(5)
    }
    await Promise.all(underWay)
    this.#time[Symbol.dispose]()
  }

  async #call(kind: Kind): Promise<void> {
    const number = this.#sent++
    const operationId = kind === 'consume' ? `operation-${number}` : undefined
    const { path, init } = this.#request(kind, number, operationId)
    const askedAt = performance.now()
    const before = this.#time.ms()
    const status = await send(agent, `${this.url}${path}`, init, NO_ANSWER_MS)
    const tookMs = this.#time.ms() - before
    this.calls.push({ kind, askedAt, status, tookMs, ...(operationId && { operationId }) })
  }

  #request(kind: Kind, number: number, operationId?: string): { path: string; init: SentRequest } {
    const user = number % USERS
    switch (kind) {
      case 'status': {
        const headers = { authorization: `Bearer ${this.#tokens[user]}` }
        return { path: '/api/v1/billing/status', init: { headers } }
      }
      case 'consume': {
        const headers = { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ operation_id: operationId })
        const path = `/api/v1/platform/users/user-${user}/limits/storage_mb/consume`
        return { path, init: { method: 'POST', headers, body } }
      }
      case 'webhook': {
        const sale = this.sales[number % this.sales.length]
        if (!sale) throw new Error('there is nothing to sell')
        return { path: '/api/v1/billing/webhook', init: webhookOf(sale) }
      }
      default:
        return { path: `/${kind}`, init: {} }
    }
  }
}

const agent = new Agent({ keepAlive: true })

interface Executed {
  readonly operationId: string
  readonly isLate: boolean
}

const selectExecuted = statement(
  'test.executed',
  `select operation_id, pg_xact_commit_timestamp(xmin) - created_at > interval '6 seconds' as late
     from usage_operations`,
)

async function executedConsumes(url: string): Promise<readonly Executed[]> {
  const database = openPostgres({ url, maxConnections: 1 })
  try {
    const rows = await database.query(selectExecuted)
    return rows.map((row) => ({ operationId: String(row.operation_id), isLate: row.late === true }))
  } finally {
    await database.close()
  }
}

function figuresOf(
  calls: readonly Call[],
  of: {
    readonly hungAt: number
    readonly wokenAt: number
    readonly executed: readonly Executed[]
    readonly bugs: number
  },
): HangFigures {
  const { hungAt, wokenAt, executed, bugs } = of
  const slowest = (some: readonly Call[]) => Math.max(0, ...some.map(({ tookMs }) => tookMs))
  const kinds = KINDS.map((kind) => {
    const own = calls.filter((call) => call.kind === kind)
    const refusals = own.filter(({ status, askedAt }) => status === 503 && askedAt >= hungAt)
    const first = Math.min(...refusals.map(({ askedAt, tookMs }) => askedAt + tookMs - hungAt))
    return {
      kind,
      calls: own.length,
      refused: refusals.length,
      slowestMs: slowest(own),
      firstRefusalMs: refusals.length > 0 ? first : 0,
    }
  })
  const whileHung = (kind: Kind) =>
    calls.filter(
      (call) =>
        call.kind === kind &&
        call.status === 200 &&
        call.askedAt > hungAt &&
        call.askedAt + call.tookMs < wokenAt,
    ).length
  const consumes = calls.filter(({ kind }) => kind === 'consume')
  const inBooks = new Set(executed.map(({ operationId }) => operationId))
  const isInBooks = ({ operationId = '' }: Call) => inBooks.has(operationId)
  const works = (call: Call) => call.kind === 'consume' && call.status === 200 && call.askedAt >= wokenAt
  const odd = calls.filter(({ status }) => status !== 200 && status !== 503)
  return {
    kinds,
    slowestMs: slowest(calls),
    recoveryMs: Math.min(...calls.filter(works).map(({ askedAt, tookMs }) => askedAt + tookMs - wokenAt)),
    readyWhileHung: whileHung('readyz'),
    aliveWhileHung: whileHung('healthz'),
    executedLate: executed.filter(({ isLate }) => isLate).length,
    executedThoughRefused: consumes.filter((call) => call.status !== 200 && isInBooks(call)).length,
    lost: consumes.filter((call) => call.status === 200 && !isInBooks(call)).length,
    faults: [
      ...odd.map(({ kind, status }) => `${kind} answered ${status}`),
      ...(bugs > 0 ? [`${bugs} bugs`] : []),
    ],
  }
}
