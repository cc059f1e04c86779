// npm run bench:cells: the processor time of all parties for each request, with one cell and no router, and
// with one, two and three cells behind HAProxy. Each cell has a service and a PostgreSQL server of its own
// and is asked as often as another, so that what differs is the number of cells.
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
  rounds: ['of each number of cells', 6],
  seconds: ['of each round', 10],
  rate: ['requests a second for each cell', 200],
  connections: ['callers of each cell at the same time', 16],
})
const { rounds, seconds, rate, connections } = given
const kinds = given.only.split(',')
const USERS = 2_000
const EACH_ROUND = rate * seconds
/** Requests before the first round: plans are made, code is compiled. */
const WARMING = 5_000

const PARTIES = ['service', 'database', 'cells', 'router']

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-bench-cells-'))
const driver = await startProcess([path.join(import.meta.dirname, 'support/driver.mjs')])
const progress = showProgress('rounds')
const started = []
let done = 0
try {
  const layouts = [await startLayout('no router', 1, { isRouted: false })]
  for (const cells of [1, 2, 3]) layouts.push(await startLayout(`${cells} behind HAProxy`, cells))
  const results = []
  for (const kind of kinds) results.push(...(await measure(kind, layouts)))
  report(results)
} finally {
  progress.end()
  await driver.stop()
  for (const { stop } of started.toReversed()) await stop()
  rmSync(folder, { recursive: true, force: true })
}

async function startLayout(name, count, { isRouted = true } = {}) {
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
    await seedCell(databaseUrl, cell, count * (WARMING + EACH_ROUND * rounds))
    const key = 'a secret of the cells that is longer than 32 bytes'
    const env = isRouted ? { CELL: cell.name, CELLS_FILE: file, CELLS_KEY: key } : {}
    const service = await startService({ databaseUrl, env, port: cell.port })
    started.push(service)
    services.push(service)
  }
  const router = isRouted ? await startRouter(own, file) : null
  return { name, count, services, databases, router, url: (router ?? services[0]).url, used: 1 }
}

/** All users of the run, without those of other cells; ids of payments in the form that the router reads. */
async function seedCell(databaseUrl, { first, last }, waiting) {
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, {
    users: USERS,
    paymentsEach: 2,
    waiting: kinds.includes('webhook') ? { wm_: waiting } : {},
  })
  const elsewhere = `where part_of(user_id) not between ${first} and ${last}`
  const tables = ['receipts', 'payments', 'portal_sessions', 'users']
  const deletions = tables.map((table) => `delete from ${table} ${elsewhere}`)
  const marks = Array.from({ length: PARTS }, (_, part) => `(${part}, '${markOf(part)}')`)
  await database.script(`
    set local session_replication_role = replica;
    ${deletions.join(';')};
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

/** Each layout in turn, forth and back, since what comes later finds larger tables. */
async function measure(kind, layouts) {
  for (const layout of layouts) await drive(kind, layout, WARMING)
  const taken = new Map(layouts.map((layout) => [layout, []]))
  for (let round = 0; round < rounds; round++) {
    for (const layout of round % 2 === 0 ? layouts : layouts.toReversed())
      taken.get(layout).push(await drive(kind, layout, EACH_ROUND))
    progress.at(++done, kinds.length * rounds)
  }
  return layouts.map(({ name }, place) => {
    const figures = taken.get(layouts[place])
    const middle = (party) => median(figures.map((figure) => figure[party]))
    return {
      kind,
      name,
      load: load(),
      ...Object.fromEntries(PARTIES.map((party) => [party, middle(party)])),
      figures,
    }
  })
}

async function drive(kind, layout, each) {
  const count = each * layout.count
  const before = spentBy(layout)
  const options = { users: USERS, prefix: 'wm_', from: layout.used, isMarked: true }
  const callers = connections * layout.count
  const amount = Math.floor(count / callers) * callers
  const perSecond = rate * layout.count
  await driver.ask({
    url: layout.url,
    kind,
    connections: callers,
    amount,
    perSecond,
    options: { ...options, count: amount },
  })
  if (kind === 'webhook') layout.used += amount
  const after = spentBy(layout)
  const micros = (party) => ((after[party] - before[party]) * 1e6) / amount
  const [service, database, router] = ['service', 'database', 'router'].map(micros)
  return { service, database, router, cells: service + database }
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
  const rows = results.map((result) => {
    const alone = results.find(({ kind }) => kind === result.kind)
    const ratio = (result.cells / alone.cells).toFixed(3)
    return [result.kind, result.name, ...PARTIES.map((party) => Math.round(result[party])), ratio]
  })
  printTable(
    ['request', 'cells', 'service µs', 'database µs', 'both µs', 'HAProxy µs', 'both / no router'],
    rows,
  )
  console.log(`kept in ${save('cells', { machine, settings: given, results })}`)
}
