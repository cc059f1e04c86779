// npm run bench -- calls [-- --only KINDS]: what one call costs the service that was built, as JSON:
// statements and round trips, bytes on the wire to the database, and bytes of heap allocated and promoted.
// Calls come one by one: how many of those that come at once share a statement is chance, and moved the
// bytes by 5 %.
// `--program PATH` measures the command of another build.
// BENCH_DATABASE_URL names the PostgreSQL server; else one of its own. Counted, not timed: the service's jobs
// rest. Of the heap it is the least of several slices, and all slices stand beside it.
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { startProcess } from './support/children.mjs'
import { connectTo } from './support/connections.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, dropDatabase, startPostgres } from './support/postgres.mjs'
import { requestsOf } from './support/requests.mjs'
import { seed, seedOrders } from './support/seed.mjs'
import { startService } from './support/service.mjs'
import { relayTo } from './support/wire.mjs'

const USERS = 500
/** V8 compiles what runs often, and compiled code allocates less. */
const WARMING = {
  portal: 1_000,
  ordered: 5_000,
  upgrade: 1_500,
  webhook: 1_200,
  history: 2_000,
  consume: 5_000,
  status: 5_000,
}
/**
 * Of 40 MB and more, and of more where the looks differ, so that the young generation is collected several
 * times. Those that take longest come first. What a webhook promotes moves by a third between looks of 600,
 * and by 6 % between looks of 1,500.
 */
const SLICE = {
  portal: 300,
  upgrade: 600,
  webhook: 1_500,
  history: 900,
  consume: 1_400,
  ordered: 1_300,
  status: 1_500,
}
/** The status of users whose balance renews. */
const ORDERED = 'ordered'
const SLICES = 3
/** Calls of which the wire is counted. */
const FEW = 10

const given = readOptions('calls', 'What one call costs: statements, bytes on the wire and bytes of heap', {
  program: ['of this command of another build instead'],
  only: ['these calls', Object.keys(SLICE).join(',')],
})

const probe = path.join(import.meta.dirname, 'support/heap-probe.mjs')
const server = await startPostgres()
const provider = await startProcess([path.join(import.meta.dirname, 'peers/provider.mjs')], {
  env: { BENCH_LATENCY_MS: '1' },
})
try {
  const waiting = given.only.split(',')
  const costs = Object.fromEntries(waiting.map((kind) => [kind, {}]))
  const work = async () => {
    for (let kind = waiting.shift(); kind; kind = waiting.shift()) costs[kind] = await costsOf(kind)
  }
  // Two at a time, since there are two cores.
  await Promise.all([work(), work()])
  console.log(JSON.stringify(costs, null, 2))
} finally {
  await provider.stop()
  await server.stop()
}

/** A process and a database of its own for each kind: what one leaves in the heap is not the next one's. */
async function costsOf(kind) {
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
  const count = WARMING[kind] + SLICES * SLICE[kind] + FEW
  // Migrated by the service: what is seeded fits older schemas too, since new columns have defaults.
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users: USERS, waiting: { wm_: count }, isMigrated: true })
  if (kind === ORDERED) await seedOrders(database)
  await database.close()
  const requests = requestsOf(kind === ORDERED ? 'status' : kind, {
    users: USERS,
    prefix: kind === 'upgrade' ? 'new_' : 'wm_',
    from: 1,
    count,
  })
  const caller = connectTo(service.url, requests)
  await caller.send(WARMING[kind])
  await service.ask('slice')
  for (let slice = 0; slice < SLICES; slice++) {
    await caller.send(SLICE[kind])
    await service.ask('slice')
  }
  const before = { ...relay.passed }
  await caller.send(FEW)
  const each = (name) => (relay.passed[name] - before[name]) / FEW
  const wire = { statements: each('statements'), roundTrips: each('roundTrips'), wireBytes: each('bytes') }
  caller.close()
  await service.stop()
  relay.close()
  await dropDatabase(server.url, `costs_${process.pid}_${kind}`)
  const heaps = slicesIn(lines, SLICE[kind])
  if (heaps.length !== SLICES) throw new Error(`${heaps.length} slices of the heap instead of ${SLICES}`)
  return { ...wire, ...leastOf(heaps), slices: heaps }
}

/** What each slice allocated and promoted, for each of its calls. */
function slicesIn(lines, calls) {
  const slices = []
  for (const line of lines) {
    if (/\bScavenge\b/.test(line)) slices.push({ allocated: 0, promoted: 0 })
    const slice = slices.at(-1)
    if (!slice || !/ gc=/.test(line)) continue
    for (const name of Object.keys(slice))
      slice[name] += Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? 0) / calls
  }
  // What follows the last question is of no slice.
  return slices.slice(0, -1)
}

function leastOf(slices) {
  const least = (name) => Math.round(Math.min(...slices.map((slice) => slice[name])) * 100) / 100
  return Object.fromEntries(Object.keys(slices[0]).map((name) => [name, least(name)]))
}
