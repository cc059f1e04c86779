// npm run bench:cells: the processor time of all parties for each request, with one, two and three cells
// behind HAProxy, each beside as many shops without a router that are asked at the same time: those have the
// same machine, so that what differs is the router and what a cell does.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/database/open-database.js'
import { markOf, PARTS } from '../packages/ishtirak/dist/runtime/cells.js'
import { showProgress } from '../packages/ishtirak/dist/runtime/progress.js'
import { cpuSeconds, startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, freePort, startPostgres } from './support/postgres.mjs'
import { median, printTable, save } from './support/report.mjs'
import { seed } from './support/seed.mjs'
import { PROGRAM, startService } from './support/service.mjs'

const given = readOptions('bench:cells', 'The processor time of a request with one, two and three cells', {
  only: ['these paths', 'status,consume,webhook'],
  cells: ['these numbers of cells', '1,2,3'],
  rounds: ['of each number of cells', 6],
  seconds: ['of each round', 15],
  rate: ['requests a second for each cell', 100],
})
const { rounds, seconds, rate } = given
const kinds = given.only.split(',')
const counts = given.cells.split(',').map(Number)
/** A whole number for each of one, two and three cells. */
const USERS = 1_998
const EACH_ROUND = rate * seconds
/** Requests before the first round, and how many a second: plans are made, code is compiled. */
const WARMING = 3_000
const WARMING_RATE = 200

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-bench-cells-'))
const driver = await startProcess([path.join(import.meta.dirname, 'support/arrivals.mjs')])
const progress = showProgress('rounds')
const started = []
let done = 0
try {
  const results = []
  for (const count of counts) {
    const pair = [await startLayout(count, { isRouted: false }), await startLayout(count, { isRouted: true })]
    for (const kind of kinds) results.push(await measure(kind, pair))
    await stopAll()
  }
  report(results)
} finally {
  progress.end()
  await driver.stop()
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

async function stopAll() {
  for (const { stop } of started.splice(0).toReversed()) await stop()
}

async function startLayout(count, { isRouted }) {
  const size = Math.ceil(PARTS / count)
  const cells = await Promise.all(
    Array.from({ length: count }, async (_, place) => ({
      name: 'abc'[place],
      first: place * size,
      last: Math.min(PARTS, (place + 1) * size) - 1,
      port: await freePort(),
    })),
  )
  const own = path.join(folder, `${count}${isRouted}`)
  const file = `${own}.json`
  const entries = cells.map(({ name, first, last, port }) => {
    return { name, parts: [`${first}-${last}`], servers: [`127.0.0.1:${port}`] }
  })
  writeFileSync(file, JSON.stringify({ cells: entries }))
  const services = []
  const databases = []
  for (const cell of cells) {
    const server = await startPostgres()
    started.push(server)
    databases.push(server)
    const databaseUrl = await createDatabase(server.url, 'cell')
    const waiting = WARMING + EACH_ROUND * rounds
    if (isRouted) await seedCell(databaseUrl, cell, count * waiting)
    else await seedShop(databaseUrl, USERS / count, waiting)
    const key = 'a secret of the cells that is longer than 32 bytes'
    const env = isRouted ? { CELL: cell.name, CELLS_FILE: file, CELLS_KEY: key } : {}
    const service = await startService({ databaseUrl, env, port: cell.port })
    started.push(service)
    services.push(service)
  }
  const router = isRouted ? await startRouter(own, file) : null
  const urls = router ? [router.url] : services.map(({ url }) => url)
  return { count, services, databases, router, urls, used: 1 }
}

/** Users of all cells, without those of the others. */
async function seedCell(databaseUrl, { first, last }, waiting) {
  const elsewhere = `where part_of(user_id) not between ${first} and ${last}`
  const tables = ['receipts', 'payments', 'portal_sessions', 'users']
  const deletions = tables.map((table) => `delete from ${table} ${elsewhere}`)
  await seedShop(databaseUrl, USERS, waiting, deletions.join(';'))
}

/** Ids of payments have the form that the router reads. */
async function seedShop(databaseUrl, users, waiting, deletions = '') {
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, {
    users,
    paymentsEach: 2,
    waiting: kinds.includes('webhook') ? { wm_: waiting } : {},
  })
  const marks = Array.from({ length: PARTS }, (_, part) => `(${part}, '${markOf(part)}')`)
  await database.script(`
    set local session_replication_role = replica;
    ${deletions};
    update payments set id = 'pay_' || lpad(user_id, 24, '0') || mark from (values ${marks}) m (part, mark)
     where status = 'pending' and part = part_of(user_id);
    analyze`)
  await database.close()
}

