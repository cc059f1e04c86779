// npm run bench -- peers: status, webhook and upgrade beside better-auth with @better-auth/stripe, on the
// same PostgreSQL server, with one provider that answers both after the same time.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { startProcess } from './support/children.mjs'
import { compareAll, readOptions, withServers } from './support/compare.mjs'
import { createDatabase } from './support/postgres.mjs'
import { startSeeded } from './support/seed.mjs'

const given = readOptions('peers', 'The service beside other programs of its kind', {
  rounds: ['of each comparison', 3],
  seconds: ['of each round', 5],
  latency: ['of the provider, in ms', 5, 0],
  connections: ['callers at the same time', 32],
  only: ['these paths', 'status,webhook,upgrade'],
})
const { rounds, seconds, latency, connections, only } = given
const USERS = 1_000
const SECRET = 'whsec_bench'
const AIMS = { status: 20, webhook: 4, upgrade: 4 }
/** Requests that can be sent only once: the slower side has time for so many. */
const STOCK = { upgrade: 6_000, webhook: 15_000 }
const folder = path.join(import.meta.dirname, 'peers')

if (!existsSync(path.join(folder, 'node_modules/better-auth'))) installPeer()
await withServers(latency, async ({ server, provider, driver }) => {
  const peer = await startProcess([path.join(folder, 'server.mjs')], {
    env: {
      BENCH_DATABASE_URL: await createDatabase(server.url, 'peer'),
      BENCH_PROVIDER_URL: provider.url,
      BENCH_WEBHOOK_SECRET: SECRET,
      BENCH_USERS: String(USERS),
      BENCH_FRESH: String(STOCK.upgrade),
    },
  })
  const service = await startSeeded(server, 'ours', {
    rows: { users: USERS, paymentsEach: 1, waiting: { w_: STOCK.webhook } },
    env: { CHARGILY_API_URL: provider.url },
  })
  const paths = only.split(',').map((kind) => {
    const options = { users: USERS, secret: SECRET, prefix: kind === 'webhook' ? 'w_' : 'new_' }
    return {
      name: kind,
      against: 'better-auth, stripe',
      target: AIMS[kind],
      stock: STOCK[kind],
      ours: { ...service, kind, options },
      other: { ...peer, kind, options: { ...options, peer: true } },
    }
  })
  const sides = { ours: service, other: peer }
  await compareAll('peers', driver, { sides, paths, connections, rounds, seconds })
})

/** The date pins what these packages depend on, so that each run installs the same. */
function installPeer() {
  const PACKAGES = [
    ...['better-auth@1.7.6', '@better-auth/core@1.7.6', '@better-auth/stripe@1.7.6'],
    ...['better-call@1.4.0', 'pg@8.23.1', 'stripe@22.6.2'],
  ]
  const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--before=2026-11-27']
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['install', '--prefix', folder, ...options, ...PACKAGES], { stdio: 'inherit' })
}
