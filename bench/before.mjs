// npm run bench -- before: this build beside the anchor of bench/anchor.json, or beside the command that
// --program names, in turns, in one run.
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { ANCHOR, anchorProgram } from './support/anchor.mjs'
import { residentMb, startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { HEAD, printTable, rowOf, save, summarize } from './support/report.mjs'
import { compare } from './support/rounds.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const given = readOptions('before', 'This build beside the anchor of bench/anchor.json', {
  program: ['beside this command of another build instead'],
  only: ['these paths', 'status,consume,webhook,upgrade'],
  rounds: ['of each comparison', 8],
  seconds: ['of each round', 3],
  connections: ['callers at the same time', 32],
  stock: ['payments that wait for a webhook', 60000],
})
const only = given.only.split(',')
const { rounds, seconds, connections, stock } = given
const before = given.program === undefined ? anchorProgram() : path.resolve(given.program)
const USERS = 5_000
/** Against the anchor; beside any other build, as fast as it. */
const AIMS = given.program === undefined ? { status: 1.15, consume: 1.1, webhook: 1.15, upgrade: 1.1 } : {}

const here = import.meta.dirname
const driver = await startProcess([path.join(here, 'support/driver.mjs')])
const provider = await startProcess([path.join(here, 'peers/provider.mjs')], {
  env: { BENCH_LATENCY_MS: '5' },
})
const server = await startPostgres()
const results = []
const memory = {}
try {
  const sides = {
    ours: await startSide('after'),
    other: await startSide('before', before),
  }
  const atRest = memoryOf(sides)
  for (const kind of only) {
    const options = { users: USERS, prefix: kind === 'upgrade' ? 'new_' : 'wm_' }
    const taken = await compare(driver, {
      sides: { ours: { ...sides.ours, kind, options }, other: { ...sides.other, kind, options } },
      connections,
      rounds,
      seconds,
      mirrored: true,
      stock: kind === 'webhook' || kind === 'upgrade' ? stock : undefined,
    })
    results.push({
      name: kind,
      against: given.program === undefined ? ANCHOR : 'before',
      target: AIMS[kind] ?? 1,
      connections,
      summary: summarize(taken),
      rounds: taken,
    })
    console.error(rowOf(results.at(-1)).join('  '), ` load ${load()}`)
  }
  Object.assign(memory, { atRest, underLoad: memoryOf(sides) })
  await Promise.all([sides.ours.stop(), sides.other.stop()])
} finally {
  await Promise.all([driver.stop(), provider.stop()])
  await server.stop()
}
const machine = describeMachine()
console.log(
  `${machine.processors} × ${machine.processor}, Node ${machine.node}, ${machine.commit}, load ${load()}`,
)
printTable(HEAD, results.map(rowOf))
console.log(`resident MB, after and before: at rest ${memory.atRest}, under load ${memory.underLoad}`)
console.log(`kept in ${save('before', { machine, results, memory })}`)

/**
 * The service migrates its own database; what is seeded then fits both schemas, because new columns have
 * defaults.
 */
async function startSide(name, program) {
  const databaseUrl = await createDatabase(server.url, name)
  const env = { CHARGILY_API_URL: provider.url }
  const service = await startService({ databaseUrl, env, program })
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users: USERS, waiting: { wm_: stock }, isMigrated: true })
  await database.close()
  return service
}

function memoryOf({ ours, other }) {
  return [ours, other].map(({ pid }) => Math.round(residentMb(pid))).join(' / ')
}
