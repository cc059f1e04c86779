// npm run bench -- cost: the cost of the idle service. Memory and time to the first answer with each
// database, the size of the installation, and the time of `npm ci`. Memory under load is measured by `npm
// run bench`.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { residentMb } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { median, save } from './support/report.mjs'
import { startService } from './support/service.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const ROUNDS = 3
const notes = { load: load() }

const dataDir = mkdtempSync(path.join(tmpdir(), 'ishtirak-cost-'))
notes.embeddedFirstStart = await startOf({ dataDir }, 1)
notes.embedded = await startOf({ dataDir }, ROUNDS)
rmSync(dataDir, { recursive: true, force: true })
const server = await startPostgres()
const databaseUrl = await createDatabase(server.url, 'cost')
notes.postgresFirstStart = await startOf({ databaseUrl }, 1)
notes.postgres = await startOf({ databaseUrl }, ROUNDS)
await server.stop()
Object.assign(notes, install())
console.log(JSON.stringify(notes, null, 2))
console.log(save('cost', { machine: describeMachine(), notes }))

/** Milliseconds until /readyz answers, and megabytes then. */
async function startOf(where, rounds) {
  const starts = []
  for (let round = 0; round < rounds; round++) {
    const service = await startService(where)
    starts.push({ ms: service.startMs, mb: residentMb(service.pid) })
    await service.stop()
  }
  const middle = (name) => Math.round(median(starts.map((start) => start[name])))
  return { untilReadyMs: middle('ms'), residentMb: middle('mb') }
}

/** In a temporary folder, with and without the development dependencies. */
function install() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-install-'))
  try {
    const manifests = ['chargily-emulator', 'client', 'ishtirak'].map(
      (name) => `packages/${name}/package.json`,
    )
    for (const name of ['package.json', 'package-lock.json', ...manifests])
      cpSync(path.join(root, name), path.join(folder, name))
    const all = timed(() => npmCi(folder, []))
    const allMb = megabytes(path.join(folder, 'node_modules'))
    const run = timed(() => npmCi(folder, ['--omit=dev']))
    const runMb = megabytes(path.join(folder, 'node_modules'))
    return { npmCi: { seconds: all, mb: allMb }, npmCiWithoutDev: { seconds: run, mb: runMb } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function npmCi(folder, options) {
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
    cwd: folder,
    stdio: 'ignore',
  })
}

function timed(work) {
  const startedAt = performance.now()
  work()
  return Math.round((performance.now() - startedAt) / 100) / 10
}

function megabytes(folder) {
  const bytes = (entry) =>
    entry.isDirectory()
      ? readdirSync(path.join(entry.parentPath ?? entry.path, entry.name), { withFileTypes: true }).reduce(
          (sum, inner) => sum + bytes(inner),
          0,
        )
      : (statSync(path.join(entry.parentPath ?? entry.path, entry.name), { throwIfNoEntry: false })?.size ??
        0)
  return Math.round(
    readdirSync(folder, { withFileTypes: true }).reduce((sum, each) => sum + bytes(each), 0) / 2 ** 20,
  )
}
