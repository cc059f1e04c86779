// npm run bench: each path of the service beside what it stands on, in the same run, on the same machine.
// What counts are the ratios; figures a second are printed, and promise nothing. `--only plans,status
// --rounds 5 --seconds 10 --quick`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase, showProgress } from '../packages/ishtirak/dist/main/internal.js'
import { residentMb, startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { count, readOptions } from './support/options.mjs'
import { benchOnce } from './support/pgbench.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { HEAD, printTable, rowOf, save, summarize } from './support/report.mjs'
import { compare } from './support/rounds.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const given = readOptions('run', 'Each path of the service beside what it stands on, in turns', {
  only: ['these paths', 'plans,status,consume,webhook,history,overview,user,portal,single,embedded,memory'],
  rounds: ['of each comparison (default: 3, with --quick 1)', undefined, count],
  seconds: ['of each round (default: 6, with --quick 2)', undefined, count],
  connections: ['callers at the same time', 32],
  stock: ['payments that wait for a webhook (default: 30000, with --quick 6000)', undefined, count],
  quick: ['short, for a first look', false],
})
const settings = {
  only: new Set(given.only.split(',')),
  rounds: given.rounds ?? (given.quick ? 1 : 3),
  seconds: given.seconds ?? (given.quick ? 2 : 6),
  connections: given.connections,
  /** Payments that wait for a webhook, for each side of a comparison: what a round of `seconds` can take. */
  stock: given.stock ?? (given.quick ? 6_000 : 30_000),
  users: 5_000,
}
const here = path.dirname(fileURLToPath(import.meta.url))
const floor = (name, env) => startProcess([path.join(here, 'floors', name)], { env })
const driver = await startProcess([path.join(here, 'support/driver.mjs')])
const results = []
const notes = {}

/** Payments on a page of the history; each user has more than one page. */
const PAGE = 20
const PATHS = ['status', 'consume', 'webhook']
const AIMS = {
  many: { status: 1.5, consume: 1.5, webhook: 1.2 },
  single: { status: 0.8, consume: 0.8, webhook: 0.8 },
  embedded: { status: 0.8, consume: 0.6, webhook: 0.5 },
}

const progress = showProgress('rounds')
const server = await startPostgres()
try {
  const databaseUrl = await createDatabase(server.url, 'bench')
  await seedServer(databaseUrl)
  const service = await startService({ databaseUrl })
  notes.serviceAtRestMb = Math.round(residentMb(service.pid))
  notes.serviceStartMs = Math.round(service.startMs)
  const fastify = await floor('fastify.mjs', { BENCH_DATABASE_URL: databaseUrl, ...(await plansOf(service)) })
  if (settings.only.has('plans')) await benchPlans(service, fastify)
  await benchPaths(service, fastify, databaseUrl)
  await benchReads(service, fastify)
  notes.serviceUnderLoadMb = Math.round(residentMb(service.pid))
  await fastify.stop()
  if (settings.only.has('embedded')) await benchEmbedded(service)
  await service.stop()
} finally {
  progress.end()
  await driver.stop()
  await server.stop()
}
report()

async function seedServer(databaseUrl) {
  const database = await openDatabase({ url: databaseUrl })
  const { stock, users } = settings
  // For the many and the single caller: of the service, of the floor.
  const waiting = { wm_: stock, fm_: stock, ws_: stock / 3, fs_: stock / 3, wt_: stock / 3 }
  await seed(database, { users, waiting, paymentsEach: PAGE + 1 })
  await database.close()
}

/** The answer of the service, for the floor to send as it is. */
async function plansOf({ url }) {
  const answer = await fetch(`${url}/api/v1/billing/plans`)
  const { connection: _, 'keep-alive': __, date: ___, ...headers } = Object.fromEntries(answer.headers)
  return { BENCH_PLANS_BODY: await answer.text(), BENCH_PLANS_HEADERS: JSON.stringify(headers) }
}

async function benchPlans(service, fastify) {
  await measure('GET /plans', 'Fastify, the same bytes and headers', 0.8, {
    ours: { ...service, kind: 'plans' },
    other: { ...fastify, kind: 'plans' },
  })
}

