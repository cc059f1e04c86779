// npm run bench -- profile --kind consume [--embedded]: where the service spends its time under one kind of
// load, as a table of functions. The whole profile is saved for the viewer of a browser.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { artifacts, printTable, readOptions, withServers } from './support/compare.mjs'
import { createDatabase } from './support/postgres.mjs'
import { seed } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const { kind, seconds, connections, stock, embedded, top } = readOptions(
  'profile',
  'Where the time of one path goes',
  {
    kind: ['the path', 'status'],
    seconds: ['how long', 8],
    connections: ['callers at the same time', 32],
    stock: ['how many requests, if each can be sent only once (webhook, upgrade)', 8000],
    embedded: ['on the embedded database', false],
    top: ['functions that are listed', 40],
  },
)
const USERS = 2_000
const folder = path.join(artifacts, `profile-${kind}-${Date.now()}`)
mkdirSync(folder, { recursive: true })
const dataDir = mkdtempSync(path.join(tmpdir(), 'ishtirak-profile-'))
let perSecond = 0
await withServers(5, async ({ server, provider, driver }) => {
  const databaseUrl = embedded ? undefined : await createDatabase(server.url, 'profile')
  const database = await openDatabase(
    databaseUrl ? { url: databaseUrl } : { dataDir: path.join(dataDir, 'database') },
  )
  await seed(database, { users: USERS, waiting: { w_: stock } })
  await database.close()
  const service = await startService({
    ...(databaseUrl ? { databaseUrl } : { dataDir }),
    env: { CHARGILY_API_URL: provider.url },
    nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  })
  const isOnce = ['webhook', 'upgrade'].includes(kind)
  const options = { users: USERS, prefix: kind === 'upgrade' ? 'new_' : 'w_', from: 1 }
  const load = isOnce ? { amount: stock } : { seconds }
  perSecond = (await driver.ask({ url: service.url, kind, connections, ...load, options })).perSecond
})
rmSync(dataDir, { recursive: true, force: true })

const [file] = readdirSync(folder)
const profile = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
console.log(`${Math.round(perSecond)} a second; ${path.join(folder, file)}\n`)
printTable(['own ms', 'share of work', 'function'], hottest(profile, top))

/** The own time of each function, over all places that call it. Idle time does not count. */
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
