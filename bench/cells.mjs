// npm run bench:cells: the processor time of all parties for each request, with one, two and three cells
// behind HAProxy, beside one cell without a router. Both are asked at the same moments, each of their cells
// as often: so both have the same machine at each moment, and what differs is the router and the number of
// cells.
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
import { createDatabase, freePort, run, startPostgres } from './support/postgres.mjs'
import { median, printTable, save } from './support/report.mjs'
import { seed } from './support/seed.mjs'
import { PROGRAM, startService } from './support/service.mjs'

const given = readOptions('bench:cells', 'The processor time of a request with one, two and three cells', {
  only: ['these paths', 'status,consume,webhook'],
  cells: ['these numbers of cells', '1,2,3'],
  rounds: ['of each number of cells', 12],
  seconds: ['of each round', 6],
  rate: ['requests a second for each cell', 60],
})
const { rounds, seconds, rate } = given
const kinds = given.only.split(',')
const counts = given.cells.split(',').map(Number)
/** In each cell, about. */
const USERS = 666
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
    const alone = await startLayout(1, { isRouted: false })
    const layouts = [alone, await startLayout(count, { isRouted: true })]
    for (const kind of kinds) results.push(await measure(kind, layouts))
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
    await seedCell(databaseUrl, cell, { users: count * USERS, waiting: count * waiting })
    const key = 'a secret of the cells that is longer than 32 bytes'
    const env = { CELL: cell.name, CELLS_FILE: file, CELLS_KEY: key }
    const service = await startService({ databaseUrl, env, port: cell.port })
    started.push(service)
    services.push(service)
  }
  const router = isRouted ? await startRouter(own, file) : null
  return { count, services, databases, router, url: (router ?? services[0]).url, used: 1 }
}

/** Users of all cells, without those of the others. Ids of payments have the form that the router reads. */
async function seedCell(databaseUrl, { first, last }, { users, waiting }) {
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users, paymentsEach: 2, waiting: kinds.includes('webhook') ? { wm_: waiting } : {} })
  const elsewhere = `where part_of(user_id) not between ${first} and ${last}`
  const tables = ['receipts', 'payments', 'portal_sessions', 'users']
  const marks = Array.from({ length: PARTS }, (_, part) => `(${part}, '${markOf(part)}')`)
  await database.script(`
    set local session_replication_role = replica;
    ${tables.map((table) => `delete from ${table} ${elsewhere}`).join(';')};
    update payments set id = 'pay_' || lpad(user_id, 24, '0') || mark from (values ${marks}) m (part, mark)
     where status = 'pending' and part = part_of(user_id)`)
  await database.close()
  // What was deleted leaves no gaps, and nothing tidies up while it is measured.
  await run(databaseUrl, 'vacuum full', 'vacuum analyze', 'alter system set autovacuum = off')
  await run(databaseUrl, 'select pg_reload_conf()', 'checkpoint')
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

async function measure(kind, layouts) {
  await drive(kind, layouts, WARMING, WARMING_RATE)
  const taken = []
  for (let round = 0; round < rounds; round++) {
    taken.push(await drive(kind, layouts, EACH_ROUND, rate))
    progress.at(++done, counts.length * kinds.length * rounds)
  }
  const [alone, routed] = layouts.map((_, place) => taken.map((round) => round[place]))
  return { kind, count: layouts[1].count, load: load(), alone, routed }
}

/** `each` requests for each cell, of all layouts at once. Microseconds of a request of each layout. */
async function drive(kind, layouts, each, perSecond) {
  const before = layouts.map(spentBy)
  const asked = layouts.map(({ url, count, used }) => {
    const options = { users: count * USERS, prefix: 'wm_', from: used, isMarked: true, count: each * count }
    return { url, kind, perSecond: perSecond * count, options }
  })
  await driver.ask(asked)
  return layouts.map((layout, place) => {
    const requests = each * layout.count
    if (kind === 'webhook') layout.used += requests
    const after = spentBy(layout)
    const micros = (party) => ((after[party] - before[place][party]) * 1e6) / requests
    const [service, database, router] = ['service', 'database', 'router'].map(micros)
    return { service, database, both: service + database, router }
  })
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
