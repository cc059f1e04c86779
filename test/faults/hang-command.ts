// `npm run nightly -- fault:hang [--seconds 60] [--calls 200]`
// Every call is answered during a hang, no refused call is executed afterwards, and the next one succeeds.
import { Agent } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { launchService } from '../support/process.js'
import { startRunningTime } from '../support/running-time.js'
import { waitFor } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { install, readServer } from './installations.js'
import { PostgresNode } from './postgres-node.js'
import { openSales, type Sale } from './sales.js'
import { type SentRequest, send, webhookOf } from './webhook-client.js'

const ANSWERED_WITHIN_MS = 6_000
/** The server first forks for the connections that were opened while it stood still. */
const RECOVERED_WITHIN_MS = 2_000

export async function run(args: readonly string[]): Promise<boolean> {
  const asked = faultCommand(
    'hang',
    'Stops the database server while it is called, and counts what was lost',
    { seconds: ['how long it stands still', 60, 300], calls: ['calls a second', 200, 1_000] },
  )
    .parse(args, { from: 'user' })
    .opts<{ seconds: number; calls: number }>()
  const { kinds, faults, ...figures } = await withEmulator((emulator) =>
    runHang({ emulator, hangMs: asked.seconds * 1_000, callsPerSecond: asked.calls }),
  )
  for (const { kind, calls, refused, firstRefusalMs, slowestMs } of kinds) {
    const times = `the first after ${seconds(firstRefusalMs)}, slowest answer ${seconds(slowestMs)}`
    print({ [kind]: `calls ${calls}, 503 ${refused}, ${times}` })
  }
  print({ ...figures }, faults)
  const { slowestMs, aliveWhileHung, readyWhileHung, executedLate, executedOnWaking, lost } = figures
  const isPunctual = slowestMs <= ANSWERED_WITHIN_MS && figures.recoveryMs < RECOVERED_WITHIN_MS
  const isRefused = kinds.every(({ kind, refused }) => refused > 0 === (kind !== 'healthz'))
  const isDone = lost === 0 && executedLate === 0 && executedOnWaking <= MOST_AT_WORK
  const isProbed = aliveWhileHung > 0 && readyWhileHung === 0
  return isPunctual && isRefused && isDone && isProbed && faults.length === 0
}

const KINDS = ['status', 'consume', 'webhook', 'healthz', 'readyz'] as const
type Kind = (typeof KINDS)[number]

interface Call {
  readonly kind: Kind
  readonly operationId: string
  readonly askedAt: number
  readonly status: number | 'none'
  readonly tookMs: number
}

const SALES = 40
const USERS = 100
const BEFORE_MS = 1_000
const AFTER_MS = 2_000
/** A process has ten connections, and each runs one statement at a time. */
const MOST_AT_WORK = 10
/** An unanswered call takes this long, which is above any limit of the service. */
const NO_ANSWER_MS = 100_000

type HangOptions = { emulator: Emulator; hangMs: number; callsPerSecond: number }

async function runHang({ emulator, hangMs, callsPerSecond }: HangOptions) {
  const server = await PostgresNode.create()
  await createDatabase(server.url, 'faults')
  const url = withDatabaseName(server.url, 'faults')
  const installation = await install(emulator, { url })
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
    const bugs = service.lines.filter((line) => line.includes('"a bug"'))
    const executed = await readServer(url, (database) => database.query(selectExecuted))
    return figuresOf(load.calls, { hungAt, wokenAt, bugs }, executed)
  } finally {
    server.wake()
    await service.kill('SIGKILL')
    await installation.remove()
    await server.remove()
  }
}

const agent = new Agent({ keepAlive: true })

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
    const userIds = Array.from({ length: USERS }, (_, index) => `user-${index}`)
    this.#tokens = await Promise.all(userIds.map((sub) => tokenOf({ sub })))
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
    const operationId = `operation-${number}`
    const { path, ...request } = this.#request(kind, number, operationId)
    const askedAt = performance.now()
    const before = this.#time.ms()
    const status = await send(agent, `${this.url}${path}`, request, NO_ANSWER_MS)
    this.calls.push({ kind, operationId, askedAt, status, tookMs: this.#time.ms() - before })
  }

  #request(kind: Kind, number: number, operation_id: string): SentRequest & { readonly path: string } {
    const user = number % USERS
    const sale = this.sales[number % this.sales.length]
    if (kind === 'status')
      return { path: '/api/v1/billing/status', headers: { authorization: `Bearer ${this.#tokens[user]}` } }
    if (kind === 'consume')
      return {
        path: `/api/v1/platform/users/user-${user}/limits/storage_mb/consume`,
        method: 'POST',
        headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ operation_id }),
      }
    if (kind === 'webhook' && sale) return { path: '/api/v1/billing/webhook', ...webhookOf(sale) }
    return { path: `/${kind}` }
  }
}

const selectExecuted = statement(
  'test.executed',
  `select operation_id, pg_xact_commit_timestamp(xmin) - created_at > interval '6 seconds' as late
     from usage_operations`,
)

function figuresOf(
  calls: readonly Call[],
  { hungAt, wokenAt, bugs }: { hungAt: number; wokenAt: number; bugs: readonly string[] },
  executed: readonly { readonly [column: string]: unknown }[],
) {
  const slowest = (some: readonly Call[]) => Math.max(0, ...some.map(({ tookMs }) => tookMs))
  const answeredAt = ({ askedAt, tookMs }: Call) => askedAt + tookMs
  const of = (kind: Kind) => calls.filter((call) => call.kind === kind)
  const isOk = ({ status }: Call) => status === 200
  const okWhileHung = (kind: Kind) =>
    of(kind).filter((call) => isOk(call) && call.askedAt > hungAt && answeredAt(call) < wokenAt).length
  const idsOf = (rows: typeof executed) => new Set(rows.map(({ operation_id }) => String(operation_id)))
  const stored = idsOf(executed)
  const late = idsOf(executed.filter((row) => row.late === true))
  const odd = calls.filter(({ status }) => status !== 200 && status !== 503)
  const consumes = of('consume')
  const firstAfter = (since: number, some: readonly Call[]) =>
    Math.min(...some.filter(({ askedAt }) => askedAt >= since).map((call) => answeredAt(call) - since))
  return {
    kinds: KINDS.map((kind) => {
      const refusals = of(kind).filter(({ status, askedAt }) => status === 503 && askedAt >= hungAt)
      return {
        ...{ kind, calls: of(kind).length, refused: refusals.length, slowestMs: slowest(of(kind)) },
        firstRefusalMs: refusals.length > 0 ? firstAfter(hungAt, refusals) : 0,
      }
    }),
    slowestMs: slowest(calls),
    recoveryMs: firstAfter(wokenAt, consumes.filter(isOk)),
    readyWhileHung: okWhileHung('readyz'),
    aliveWhileHung: okWhileHung('healthz'),
    executedLate: consumes.filter((call) => call.askedAt >= hungAt && late.has(call.operationId)).length,
    /** The server was at work on these when it was stopped, and goes on with them. */
    executedOnWaking: consumes.filter((call) => call.askedAt < hungAt && late.has(call.operationId)).length,
    executedThoughRefused: consumes.filter((call) => !isOk(call) && stored.has(call.operationId)).length,
    lost: consumes.filter((call) => isOk(call) && !stored.has(call.operationId)).length,
    faults: [...odd.map(({ kind, status }) => `${kind} answered ${status}`), ...bugs],
  }
}
