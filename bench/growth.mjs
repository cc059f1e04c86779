// npm run bench -- growth --users 1000,100000: the same requests with few users in the database and with
// many, ten payments each. What changes with the size of the tables is all that is measured; a million users
// take some minutes and 8 GB.
import pg from 'pg'
import { claimDuePayments, openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { startProcess } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { median, printTable, round2, save } from './support/report.mjs'
import { tokenOf } from './support/requests.mjs'
import { compare } from './support/rounds.mjs'
import { seed, seedHeavyUser } from './support/seed.mjs'
import { startService } from './support/service.mjs'

const given = readOptions('growth', 'The same calls with few users and with many', {
  users: ['two numbers that are compared', '1000,100000'],
  rounds: ['of each comparison', 3],
  seconds: ['of each round', 5],
  connections: ['callers at the same time', 32],
})
const [few, many] = given.users.split(',').map(Number)
if (!many) throw new Error('two numbers of users are compared: --users 1000,100000')
const { rounds, seconds, connections } = given
const STOCK = 12_000
/** As many are asked for in both, spread over all there are: what is in the processor's cache is no merit. */
const ASKED = Math.min(few, 5_000)

const server = await startPostgres()
const driver = await startProcess([`${import.meta.dirname}/support/driver.mjs`])
const results = {}
const notes = {}
try {
  const [small, large] = [await prepare(few), await prepare(many)]
  const sides = (kind, ofSide = () => ({})) => ({
    ours: {
      ...large.service,
      kind,
      options: { users: ASKED, step: many / ASKED, prefix: 'w_', ...ofSide(large) },
    },
    other: {
      ...small.service,
      kind,
      options: { users: ASKED, step: few / ASKED, prefix: 'w_', ...ofSide(small) },
    },
  })
  const paths = {
    status: sides('status'),
    'history, first page': sides('history'),
    'history, 100th page': sides('page', ({ cursor }) => ({ userId: 'heavy', cursor })),
    consume: sides('consume'),
    webhook: sides('webhook'),
  }
  for (const [name, both] of Object.entries(paths)) {
    const stock = name === 'webhook' ? STOCK : undefined
    results[name] = await compare(driver, { sides: both, connections, rounds, seconds, stock })
    console.error(name, row(name, results[name]).join('  '), ` load ${load()}`)
  }
  notes.sweepMs = { few: await sweepMs(small), many: await sweepMs(large) }
  for (const { service } of [small, large]) await service.stop()
} finally {
  await driver.stop()
  await server.stop()
}
printTable(
  ['path', `${many} / ${few} users`, 'lowest–highest', 'a second', 'p99 ms'],
  Object.entries(results).map(([name, taken]) => row(name, taken)),
)
console.log(JSON.stringify(notes))
console.log(save('growth', { machine: describeMachine(), load: load(), users: [few, many], notes, results }))

function row(name, taken) {
  const ratios = taken.map(({ ours, other }) => ours.perSecond / other.perSecond)
  const middle = (side, field) => Math.round(median(taken.map((round) => round[side][field])))
  return [
    name,
    round2(median(ratios)),
    `${round2(Math.min(...ratios))}–${round2(Math.max(...ratios))}`,
    `${middle('ours', 'perSecond')} / ${middle('other', 'perSecond')}`,
    `${middle('ours', 'p99')} / ${middle('other', 'p99')}`,
  ]
}

async function prepare(users) {
  const startedAt = performance.now()
  const databaseUrl = await createDatabase(server.url, `users_${users}`)
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, { users, waiting: { w_: STOCK } })
  await seedHeavyUser(database, 2_100)
  await database.close()
  notes[`seeding ${users}`] =
    `${Math.round((performance.now() - startedAt) / 1000)} s, ${await sizeOf(databaseUrl)}`
  const service = await startService({ databaseUrl })
  return { databaseUrl, service, cursor: await cursorOfPage(service.url, 100) }
}

/** Walks there, page by page, as a reader does. */
async function cursorOfPage(url, page) {
  const headers = { authorization: `Bearer ${tokenOf('heavy')}` }
  let cursor = ''
  for (let turned = 1; turned < page; turned++) {
    const path = `/api/v1/billing/payments?limit=20${cursor && `&cursor=${cursor}`}`
    const answer = await fetch(`${url}${path}`, { headers })
    cursor = (await answer.json()).next_cursor
  }
  return cursor
}

async function sizeOf(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select pg_size_pretty(pg_database_size(current_database())) as size')
  await client.end()
  return rows[0].size
}

/** Claiming five due payments of those that wait, as the sweep does every ten seconds. */
async function sweepMs({ databaseUrl }) {
  const database = await openDatabase({ url: databaseUrl })
  const now = Date.now() + 2 * 86_400_000
  const times = []
  for (let run = 0; run < 200; run++) {
    const startedAt = performance.now()
    await claimDuePayments(database, {
      now,
      limit: 5,
      retryAt: now + 120_000,
      methods: ['chargily'],
      areMeant: true,
    })
    times.push(performance.now() - startedAt)
  }
  await database.close()
  return round2(median(times))
}
