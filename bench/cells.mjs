// npm run bench:cells: the processor time of all parties for each request, with one, two and three cells
// behind HAProxy, beside one cell without a router. One request is under way at a time, and each cell of both
// is asked in turn: what differs is the router and the number of cells. A process keeps the way in which V8
// compiled it, which is a tenth more or less, so the services are started anew many times.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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
  cells: ['these numbers of cells; 0: again one without a router, which tells how exact this is', '0,1,2,3'],
  starts: ['how often the services are started', 10],
  requests: ['to each cell after each start, of each path', 300],
  warming: ['requests to each cell before', 1000],
})
const { starts, requests, warming } = given
const kinds = given.only.split(',')
const counts = given.cells.split(',').map(Number)
/** In each cell, about. */
const USERS = 666
const LANES = 8
/** What is booked is counted afterwards by jobs, every 10 s. */
const JOBS_MS = 12_000

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-bench-cells-'))
const driver = await startProcess([path.join(import.meta.dirname, 'support/turns.mjs')])
const progress = showProgress('starts')
const started = []
let done = 0
let made = 0
try {
  const results = []
  for (const count of counts) {
    const layouts = [
      await makeLayout(1, { isRouted: false }),
      await makeLayout(count || 1, { isRouted: count > 0 }),
    ]
    for (let start = 0; start < starts; start++) {
      const running = started.length
      for (const layout of layouts) await startLayout(layout)
      for (const kind of kinds) await drive(kind, layouts, warming, { lanes: LANES })
      await wait(JOBS_MS)
      for (const kind of kinds) {
        const restMs = kind === 'webhook' ? JOBS_MS : 0
        const [alone, routed] = await drive(kind, layouts, requests, { lanes: 1, restMs })
        results.push({ kind, count, load: load(), alone, routed })
      }
      await stopDownTo(running)
      progress.at(++done, counts.length * starts)
    }
    await stopDownTo(0)
  }
  report(results)
} finally {
  progress.end()
  await driver.stop()
  await stopDownTo(0)
  rmSync(folder, { recursive: true, force: true })
}

async function stopDownTo(running) {
  for (const { stop } of started.splice(running).toReversed()) await stop()
}

/** Its databases, with their rows. */
async function makeLayout(count, { isRouted }) {
  const size = Math.ceil(PARTS / count)
  const cells = await Promise.all(
    Array.from({ length: count }, async (_, place) => ({
      name: 'abc'[place],
      first: place * size,
      last: Math.min(PARTS, (place + 1) * size) - 1,
      port: await freePort(),
    })),
  )
  const own = path.join(folder, String(++made))
  const file = `${own}.json`
  const entries = cells.map(({ name, first, last, port }) => {
    return { name, parts: [`${first}-${last}`], servers: [`127.0.0.1:${port}`] }
  })
  writeFileSync(file, JSON.stringify({ cells: entries }))
  for (const cell of cells) {
    cell.server = await startPostgres()
    started.push(cell.server)
    cell.databaseUrl = await createDatabase(cell.server.url, 'cell')
    const waiting = (warming + requests) * starts
    await seedCell(cell.databaseUrl, cell, { users: count * USERS, waiting: count * waiting })
  }
  return { count, cells, isRouted, own, file, used: 1 }
}

async function startLayout(layout) {
  const { cells, isRouted, own, file } = layout
  layout.services = []
  for (const { name, databaseUrl, port } of cells) {
    const key = 'a secret of the cells that is longer than 32 bytes'
    const env = { CELL: name, CELLS_FILE: file, CELLS_KEY: key }
    const service = await startService({ databaseUrl, env, port })
    started.push(service)
    layout.services.push(service)
  }
  layout.router = isRouted ? await startRouter(own, file) : null
  layout.url = (layout.router ?? layout.services[0]).url
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

/** `turns` requests to each cell, and a rest. Microseconds of a request of each layout. */
async function drive(kind, layouts, turns, { lanes, restMs = 0 }) {
  const before = layouts.map(spentBy)
  const shops = layouts.map(({ url, count, used }) => {
    const options = { users: count * USERS, prefix: 'wm_', from: used, isMarked: true, count: turns * count }
    return { url, kind, each: count, options }
  })
  await driver.ask({ shops, turns, lanes })
  await wait(restMs)
  return layouts.map((layout, place) => {
    const asked = turns * layout.count
    if (kind === 'webhook') layout.used += asked
    const after = spentBy(layout)
    const micros = (party) => ((after[party] - before[place][party]) * 1e6) / asked
    const [service, database, router] = ['service', 'database', 'router'].map(micros)
    return { service, database, both: service + database, router }
  })
}

function spentBy({ services, cells, router }) {
  const sum = (processes) => processes.reduce((all, { pid }) => all + cpuSeconds(pid), 0)
  const databases = cells.map(({ server }) => server)
  return { service: sum(services), database: sum(databases), router: router ? cpuSeconds(router.pid) : 0 }
}

function report(results) {
  const machine = describeMachine()
  console.log(
    `${machine.processors} × ${machine.processor}, Node ${machine.node}, ${machine.commit}, load ${load()}`,
  )
  const rows = kinds.flatMap((kind) =>
    counts.map((count) => {
      const taken = results.filter((one) => one.kind === kind && one.count === count)
      const middle = (side, party) => Math.round(median(taken.map((one) => one[side][party])))
      const sides = ['service', 'database', 'both'].map(
        (party) => `${middle('alone', party)} / ${middle('routed', party)}`,
      )
      const ratios = taken.map(({ alone, routed }) => routed.both / alone.both)
      const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
      const { mean, error } = meanAndError(ratios)
      return [kind, count, ...sides, middle('routed', 'router'), `${mean} ± ${error}`, range]
    }),
  )
  printTable(
    [
      'request',
      'cells',
      'service µs: without / with the router',
      'database µs',
      'both µs',
      'HAProxy µs',
      'mean ratio ± standard error',
      'lowest–highest',
    ],
    rows,
  )
  console.log(`kept in ${save('cells', { machine, settings: given, results })}`)
}

function meanAndError(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean: mean.toFixed(3), error: Math.sqrt(variance / values.length).toFixed(3) }
}
