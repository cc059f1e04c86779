// npm run bench:before -- --program PATH: this build beside an older one, in turns, in one run. PATH is the older build's
// command (`dist/cli.js` or `packages/ishtirak/dist/main/cli.js` of another checkout). `--rounds 5 --seconds 3 --only status`.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../packages/ishtirak/dist/database/open-database.js'
import { residentMb, startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { HEAD, printTable, rowOf, save, summarize } from './support/report.mjs'
import { compare } from './support/rounds.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const { values: given } = parseArgs({
  options: {
    program: { type: 'string' },
    only: { type: 'string', default: 'status,consume,webhook,upgrade' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    stock: { type: 'string', default: '30000' },
  },
})
if (given.program === undefined) throw new Error('--program: the command of the build before')
const only = given.only.split(',')
const [rounds, seconds, connections, stock] = [
  given.rounds,
  given.seconds,
  given.connections,
  given.stock,
].map(Number)
const USERS = 5_000
/** At least as fast as before, but for what five rounds differ by on a quiet machine. */
const AIM = 0.95

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
    other: await startSide('before', path.resolve(given.program)),
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
      against: 'before',
      target: AIM,
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

/** The service migrates its own database; what is seeded then fits both schemas, because new columns have defaults. */
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
