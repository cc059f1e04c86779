// npm run bench -- profile --kind consume [--embedded]: where the service spends its time under one kind of
// load, as a table of functions; the whole profile is kept for the browser's own viewer.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { startProcess } from './support/children.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { artifacts, printTable } from './support/report.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const given = readOptions('profile', 'Where the time of one path goes', {
  kind: ['the path', 'status'],
  seconds: ['how long', 8],
  connections: ['callers at the same time', 32],
  embedded: ['on the embedded database', false],
  top: ['functions that are listed', 40],
})
const STOCK = 30_000
const folder = path.join(artifacts, `profile-${given.kind}-${Date.now()}`)
mkdirSync(folder, { recursive: true })
const dataDir = mkdtempSync(path.join(tmpdir(), 'ishtirak-profile-'))
const server = given.embedded ? null : await startPostgres()
const databaseUrl = server ? await createDatabase(server.url, 'profile') : undefined
const database = await openDatabase(
  databaseUrl ? { url: databaseUrl } : { dataDir: path.join(dataDir, 'database') },
)
await seed(database, { users: 2_000, waiting: { w_: STOCK } })
await database.close()
const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
const service = await startService({ ...(databaseUrl ? { databaseUrl } : { dataDir }), nodeOptions })
const driver = await startProcess([path.join(import.meta.dirname, 'support/driver.mjs')])
const once = given.kind === 'webhook'
const result = await driver.ask({
  url: service.url,
  kind: given.kind,
  connections: given.connections,
  ...(once ? { amount: STOCK } : { seconds: given.seconds }),
  options: { users: 2_000, prefix: 'w_', from: 1 },
})
await driver.stop()
await service.stop()
await server?.stop()
rmSync(dataDir, { recursive: true, force: true })

const [file] = readdirSync(folder)
const profile = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
console.log(`${Math.round(result.perSecond)} a second; ${path.join(folder, file)}\n`)
printTable(['own ms', 'share of work', 'function'], hottest(profile, given.top))

/** Own time of each function, over all the places it was called from; idle time is no work. */
function hottest({ nodes, samples, timeDeltas }, count) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const own = new Map()
  samples.forEach((id, index) => {
    const name = names.get(id)
    own.set(name, (own.get(name) ?? 0) + timeDeltas[index] / 1000)
  })
  own.delete('(idle)')
  own.delete('(program)')
  const total = [...own.values()].reduce((sum, ms) => sum + ms, 0)
  return [...own]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([name, ms]) => [ms.toFixed(0), `${((ms / total) * 100).toFixed(1)} %`, name])
}

function nameOf({ functionName, url, lineNumber }) {
  const file = url.replace(/^.*\/(node_modules|dist)\//, '$1/')
  return `${functionName || '(anonymous)'}${file ? ` ${file}:${lineNumber + 1}` : ''}`
}
