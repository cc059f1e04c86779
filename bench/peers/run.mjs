// npm run bench -- peers: status, upgrade and webhook compared with better-auth and @better-auth/stripe on
// the same PostgreSQL server, with one provider stub that answers both after the same time. Installs the
// peer in this folder.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { openDatabase } from '../../packages/ishtirak/dist/main/internal.js'
import { residentMb, startProcess } from '../support/children.mjs'
import { describeMachine, load } from '../support/machine.mjs'
import { countOrNone, readOptions } from '../support/options.mjs'
import { createDatabase, startPostgres } from '../support/postgres.mjs'
import { HEAD, printTable, rowOf, save, summarize } from '../support/report.mjs'
import { compare } from '../support/rounds.mjs'
import { seed } from '../support/seed.mjs'
import { startService } from '../support/service.mjs'

const given = readOptions('peers', 'The service beside other programs of its kind', {
  rounds: ['of each comparison', 3],
  seconds: ['of each round', 5],
  latency: ['of the provider, in ms', 5, countOrNone],
  connections: ['callers at the same time', 32],
  only: ['these paths', 'status,webhook,upgrade'],
})
const { rounds, seconds, connections } = given
const here = import.meta.dirname
const USERS = 1_000
const SECRET = 'whsec_bench'
const AIMS = { status: 20, webhook: 4, upgrade: 4 }
/**
 * Of requests that can be sent only once: what the slower side can take in its rounds, and the faster in its
 * own.
 */
const STOCK = { upgrade: 6_000, webhook: 15_000 }

if (!existsSync(path.join(here, 'node_modules/better-auth'))) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', here], { stdio: 'inherit' })
}
const driver = await startProcess([path.join(here, '../support/driver.mjs')])
const server = await startPostgres()
const results = []
const notes = {}
try {
  const provider = await startProcess([path.join(here, 'provider.mjs')], {
    env: { BENCH_LATENCY_MS: String(given.latency) },
  })
  const peer = await startProcess([path.join(here, 'server.mjs')], {
    env: {
      BENCH_DATABASE_URL: await createDatabase(server.url, 'peer'),
      BENCH_PROVIDER_URL: provider.url,
      BENCH_WEBHOOK_SECRET: SECRET,
      BENCH_USERS: String(USERS),
      BENCH_FRESH: String(STOCK.upgrade),
    },
  })
  const databaseUrl = await createDatabase(server.url, 'ours')
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users: USERS, paymentsEach: 1, waiting: { w_: STOCK.webhook } })
  await database.close()
  const ours = await startService({ databaseUrl, env: { CHARGILY_API_URL: provider.url } })
  notes.atRestMb = { ours: Math.round(residentMb(ours.pid)), peer: Math.round(residentMb(peer.pid)) }
  for (const kind of given.only.split(',')) {
    const target = AIMS[kind]
    const options = { users: USERS, secret: SECRET }
    const taken = await compare(driver, {
      sides: {
        ours: { ...ours, kind, options: { ...options, prefix: kind === 'webhook' ? 'w_' : 'new_' } },
        other: { ...peer, kind, options: { ...options, peer: true } },
      },
      connections,
      rounds,
      seconds,
      stock: STOCK[kind],
    })
    results.push({
      name: kind,
      against: 'better-auth, stripe',
      target,
      summary: summarize(taken),
      rounds: taken,
    })
    console.error(rowOf(results.at(-1)).join('  '), ` load ${load()}`)
  }
  notes.underLoadMb = { ours: Math.round(residentMb(ours.pid)), peer: Math.round(residentMb(peer.pid)) }
  for (const each of [ours, peer, provider]) await each.stop()
} finally {
  await driver.stop()
  await server.stop()
}
printTable(HEAD, results.map(rowOf))
console.log(JSON.stringify(notes))
console.log(
  save('peers', { machine: describeMachine(), load: load(), latencyMs: given.latency, notes, results }),
)
