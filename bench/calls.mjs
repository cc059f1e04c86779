// npm run bench -- calls [--only KINDS]: what one call costs the service, counted and not timed, as JSON:
// queries and round trips, bytes to and from the database, and bytes of heap allocated and promoted.
// Calls come one by one: calls that come at once share queries by chance, which moved the bytes by 5 %.
// BENCH_DATABASE_URL names the PostgreSQL server; otherwise the command starts one. The jobs of the service
// rest. The heap is the least of several slices; the output has all slices too.
import { Agent, request } from 'node:http'
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { readOptions, withServers } from './support/compare.mjs'
import { createDatabase } from './support/postgres.mjs'
import { requestsOf } from './support/requests.mjs'
import { seed, seedOrders } from './support/seed.mjs'
import { startService } from './support/service.mjs'
import { relayTo } from './support/wire.mjs'

const USERS = 500
/**
 * By kind: the calls before the first slice, in which V8 compiles what runs often, and the calls of a slice.
 * A slice allocates 40 MB or more, so that the young generation is collected several times. The kinds that
 * take longest come first. What a webhook promotes differs by a third between slices of 600, and by 6 %
 * between slices of 1,500.
 */
const CALLS = {
  portal: [1_000, 300],
  upgrade: [1_500, 600],
  webhook: [1_200, 1_500],
  history: [2_000, 900],
  consume: [5_000, 1_400],
  ordered: [5_000, 1_300],
  status: [5_000, 1_500],
}
/** The status of users whose balance renews. */
const ORDERED = 'ordered'
const SLICES = 3
/** How many calls are counted on the wire. */
const FEW = 10

const given = readOptions('calls', 'What one call costs: queries, bytes on the wire and bytes of heap', {
  program: ['of this command of another build instead'],
  only: ['these calls', Object.keys(CALLS).join(',')],
})

const probe = path.join(import.meta.dirname, 'support/heap-probe.mjs')
await withServers(1, async ({ server, provider }) => {
  const waiting = given.only.split(',')
  const costs = Object.fromEntries(waiting.map((kind) => [kind, {}]))
  const work = async () => {
    for (let kind = waiting.shift(); kind; kind = waiting.shift())
      costs[kind] = await costsOf(kind, server, provider)
  }
  // Two at a time, since there are two cores.
  await Promise.all([work(), work()])
  console.log(JSON.stringify(costs, null, 2))
})

/** Each kind has its own process and database, so that the heap of one kind does not count for the next. */
async function costsOf(kind, server, provider) {
  const [warming, slice] = CALLS[kind]
  const databaseUrl = await createDatabase(server.url, `costs_${process.pid}_${kind}`)
  const relay = await relayTo(databaseUrl)
  const lines = []
  const service = await startService({
    databaseUrl: relay.url,
    env: { CHARGILY_API_URL: provider.url, ...(kind === ORDERED && { BALANCE_MAX: '100000' }) },
    program: given.program,
    nodeOptions: ['--expose-gc', '--import', probe],
    onLine: (line) => lines.push(line),
  })
  const count = warming + SLICES * slice + FEW
  // The service migrates its own database. The seed fits older schemas too.
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users: USERS, waiting: { wm_: count } })
  if (kind === ORDERED) await seedOrders(database)
  await database.close()
  const requests = requestsOf(kind === ORDERED ? 'status' : kind, {
    users: USERS,
    prefix: kind === 'upgrade' ? 'new_' : 'wm_',
    from: 1,
    count,
  })
  const caller = connectTo(service.url, requests)
  await caller.send(warming)
  await service.ask('slice')
  for (let taken = 0; taken < SLICES; taken++) {
    await caller.send(slice)
    await service.ask('slice')
  }
  const before = { ...relay.passed }
  await caller.send(FEW)
  const each = (name) => (relay.passed[name] - before[name]) / FEW
  const wire = { statements: each('statements'), roundTrips: each('roundTrips'), wireBytes: each('bytes') }
  caller.close()
  await service.stop()
  relay.close()
  const heaps = slicesIn(lines, slice)
  if (heaps.length !== SLICES) throw new Error(`${heaps.length} slices of the heap instead of ${SLICES}`)
  return { ...wire, ...leastOf(heaps), slices: heaps }
}

/** Returns the bytes that each slice allocated and promoted per call. */
function slicesIn(lines, calls) {
  const slices = []
  for (const line of lines) {
    if (/\bScavenge\b/.test(line)) slices.push({ allocated: 0, promoted: 0 })
    const slice = slices.at(-1)
    if (!slice || !/ gc=/.test(line)) continue
    for (const name of Object.keys(slice))
      slice[name] += Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? 0) / calls
  }
  // The lines after the last question belong to no slice.
  return slices.slice(0, -1)
}

function leastOf(slices) {
  const least = (name) => Math.round(Math.min(...slices.map((slice) => slice[name])) * 100) / 100
  return Object.fromEntries(Object.keys(slices[0]).map((name) => [name, least(name)]))
}

/**
 * One connection for all batches, because opening one costs the service. `send` makes so many more of
 * `requests`, one by one. A refused request fails it, because refusals are quick.
 */
function connectTo(url, requests) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let next = 0
  const ask = (number) =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = requests[number % requests.length]
      const sent = request({ hostname, port, agent, method, path, headers }, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode < 300) resolve()
          else reject(new Error(`${method} ${path}: ${answer.statusCode}`))
        })
      })
      sent.on('error', reject).end(body?.replace('[<id>]', number))
    })
  return {
    send: async (amount) => {
      const end = next + amount
      while (next < end) await ask(next++)
    },
    close: () => agent.destroy(),
  }
}