/** As a real one starts, but in the foreground. */
async function startRouter(own, file) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const options = ['--file', file, '--public-url', url, '--dir', own, '--bind', `127.0.0.1:${port}`]
  execFileSync(process.execPath, [PROGRAM, 'cells', 'haproxy', ...options, '--socket', `${own}.sock`])
  if (process.getuid?.() !== 0) {
    const configuration = path.join(own, 'haproxy.cfg')
    // Who is not root can become no other user.
    const text = readFileSync(configuration, 'utf8').replace(/^ {2}(user|group|chroot) .*\n/gm, '')
    writeFileSync(configuration, text)
  }
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const child = spawn('haproxy', ['-db', '-f', path.join(own, 'haproxy.cfg')], { env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  started.push({ stop })
  while (child.exitCode === null && !(await fetch(`${url}/readyz`).catch(() => null))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 20))
  if (child.exitCode !== null) throw new Error(`haproxy ended: ${child.exitCode}`)
  return { pid: child.pid, url }
}

/** Both in turn, forth and back, since what comes later finds larger tables. */
async function measure(kind, pair) {
  for (const layout of pair) await drive(kind, layout, WARMING, WARMING_RATE)
  const taken = new Map(pair.map((layout) => [layout, []]))
  for (let round = 0; round < rounds; round++) {
    for (const layout of round % 2 === 0 ? pair : pair.toReversed())
      taken.get(layout).push(await drive(kind, layout, EACH_ROUND, rate))
    progress.at(++done, counts.length * kinds.length * rounds)
  }
  const [alone, routed] = pair.map((layout) => taken.get(layout))
  return { kind, count: pair[0].count, load: load(), alone, routed }
}

/** `each` requests for each cell. Microseconds of a request. */
async function drive(kind, layout, each, perSecond) {
  // All of those behind the router are one address.
  const cellsOfOne = layout.count / layout.urls.length
  const count = each * cellsOfOne
  const options = {
    users: USERS / layout.urls.length,
    prefix: 'wm_',
    from: layout.used,
    isMarked: true,
    count,
  }
  const before = spentBy(layout)
  await driver.ask(layout.urls.map((url) => ({ url, kind, perSecond: perSecond * cellsOfOne, options })))
  if (kind === 'webhook') layout.used += count
  const after = spentBy(layout)
  const micros = (party) => ((after[party] - before[party]) * 1e6) / (each * layout.count)
  const [service, database, router] = ['service', 'database', 'router'].map(micros)
  return { service, database, both: service + database, router }
}

function spentBy({ services, databases, router }) {
  const sum = (processes) => processes.reduce((all, { pid }) => all + cpuSeconds(pid), 0)
  return { service: sum(services), database: sum(databases), router: router ? cpuSeconds(router.pid) : 0 }
}

function report(results) {
  const machine = describeMachine()
  console.log(
    `${machine.processors} × ${machine.processor}, Node ${machine.node}, ${machine.commit}, load ${load()}`,
  )
  const rows = results.map(({ kind, count, alone, routed }) => {
    const middle = (side, party) => median(side.map((figures) => figures[party]))
    const ratios = routed.map(({ both }, round) => both / alone[round].both)
    const sides = ['service', 'database', 'both'].map(
      (party) => `${Math.round(middle(alone, party))} / ${Math.round(middle(routed, party))}`,
    )
    const spread = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
    return [
      kind,
      count,
      ...sides,
      Math.round(middle(routed, 'router')),
      `${spread[0]} (${spread[1]}–${spread[2]})`,
    ]
  })
  printTable(
    [
      'request',
      'cells',
      'service µs: without / with the router',
      'database µs',
      'both µs',
      'HAProxy µs',
      'ratio (lowest–highest)',
    ],
    rows,
  )
  console.log(`kept in ${save('cells', { machine, settings: given, results })}`)
}
