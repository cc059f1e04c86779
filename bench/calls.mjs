// npm run bench:calls [-- --only KINDS]: what one call costs the service that was built, as JSON: statements and round trips
// when calls come one by one, bytes on the wire to the database, and bytes of heap allocated and promoted when 8 come at
// once. `--program PATH` measures the command of another build. BENCH_DATABASE_URL names the PostgreSQL server; else one of
// its own. Counted, not timed.
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/database/open-database.js'
import { startProcess } from './support/children.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'
import { relayTo } from './support/wire.mjs'

const USERS = 2_000
const WARMING = 3_000
const COUNTED = 4_000
const ONE_BY_ONE = 200
const STOCK = WARMING + COUNTED + ONE_BY_ONE
const given = readOptions(
  'bench:calls',
  'What one call costs: statements, bytes on the wire and bytes of heap',
  {
    program: ['of this command of another build instead'],
    only: ['these calls', 'status,consume,upgrade,webhook,history'],
  },
)
const kinds = given.only.split(',')

const here = import.meta.dirname
const server = await startPostgres()
const driver = await startProcess([path.join(here, 'support/driver.mjs')])
const provider = await startProcess([path.join(here, 'peers/provider.mjs')], {
  env: { BENCH_LATENCY_MS: '1' },
})
const costs = {}
try {
  for (const kind of kinds) costs[kind] = await costsOf(kind)
} finally {
  await Promise.all([driver.stop(), provider.stop()])
  await server.stop()
}
console.log(JSON.stringify(costs, null, 2))

/** A process and a database of its own for each kind: what one leaves in the heap is not the next one's. */
async function costsOf(kind) {
  const databaseUrl = await createDatabase(server.url, `costs_${kind}`)
  const relay = await relayTo(databaseUrl)
  const lines = []
  const service = await startService({
    databaseUrl: relay.url,
    env: { CHARGILY_API_URL: provider.url },
    program: given.program,
    nodeOptions: ['--expose-gc', '--import', path.join(here, 'support/heap-probe.mjs')],
    onLine: (line) => lines.push(line),
  })
  // Migrated by the service: what is seeded fits older schemas too, since new columns have defaults.
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users: USERS, waiting: { wm_: STOCK }, isMigrated: true })
  await database.close()
  let from = 1
  const drive = async (amount, connections) => {
    const options = { users: USERS, prefix: kind === 'upgrade' ? 'new_' : 'wm_', from }
    from += amount
    await driver.ask({ url: service.url, kind, connections, amount, options })
  }
  await drive(WARMING, 8)
  await service.ask('begin')
  await drive(COUNTED, 8)
  await service.ask('end')
  const before = { ...relay.passed }
  await drive(ONE_BY_ONE, 1)
  const each = (name) => (relay.passed[name] - before[name]) / ONE_BY_ONE
  const wire = {
    statements: each('statements'),
    roundTrips: each('roundTrips'),
    wireBytes: Math.round(each('bytes')),
  }
  await service.stop()
  relay.close()
  const sum = (name) =>
    lines.reduce((all, line) => all + Number(new RegExp(` ${name}=(\\d+)`).exec(line)?.[1] ?? 0), 0)
  return {
    ...wire,
    allocated: Math.round(sum('allocated') / COUNTED),
    promoted: Math.round(sum('promoted') / COUNTED),
  }
}
