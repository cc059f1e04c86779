// npm run bench -- start: the embedded database from nothing. Milliseconds from `npm start` to the first
// answer, the first time and again, beside bare Fastify and PGlite; memory at its peak, at rest, and under
// a mixed load of `--seconds 600`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { cpuSeconds, peakMb, processesOf, residentMb, startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { countOrNone, readOptions } from './support/options.mjs'
import { freePort } from './support/postgres.mjs'
import { median, printTable, round2, save } from './support/report.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const given = readOptions('start', 'Starts of the process, and what it holds after a long load', {
  rounds: ['starts of each kind', 5],
  seconds: ['of load; 0: none', 600, countOrNone],
})
const rounds = given.rounds
const loadSeconds = given.seconds
const REST_MS = 10_000
const USERS = 2_000
/** A user who has just paid is in one of these many; each turn takes some. */
const [STOCK, PAID_A_TURN] = [20_000, 200]
const KINDS = ['status', 'consume', 'history', 'overview', 'portal', 'plans']
const TURN_SECONDS = 2

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-start-'))
try {
  const starts = await measureStarts()
  const memory = loadSeconds > 0 ? await measureLoad() : []
  const rows = [...starts, ...memory].map(({ name, ours, aim, floor }) => [
    name,
    ours,
    aim === undefined ? '' : ours <= aim ? `≤ ${aim}` : `**above ${aim}**`,
    floor ?? '',
    floor === undefined ? '' : round2(ours / floor),
  ])
  printTable(['', 'ours', 'aim', 'Fastify and PGlite', 'ratio'], rows)
  console.log(save('start', { machine: describeMachine(), load: load(), rows }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Each round starts twice in a folder of its own, ours and the floor in turns. */
async function measureStarts() {
  const taken = { first: [], again: [], floorFirst: [], floorAgain: [] }
  for (let round = 0; round < rounds; round++) {
    const [ours, floor] = ['ours', 'floor'].map((name) => path.join(folder, `${name}-${round}`))
    taken.floorFirst.push(await startFloor(floor))
    taken.first.push(await startNpm(ours))
    taken.floorAgain.push(await startFloor(floor))
    taken.again.push(await startNpm(ours))
  }
  const middle = (side, figure) => Math.round(median(taken[side].map((start) => start[figure])))
  const row = (name, [side, floorSide], figure, aim) => {
    const [ours, floor] = [middle(side, figure), middle(floorSide, figure)]
    return { name, ours, floor, aim }
  }
  return [
    row('npm start to the first answer, first time, ms', ['first', 'floorFirst'], 'ms', 3_000),
    row('again, ms', ['again', 'floorAgain'], 'ms', 1_500),
    row('processor time of it, ms', ['again', 'floorAgain'], 'cpuMs', undefined),
    row('peak of the first start, MB', ['first', 'floorFirst'], 'peakMb', 450),
    row('at rest after it, MB', ['first', 'floorFirst'], 'restMb', undefined),
    row('at rest, MB', ['again', 'floorAgain'], 'restMb', 250),
  ]
}

/** As a newcomer does: no configuration, so with the emulator beside it. */
async function startNpm(dataDir) {
  const port = await freePort()
  const npm = await startProcess([process.env.npm_execpath, 'start'], {
    url: `http://127.0.0.1:${port}/readyz`,
    env: {
      NODE_ENV: 'development',
      PORT: String(port),
      SANDBOX_PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: dataDir,
    },
  })
  return await memoryOf(processesOf(npm.pid).at(-1), npm)
}

async function startFloor(dataDir) {
  const floor = path.join(import.meta.dirname, 'floors/start.mjs')
  const child = await startProcess([floor], { env: { BENCH_FOLDER: dataDir } })
  return await memoryOf(child.pid, child)
}

async function memoryOf(pid, { startMs, stop }) {
  const [peak, cpuMs] = [peakMb(pid), cpuSeconds(pid) * 1000]
  await wait(REST_MS)
  const restMb = residentMb(pid)
  process.kill(pid, 'SIGTERM')
  await stop()
  return { ms: startMs, cpuMs, peakMb: peak, restMb }
}

/** Reads, counts and webhooks in turns; the memory after each. */
async function measureLoad() {
  const dataDir = path.join(folder, 'load')
  const database = await openDatabase({ dataDir: path.join(dataDir, 'database') })
  await seed(database, { users: USERS, waiting: { w_: STOCK } })
  await database.close()
  const service = await startService({ dataDir })
  const driver = await startProcess([path.join(import.meta.dirname, 'support/driver.mjs')])
  const drive = (kind, size, from) =>
    driver.ask({
      url: service.url,
      kind,
      connections: 32,
      ...size,
      options: { users: USERS, prefix: 'w_', from },
    })
  const memory = []
  const endAt = performance.now() + loadSeconds * 1000
  for (let turn = 0; performance.now() < endAt; turn++) {
    for (const kind of KINDS) await drive(kind, { seconds: TURN_SECONDS })
    const from = 1 + turn * PAID_A_TURN
    if (from + PAID_A_TURN <= STOCK) await drive('webhook', { amount: PAID_A_TURN }, from)
    memory.push(residentMb(service.pid))
  }
  const peak = peakMb(service.pid)
  await driver.stop()
  await service.stop()
  const quarter = Math.max(1, Math.floor(memory.length / 4))
  return [
    {
      name: `most after a turn of ${loadSeconds} s of load, MB`,
      ours: Math.round(Math.max(...memory)),
      aim: 350,
    },
    { name: 'peak meanwhile, MB', ours: Math.round(peak) },
    { name: 'mean of the first quarter, MB', ours: Math.round(mean(memory.slice(0, quarter))) },
    { name: 'mean of the last quarter, MB', ours: Math.round(mean(memory.slice(-quarter))) },
  ]
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
