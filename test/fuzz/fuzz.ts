// Half of the calls have no credentials and must change nothing.
import http from 'node:http'
import { MINUTE, SECOND } from '../../packages/ishtirak/src/core/instant.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { PATIENCE } from '../support/wait-for.js'
import type { World } from '../support/world.js'
import { changedTables, digestOf } from './digest.js'
import { drawCall, type FuzzCall } from './draw.js'
import { type FuzzAnswer, judge } from './judge.js'
import { openAnew, openSessions, openStage, type Stage } from './stage.js'

export interface Fuzzed {
  readonly calls: number
  readonly statuses: Readonly<Record<string, number>>
  readonly untouched: readonly string[]
  readonly changedTables: readonly string[]
  readonly faults: readonly string[]
}

export interface FuzzOptions {
  readonly seed: number
  readonly calls: number
  readonly only?: number
  readonly onCall?: (done: number, of: number) => void
}

const IN_FLIGHT = 16
/** The clock moves between batches, so that quotas are renewed and what is counted by time is met. */
const BATCH = 400
const STEP_MS = 15 * MINUTE

export async function fuzz(database: Database, options: FuzzOptions): Promise<Fuzzed> {
  const { calls, only } = options
  const stage = await openStage(database)
  const run = createRun(stage, options)
  const half = Math.ceil(calls / 2)
  try {
    if (only !== undefined) {
      await run.batch([only], only >= half)
      return { ...run.found(), untouched: [], changedTables: [] }
    }
    const before = await digestOf(database)
    await run.all(0, half, false)
    const changed = changedTables(before, await digestOf(database))
    await run.all(half, calls, true)
    const routes = stage.targets.routes.map(({ method, url }) => `${method} ${url}`)
    const untouched = routes.filter((route) => !run.touched.has(route))
    return { ...run.found(), untouched, changedTables: changed }
  } finally {
    run.close()
    await stage.world.stop()
  }
}

function createRun({ world, targets }: Stage, { seed, calls, onCall }: FuzzOptions) {
  let current = targets
  const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const statuses: Record<string, number> = {}
  const touched = new Set<string>()
  const faults: string[] = []
  let answered = 0
  const one = async (number: number, known: boolean) => {
    const call = drawCall(current, { seed, number, known })
    const answer = await send(world, call, agent)
    const key = `${known ? 'known' : 'unknown'} ${answer.status}${reasonOf(answer)}`
    answered += 1
    onCall?.(answered, calls)
    statuses[key] = (statuses[key] ?? 0) + 1
    touched.add(`${call.route.method} ${call.route.url}`)
    // Mounted, the host's server answers by itself what no program behind it sees: 417 and 431.
    if (world.base !== '' && [417, 431].includes(answer.status) && answer.text === '') return
    for (const fault of judge(call, answer, known)) faults.push(describe(call, answer, fault))
  }
  const batch = async (numbers: readonly number[], known: boolean) => {
    if (known) {
      current = { ...targets, ...(await openSessions(world, targets.routes, targets.values)) }
      await openAnew(world)
    }
    const waiting = [...numbers]
    const work = async () => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift())
        await one(number, known)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
    await world.advance(STEP_MS / SECOND)
  }
  const all = async (from: number, to: number, known: boolean) => {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index)
    for (let at = 0; at < numbers.length; at += BATCH) await batch(numbers.slice(at, at + BATCH), known)
  }
  const found = () => ({ calls: answered, statuses, faults })
  return { batch, all, touched, found, close: () => agent.destroy() }
}

/** Which of the documented 503 it is: a page that is only fetched ahead is refused without a body. */
function reasonOf({ status, text }: FuzzAnswer): string {
  if (status !== 503) return ''
  return ` ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'fetched ahead'}`
}

/** A call that gets no answer is a fault, which `judge` reports. */
async function send(world: World, call: FuzzCall, agent: http.Agent): Promise<FuzzAnswer> {
  try {
    return await exchange(world, call, agent)
  } catch (error) {
    return { status: 599, headers: {}, text: String(error) }
  }
}

function exchange(
  { url, base }: World,
  { method, path, headers, body }: FuzzCall,
  agent: http.Agent,
): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
    // What Node holds back for the answer to an expectation is sent at once here.
    const request = http.request(url, {
      agent,
      method,
      path: `${base}${path}`,
      headers: { ...headers, ...length },
      timeout: PATIENCE.timeout,
    })
    request.on('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      )
    })
    request.on('timeout', () => request.destroy(new Error('no answer within 30 seconds')))
    request.on('error', reject)
    request.end(body ?? undefined)
  })
}

function describe(call: FuzzCall, { status, text }: FuzzAnswer, fault: string): string {
  const { number, method, path, headers, body } = call
  const sent = JSON.stringify({ headers, body: body === null ? null : String(body).slice(0, 400) })
  const lines = [`${method} ${path.slice(0, 300)}`, sent, `${status} ${text.slice(0, 300)}`]
  return `call ${number}: ${fault}\n  ${lines.join('\n  ')}`
}
