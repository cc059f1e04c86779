import { EventEmitter, once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { postgresUrl, withoutPooler } from '../../../../../test/support/databases.js'
import { listen } from '../../../../../test/support/listen.js'
import { startServer } from '../../../../../test/support/postgres-server.js'
import { sql } from '../../../../../test/support/sql.js'
import { type Database, DatabaseUnavailable, givenUpAfter } from '../database.js'
import { openPostgres } from './postgres.js'

const one = sql('select 1 as one')
const sleep = sql('select pg_sleep(60)')
const sleepers = sql(`select count(*) as count from pg_stat_activity where query like '%pg_sleep(60)%'
      and pid <> pg_backend_pid() and state = 'active' and datname = current_database()`)
const terminateOthers = sql(`select count(pg_terminate_backend(pid)) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
const backend = sql('select pg_backend_pid() as id')
const plans = sql('select count(*) as count from pg_prepared_statements where name = $1')

let url = ''
let open: Database[] = []
const connect = (options: Partial<Parameters<typeof openPostgres>[0]> = {}) => {
  const database = openPostgres({ url, ...options })
  open.push(database)
  return database
}

beforeEach(async () => {
  url = await postgresUrl()
})
afterEach(async () => {
  await Promise.all(open.map((database) => database.close()))
  open = []
})

it('a cut connection gives DatabaseUnavailable, in a transaction too; the pool recovers', async () => {
  const [database, executioner] = [connect(), connect({ maxConnections: 1 })]
  const outcome = expect(database.query(sleep)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect.poll(() => executioner.query(sleepers)).toEqual([{ count: 1 }])
  expect(await executioner.query(terminateOthers)).toEqual([{ count: 1 }])
  await outcome
  expect(await database.query(one)).toEqual([{ one: 1 }])
  const work = database.transaction(async (transaction) => {
    await transaction.query(one)
    await executioner.query(terminateOthers)
    await transaction.query(one)
  })
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(await database.query(one)).toEqual([{ one: 1 }])
})

it('connections that die while idle are reported and replaced; the process lives on', async () => {
  url = withoutPooler(url)
  const lost: Error[] = []
  const database = connect({ onConnectionLost: (error) => lost.push(error) })
  const executioner = connect({ maxConnections: 1 })
  await Promise.all([database.query(one), database.query(one)])
  const rows = await executioner.query(terminateOthers)
  await expect.poll(() => lost.length).toBe(rows[0]?.count)
  expect(await database.query(one)).toEqual([{ one: 1 }])
})

it('a server that goes away gives DatabaseUnavailable; when it is back, so are we', async () => {
  const server = await startServer()
  onTestFinished(() => server.remove())
  const database = connect({ url: server.url })
  expect(await database.query(one)).toEqual([{ one: 1 }])
  await server.stop()
  await expect(database.query(one)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect(database.transaction((t) => t.query(one))).rejects.toBeInstanceOf(DatabaseUnavailable)
  await server.start()
  expect(await database.query(one)).toEqual([{ one: 1 }])
})

it('a server that cannot be reached, or refuses, is DatabaseUnavailable', async () => {
  // Port 9 (discard) has no listener.
  for (const [part, value] of [
    ['port', '9'],
    ['hostname', 'nowhere.invalid'],
    ['password', 'wrong'],
    ['pathname', '/nothing'],
  ] as const) {
    const given = new URL(url)
    given[part] = value
    await expect(connect({ url: given.href }).query(one)).rejects.toBeInstanceOf(DatabaseUnavailable)
  }
})

it('a read-only server, as after a fail-over, is DatabaseUnavailable; its connection is left', async () => {
  url = withoutPooler(url)
  const database = connect({ maxConnections: 1 })
  const write = sql('create table written ()')
  const first = await database.query(backend)
  await database.query(sql('set default_transaction_read_only = on'))
  await expect(database.query(write)).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(await database.query(backend)).not.toEqual(first)
  expect(await database.query(write)).toEqual([])
})

it('a full pool refuses after its time limit instead of piling up', async () => {
  const database = connect({ maxConnections: 1 })
  const executioner = connect({ maxConnections: 1 })
  // Scripts have no time limit: a statement would end at the same time as the wait for it.
  const occupied = database.script(sleep.text).catch((error: unknown) => error)
  await expect.poll(() => executioner.query(sleepers)).toEqual([{ count: 1 }])
  await expect(database.query(one)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await executioner.query(terminateOthers)
  expect(await occupied).toBeInstanceOf(DatabaseUnavailable)
})

it('two transactions that block each other both succeed: the victim runs again', async () => {
  const database = connect()
  await database.script('create table locked (id integer primary key); insert into locked values (1), (2)')
  const lock = sql('select id from locked where id = $1 for update')
  let runs = 0
  let arrived = 0
  const gate = new EventEmitter()
  const [bothHold, oneIsDone] = [once(gate, 'open'), once(gate, 'done')]
  const cross = async (first: number, second: number) => {
    await database.transaction(async (transaction) => {
      runs += 1
      // The victim may lock again before the other wakes up, and be the victim again.
      if (runs > 2) await oneIsDone
      await transaction.query(lock, [first])
      arrived += 1
      if (arrived === 2) gate.emit('open')
      await bothHold
      await transaction.query(lock, [second])
    })
    gate.emit('done')
  }
  await Promise.all([cross(1, 2), cross(2, 1)])
  // Two first runs, and one more for the victim.
  expect(runs).toBe(3)
})

it('statements are prepared under their names, or not at all where a pooler cannot keep them', async () => {
  url = withoutPooler(url)
  const named = connect({ maxConnections: 1 })
  await named.query(one)
  expect(await named.query(plans, [one.name])).toEqual([{ count: 1 }])
  const unnamed = connect({ maxConnections: 1, url: `${url}?statements=unnamed` })
  await unnamed.query(one)
  expect(await unnamed.query(plans, [one.name])).toEqual([{ count: 0 }])
})

it('sessions run in UTC with time limits, under the name of the service, and compile nothing', async () => {
  url = withoutPooler(url)
  const settings =
    sql(`select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement,
          current_setting('idle_in_transaction_session_timeout') as idle,
          current_setting('application_name') as name, current_setting('jit') as jit`)
  expect(await connect().query(settings)).toEqual([
    { zone: 'UTC', statement: '4s', idle: '1min', name: 'ishtirak', jit: 'off' },
  ])
})

it('2,000 calls may wait for a connection: the next one is refused at once', async () => {
  const database = connect({ maxConnections: 1 })
  const answers = Array.from({ length: 2_001 }, () => database.query(one))
  await expect(database.query(one)).rejects.toThrow('2000 calls wait')
  const outcomes = await Promise.allSettled(answers)
  expect(outcomes[0]).toMatchObject({ status: 'fulfilled' })
  // None for their number; a busy machine may not come to the last of them in time.
  expect(outcomes.filter((one) => String(Object(one).reason).includes('calls wait'))).toEqual([])
})

it('a change that reaches the server after its deadline is refused there, and not done', async () => {
  const database = connect({ maxConnections: 1 })
  await database.query(one)
  await database.script('create table changes (id integer)')
  const insert = sql('insert into changes select 1 from pg_sleep(0.6)')
  await expect(database.query(insert, [], givenUpAfter(500))).rejects.toBeInstanceOf(DatabaseUnavailable)
  const late = database.transaction(async (transaction) => {
    await transaction.query(insert)
  }, givenUpAfter(500))
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable)
  const count = sql('select count(*) as count from changes')
  expect(await database.query(count)).toEqual([{ count: 0 }])
})

it('a transaction that is too late to commit is not left open for the next query', async () => {
  const database = connect({ maxConnections: 1 })
  await database.script('create table too_late (id integer)')
  const insert = sql('insert into too_late values (1)')
  const late = database.transaction(async (transaction) => {
    await transaction.query(insert)
    const deadline = performance.now() + 400
    while (performance.now() < deadline);
  }, givenUpAfter(600))
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable)
  await database.query(insert)
  expect(await connect().query(sql('select count(*) as count from too_late'))).toEqual([{ count: 1 }])
})

it('a read that takes longer than its caller waits is given up, and its connection is replaced', async () => {
  const database = connect({ maxConnections: 1 })
  const first = await database.query(backend)
  await expect(database.query(sleep, [], givenUpAfter(500))).rejects.toThrow('Query read timeout')
  expect(await database.query(backend)).not.toEqual(first)
})

/** The server's address behind a relay that may change what the server sends. */
async function relayed(change: (sent: Buffer) => Buffer): Promise<string> {
  const given = new URL(withoutPooler(url))
  const [port, host] = [Number(given.port || 5432), given.hostname]
  const relay = createServer((client) => {
    const server = createConnection(port, host)
    const cut = (from: Socket, to: Socket) => from.on('error', () => {}).on('close', () => to.destroy())
    cut(client, server).pipe(server)
    cut(server, client).on('data', (sent) => client.write(change(Buffer.from(sent))))
  })
  const listening = await listen(relay)
  onTestFinished(async () => {
    await Promise.all(open.map((database) => database.close()))
    await listening[Symbol.asyncDispose]()
  })
  given.port = new URL(listening.url).port
  return given.href
}

/** A pooler tells another process number (message K) than that of the server's process. */
const pooled = () =>
  relayed((sent) => {
    const at = sent.indexOf('K\0\0\0\f', 'latin1')
    return at < 0 ? sent : sent.fill(1, at + 5, at + 9)
  })

it('a query that a pooler’s server could not parse is parsed again', async () => {
  const database = connect({ maxConnections: 1, url: await pooled() })
  const insert = sql('insert into created_later values (1)')
  await expect(database.query(insert)).rejects.toMatchObject({ code: '42P01' })
  await database.script('create table created_later (id integer)')
  expect(await database.query(insert)).toEqual([])
})

it('a transaction in a schema behind a pooler is rolled back, and runs again', async () => {
  const database = connect({ maxConnections: 1, url: await pooled(), schema: 'public' })
  const first = await database.query(backend)
  const conflict = sql(`do $$ begin raise exception using errcode = '40001'; end $$`)
  let runs = 0
  const work = database.transaction((transaction) => transaction.query(runs++ === 0 ? conflict : one))
  expect(await work).toEqual([{ one: 1 }])
  expect(await database.query(backend)).toEqual(first)
})

it('a transaction ends in time if the server hangs after it has refused a query', async () => {
  let isHanging = false
  const hung = await relayed((sent) => {
    const at = sent.indexOf('Z\0\0\0\x05', 'latin1')
    return isHanging && at >= 0 ? sent.subarray(0, at) : sent
  })
  const database = connect({ maxConnections: 1, url: hung })
  await database.query(one)
  const begun = performance.now()
  const work = database.transaction(async (transaction) => {
    isHanging = true
    await transaction.query(sql('select nonsense'))
  }, givenUpAfter(1_000))
  await expect(work).rejects.toMatchObject({ code: '42703' })
  // The server itself ends an idle transaction after 60 s.
  expect(performance.now() - begun).toBeLessThan(20_000)
  isHanging = false
  expect(await database.query(one)).toEqual([{ one: 1 }])
})
