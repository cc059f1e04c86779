// npm run bench -- console --users 1000000: processor time of each page of the console, and of its API, in a
// shop of a million users and ten million payments: of the service and of the database together. Filling
// takes some minutes and 20 GB.
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { migrate, openDatabase } from '../packages/ishtirak/dist/main/internal.js'
import { processesOf } from './support/children.mjs'
import { describeMachine, load } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { createDatabase, startPostgres } from './support/postgres.mjs'
import { median, printTable, round2, save } from './support/report.mjs'
import { startService } from './support/service.mjs'
import { busyDay, dayAgo, fillShop, paymentIdOf, userIdOf } from './support/shop.mjs'

const given = readOptions('console', 'Every page of the console in a large shop', {
  users: ['of the shop', 1000000],
  times: ['each page is asked for', 20],
  database: ['of a shop that is there already'],
  only: ['regular expression of the names of pages', ''],
})
const { users, times } = given
const AIM_MS = 50
const WARM_UP = 10
const KEY = 'bench-operator-key-0123456789'
const API = '/api/v1/operator'

const server = given.database ? { url: given.database, stop: async () => {} } : await startPostgres()
const measured = []
try {
  const databaseUrl = given.database ?? (await fill())
  const service = await startService({ databaseUrl, env: { OPERATOR_KEYS: `amina:${KEY}` } })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const clocks = { node: () => cpuMs(service.pid), postgres: () => cpuMs(parentOf(rows[0].pid)) }
  const visitor = await enter(service.url)
  for (const [name, path] of await pages(visitor)) {
    if (!new RegExp(given.only).test(name)) continue
    measured.push({ name, path, ...(await measure(visitor, clocks, path)) })
    console.error(rowOf(measured.at(-1)).join('  '), ` load ${load()}`)
  }
  await client.end()
  await service.stop()
} finally {
  await server.stop()
}
printTable(['page', 'node ms', 'PostgreSQL ms', 'together ms', 'most', 'kB'], measured.map(rowOf))
console.log(save('console', { machine: describeMachine(), load: load(), users, measured }))

async function fill() {
  const url = await createDatabase(server.url, 'shop')
  const database = await openDatabase({ url })
  await migrate(database)
  await database.close()
  await fillShop(url, { users, told: (part, seconds) => console.error(`${seconds} s  ${part}`) })
  return url
}

function rowOf({ name, node, postgres, together, most, kb }) {
  const sum = together < AIM_MS ? round2(together) : `**${round2(together)}**`
  return [name, round2(node), round2(postgres), sum, round2(most), round2(kb)]
}

/** Medians of what one request takes, in milliseconds of processor time. */
async function measure(visitor, clocks, path) {
  const taken = []
  let bytes = 0
  for (let n = -WARM_UP; n < times; n++) {
    const before = [clocks.node(), clocks.postgres()]
    bytes = (await visitor.read(path)).length
    await settled()
    const [node, postgres] = [clocks.node() - before[0], clocks.postgres() - before[1]]
    if (n >= 0) taken.push({ node, postgres, together: node + postgres })
  }
  const of = (name) => taken.map((one) => one[name])
  return {
    ...{ node: median(of('node')), postgres: median(of('postgres')), together: median(of('together')) },
    most: Math.max(...of('together')),
    kb: bytes / 1000,
  }
}

/** What follows an answer, and the collecting of garbage on other threads, is of that request too. */
async function settled() {
  await new Promise((resolve) => setTimeout(resolve, 20))
}

async function enter(url) {
  const answer = await fetch(`${url}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key: KEY }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  if (!cookie) throw new Error(`no session: ${answer.status} ${await answer.text()}`)
  return {
    async read(path) {
      const headers = path.startsWith('/api') ? { authorization: `Bearer ${KEY}` } : { cookie }
      const page = await fetch(`${url}${path}`, { headers, redirect: 'manual' })
      const text = await page.text()
      // An exact hit leads on to its page.
      if (page.status !== 200 && page.status !== 303)
        throw new Error(`${path}: ${page.status} ${text.slice(0, 300)}`)
      return text
    },
  }
}

/** Cursors are read from the page before. */
async function pages(visitor) {
  const [faithful, other] = [Math.floor(users / 20) * 10, Math.floor(users / 2) + 1].map(userIdOf)
  const payment = paymentIdOf(Math.floor(users / 20) * 10, 30)
  const [month, lastMonth] = [dayAgo(0), dayAgo(40)].map((day) => day.slice(0, 7))
  const journal = `/console/months/${lastMonth}/receipts`
  const searches = {
    'an e-mail address, whole': 'mohamed.bene1@example.dz',
    'the beginning of an address': 'mohamed.ben',
    'the beginning of a name': 'a',
    'a name of 125,000 users': 'Mohamed',
    'a user': other,
    'a payment': payment,
    'a receipt': 'TEST-2024-001000',
    'an amount and a day': `2000 ${dayAgo(3)}`,
    'an amount and a busy day': `2000 ${busyDay}`,
    'digits that no amount ends with, and a busy day': `777 ${busyDay}`,
    'nothing that there is': 'zzzz',
  }
  return Object.entries({
    inbox: '/console',
    'inbox, one kind': '/console?kind=discrepancy',
    'inbox, 2nd page': await nextOf(visitor, '/console'),
    'inbox, API': `${API}/inbox`,
    ...Object.fromEntries(
      Object.entries(searches).flatMap(([name, typed]) => {
        const query = `search?q=${encodeURIComponent(typed)}`
        return [
          [`search: ${name}`, `/console/${query}`],
          [`search: ${name}, API`, `${API}/${query}`],
        ]
      }),
    ),
    'user with 55 payments': `/console/users/${faithful}`,
    'user, 2nd page of the timeline': await nextOf(visitor, `/console/users/${faithful}`),
    'user, API': `${API}/users/${faithful}`,
    'timeline, API': `${API}/users/${faithful}/timeline`,
    payment: `/console/payments/${payment}`,
    'payment, API': `${API}/payments/${payment}`,
    month: `/console/months/${month}`,
    'month before': `/console/months/${lastMonth}`,
    'month, API': `${API}/months/${lastMonth}`,
    journal,
    'journal, 2nd page': await nextOf(visitor, journal),
    health: '/console/health',
    'health, API': `${API}/health`,
    'events that wait, API': `${API}/events?state=waiting`,
    'reconciliations, API': `${API}/reconciliations`,
    operators: '/console/operators',
  })
}

async function nextOf(visitor, path) {
  const cursor = /[?&;]cursor=([^"&#]+)/.exec(await visitor.read(path))?.[1]
  if (!cursor) throw new Error(`${path} has no next page`)
  return `${path}?cursor=${cursor}`
}

/**
 * Processor time of a process and its children so far, of all their threads, in milliseconds (proc(5),
 * schedstat).
 */
function cpuMs(pid) {
  const threads = processesOf(pid).flatMap((each) =>
    readdirSync(`/proc/${each}/task`).map((thread) => `/proc/${each}/task/${thread}/schedstat`),
  )
  return threads.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]), 0) / 1e6
}

function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