async function benchPaths(service, fastify, databaseUrl) {
  const { users, stock, connections } = settings
  // One caller gets through few users before the clock starts; who comes for the first time is another
  // question.
  const single = {
    name: ', one caller',
    connections: 1,
    users: 200,
    prefixes: ['ws_', 'fs_'],
    stock: stock / 3,
  }
  const many = { name: '', connections, users, prefixes: ['wm_', 'fm_'], stock }
  const shapes = { many, ...(settings.only.has('single') ? { single } : {}) }
  for (const [shape, { name, prefixes, users: asked, ...load }] of Object.entries(shapes)) {
    for (const kind of PATHS.filter((each) => settings.only.has(each))) {
      const [ours, other] = prefixes.map((prefix) => ({ users: asked, prefix }))
      await measure(`${kind}${name}`, 'Fastify, one request a time', AIMS[shape][kind], {
        ours: { ...service, kind, options: ours },
        other: { ...fastify, kind, options: other },
        ...load,
        stock: kind === 'webhook' ? load.stock : undefined,
      })
    }
  }
  notes.pgbench = await benchOnce(databaseUrl, { users, seconds: settings.seconds, only: settings.only })
}

/**
 * The history beside one slim select, the other reads beside `/status` of the service: 1,000 pages where it
 * answers 9,400.
 */
async function benchReads(service, fastify) {
  const options = { users: settings.users }
  const status = { ...service, kind: 'status', options }
  const READS = {
    history: ['Fastify, one select a request', 1.0, { ...fastify, kind: 'history', options }],
    overview: ['status', 0.5, status],
    user: ['status', 0.5, status],
    portal: ['status', 0.106, status],
  }
  for (const [kind, [against, target, other]] of Object.entries(READS).filter(([each]) =>
    settings.only.has(each),
  ))
    await measure(kind, against, target, { ours: { ...service, kind, options }, other })
}

/** The same paths on the database that is inside the process and flushes every commit, beside the server. */
async function benchEmbedded(service) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'ishtirak-bench-'))
  const stock = settings.stock / 3
  try {
    const database = await openDatabase({ dataDir: path.join(dataDir, 'database') })
    await seed(database, { users: settings.users, waiting: { wt_: stock } })
    await database.close()
    const embedded = await startService({ dataDir })
    notes.embeddedAtRestMb = Math.round(residentMb(embedded.pid))
    notes.embeddedStartMs = Math.round(embedded.startMs)
    for (const kind of PATHS.filter((each) => settings.only.has(each))) {
      const options = { users: settings.users, prefix: 'wt_' }
      await measure(`${kind}, embedded and flushing`, 'the same on the server', AIMS.embedded[kind], {
        ours: { ...embedded, kind, options },
        other: { ...service, kind, options },
        stock: kind === 'webhook' ? stock : undefined,
      })
    }
    notes.embeddedUnderLoadMb = Math.round(residentMb(embedded.pid))
    await embedded.stop()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(name, against, target, { ours, other, connections = settings.connections, stock }) {
  const { rounds, seconds } = settings
  const onRound = (round) => progress.at(results.length * rounds + round, comparisons() * rounds)
  const taken = await compare(driver, {
    sides: { ours, other },
    connections,
    rounds,
    seconds,
    stock,
    onRound,
  })
  results.push({ name, against, target, connections, summary: summarize(taken), rounds: taken })
  console.error(rowOf(results.at(-1)).join('  '), ` load ${load()}`)
}

/** How many will be measured. */
function comparisons() {
  const { only } = settings
  const wanted = (names) => names.filter((name) => only.has(name)).length
  const times = 1 + Number(only.has('single')) + Number(only.has('embedded'))
  return wanted(PATHS) * times + wanted(['plans', 'history', 'overview', 'user', 'portal'])
}

function report() {
  const machine = describeMachine()
  console.log(
    `${machine.processors} × ${machine.processor}, Node ${machine.node}, ${machine.commit}, load ${load()}`,
  )
  console.log(
    `${settings.rounds} rounds of ${settings.seconds} s, ${settings.connections} callers, in turns\n`,
  )
  printTable(HEAD, results.map(rowOf))
  console.log(`\n${JSON.stringify(notes, null, 2)}`)
  const shown = { ...settings, only: [...settings.only] }
  console.log(`\nkept in ${save('bench', { machine, settings: shown, notes, results })}`)
}
