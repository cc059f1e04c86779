// Two cells: each serves its own users and refuses those of the other, with the cell that has them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { restoreBackup, writeBackup } from '../../packages/ishtirak/src/backup/backup.sql.js'
import { partOfReference } from '../../packages/ishtirak/src/core/reference.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { codeMarkOf, partIn, partOf } from '../../packages/ishtirak/src/runtime/cells.js'
import { type MovableClock, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { CELLS_KEY } from '../support/cells.js'
import { CODE_ENV } from '../support/codes.js'
import { enterConsole } from '../support/console.js'
import { DATABASE_KINDS } from '../support/database-kinds.js'
import { emptyDatabase, freshDatabase } from '../support/databases.js'
import { emulatorAt } from '../support/emulators.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { platformFor, WITH_PLATFORM } from '../support/platform.js'
import { anEvent, postEvent } from '../support/provider-events.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, START, type World } from '../support/world.js'

const HALVES = { a: '0-127', b: '128-255' } as const
type Name = keyof typeof HALVES

/** The first of many ids that is of the cell. */
const userOf = (cell: Name, name = 'user'): string => {
  const ids = Array.from({ length: 100 }, (_, n) => `${name}-${n}`)
  const found = ids.find((id) => partOf(id) < 128 === (cell === 'a'))
  if (found === undefined) throw new Error(`no ${name} of cell ${cell}`)
  return found
}
const [OF_A, OF_B] = [userOf('a'), userOf('b')]

const folder = mkdtempSync(path.join(tmpdir(), 'cells-'))
afterAll(() => rmSync(folder, { recursive: true }))
const cellsFile = (halves: Readonly<Record<string, string>> = HALVES) => {
  const file = path.join(folder, `${JSON.stringify(halves).replace(/\W+/g, '-')}.json`)
  const cells = Object.entries(halves).map(([name, parts]) => ({
    name,
    parts: parts.split(',').filter(Boolean),
    servers: ['127.0.0.1:1'],
  }))
  writeFileSync(file, JSON.stringify({ cells }))
  return file
}

/** Counts what is asked of it. */
function counted(database: Database) {
  const asked: string[] = []
  const query: Database['query'] = (statement, ...given) => {
    asked.push(statement.name)
    return database.query(statement, ...given)
  }
  const transaction: Database['transaction'] = (...given) => database.transaction(...given)
  const script: Database['script'] = (sql) => database.script(sql)
  return {
    asked,
    database: { kind: database.kind, query, transaction, script, close: () => database.close() },
  }
}

const selectUsers = statement('test.cells.users', 'select user_id from users order by user_id')
const selectPart = statement('test.cells.part', 'select part_of($1) as part')
const FIRST_ROWS = [
  statement('test.cells.add_user', 'insert into users (user_id, created_at) values ($1, now())'),
  statement(
    'test.cells.add_usage',
    `insert into usage (user_id, limit_name, scope, counts_as, used, revision)
     values ($1, 'l', '', 'gauge', 1, 1)`,
  ),
  statement(
    'test.cells.add_session',
    "insert into portal_sessions (user_id, id, link_digest, expires_at) values ($1, 'one', 'two', now())",
  ),
  statement('test.cells.add_try', "insert into code_tries (user_id, tried_at) values ($1, '{now}')"),
]

describe.each(DATABASE_KINDS)('two cells (%s)', (kind) => {
  const databases: Partial<Record<Name, Database>> = {}
  const databaseOf = (cell: Name) => {
    const database = databases[cell]
    if (!database) throw new Error('there are databases inside tests only')
    return database
  }
  let clock: MovableClock
  let emulator: Emulator
  let worlds: Record<Name, World>
  let asked: string[]

  const start = (cell: string, database: Database, file = cellsFile()) =>
    createWorld(database, {
      clock,
      emulator,
      env: {
        ...{ ...OPERATOR_ENV, ...WITH_PLATFORM, ...CODE_ENV, TRANSFER_FILE },
        CELL: cell,
        CELLS_FILE: file,
        CELLS_KEY,
      },
    })

  beforeAll(async () => {
    databases.a = await freshDatabase(kind)
    databases.b = await freshDatabase(kind)
    clock = movableClock(START)
    emulator = await emulatorAt(clock)
    const a = counted(databaseOf('a'))
    asked = a.asked
    worlds = { a: await start('a', a.database), b: await start('b', databaseOf('b')) }
  })
  beforeEach(() => {
    asked.length = 0
  })
  afterAll(async () => {
    for (const world of Object.values(worlds)) await world.stop()
    await emulator.close()
    for (const database of Object.values(databases)) await database.close()
  })

  it('each number, reference and code carries its cell or the part of its user', async () => {
    const numbers = await Promise.all(
      (['a', 'b'] as const).map(async (cell) => {
        const user = worlds[cell].as(userOf(cell, 'buyer'))
        const { paymentId } = await user.buy()
        expect(partIn(paymentId.slice(-2))).toBe(partOf(userOf(cell, 'buyer')))
        const { body } = await user.get(`/api/v1/billing/payments/${paymentId}/papers`)
        return JSON.stringify(body).match(/TEST-[\w-]+/)?.[0]
      }),
    )
    expect(numbers).toEqual(['TEST-2026-A-000001', 'TEST-2026-B-000001'])
    const ordered = await worlds.b
      .as(OF_B)
      .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    expect(partOfReference(ordered.body.transfer.reference.replaceAll('-', ''))).toBe(partOf(OF_B))
    const made = await operatorOf(worlds.b).post('/codes/create', {
      ...{ kind: 'months', plan: 'pro', months: 1, count: 3 },
      ...{ why: 'for cell b', operation_id: 'codes-1' },
    })
    const codes: string[] = made.body.codes
    expect(codes.map((code) => code.slice(0, 2))).toEqual(Array(3).fill(codeMarkOf('b')))
    const found = await operatorOf(worlds.b).get('/search?q=test-2026-b-1')
    expect(found.body.payments).toMatchObject([{ user_id: userOf('b', 'buyer') }])
  })

  it('a user of the other is refused before anything is read, with the cell that has them', async () => {
    const a = worlds.a
    const platform = platformFor(a, OF_B)
    const { paymentId } = await worlds.b.as(userOf('b', 'paid')).buy()
    const link = await platformFor(worlds.b, OF_B).post('/portal-sessions', {})
    const { search } = new URL(link.body.url)
    const token = search.slice('?token='.length)
    asked.length = 0
    const refused = await Promise.all([
      a.as(OF_B).get('/api/v1/billing/status'),
      a.as('anyone', { account: OF_B }).get('/api/v1/billing/status'),
      a.as(OF_B).post('/api/v1/billing/upgrade', { plan: 'pro' }),
      platform.get('/status'),
      platform.consume('deploys_per_day', { amount: 1 }),
      a.call('GET', `/portal/open${search}`),
      a.call('GET', `/portal/sign-in${search}`),
      a.call('GET', `/billing/return/${paymentId}`),
      a.call('GET', '/portal', { headers: { cookie: `ishtirak=${token}` } }),
    ])
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 421))
    expect(refused.slice(0, 5).map(({ body }) => [body.code, body.cell])).toEqual(
      Array(5).fill(['wrong_cell', 'b']),
    )
    for (const page of refused.slice(5)) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.text).toContain('انتقل اشتراكك')
    }
    const inEnglish = { cookie: `ishtirak=${token}`, 'accept-language': 'en' }
    expect((await a.call('GET', '/portal', { headers: inEnglish })).text).toContain(
      'Your subscription has moved',
    )
    // The look of the timer is of no request.
    expect(asked.filter((name) => name !== 'cells.where_parts')).toEqual([])
    expect((await worlds.b.as(OF_B).get('/api/v1/billing/status')).status).toBe(200)
    const { paths } = (await a.call('GET', '/openapi.json')).body
    expect(paths['/api/v1/billing/status'].get.responses).toHaveProperty('421')
    expect(paths['/api/v1/platform/users/{user_id}/status'].get.responses).toHaveProperty('421')
    expect(paths['/api/v1/billing/plans'].get.responses).not.toHaveProperty('421')
  })

  it('an event about a payment of the other is refused, and booked where it is', async () => {
    const user = userOf('b', 'late')
    const { checkoutId } = await worlds.b.as(user).upgrade()
    const event = anEvent(worlds.b, checkoutId, 'paid')
    const { status, body } = await postEvent(worlds.a, event)
    expect([status, body.code, body.cell]).toEqual([421, 'wrong_cell', 'b'])
    expect((await postEvent(worlds.b, event)).status).toBe(200)
    expect((await worlds.b.as(user).get('/api/v1/billing/status')).body.plan).toBe('pro')
  })

  it('the database refuses the first row of a user of the other', async () => {
    for (const insert of FIRST_ROWS) {
      await expect(databaseOf('a').query(insert, [OF_B])).rejects.toMatchObject({
        constraint: 'user_of_this_cell',
      })
    }
    const users = await databaseOf('a').query(selectUsers)
    expect(users.filter(({ user_id }) => partOf(String(user_id)) > 127)).toEqual([])
  })

  it('a database that was restored refuses it as well, from the first start on', async () => {
    const lines: string[] = []
    await writeBackup(databaseOf('a'), START, (line) => void lines.push(line))
    const restored = await freshDatabase(kind)
    await restoreBackup(restored, () => Readable.from(lines), null)
    await expect(start('b', restored)).rejects.toThrow('the database is cell a')
    const world = await start('a', restored)
    for (const insert of FIRST_ROWS)
      await expect(restored.query(insert, [OF_B])).rejects.toMatchObject({
        constraint: 'user_of_this_cell',
      })
    await world.stop()
    await restored.close()
  })

  it('it knows the part of every id as the service does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (id) => {
        const clean = id.replaceAll('\0', '')
        const [row] = await databaseOf('a').query(selectPart, [clean])
        expect(row?.part).toBe(partOf(clean))
      }),
      { numRuns: 300 },
    )
  })

  it('each compares what the provider lists of its own payments, and finds nothing', async () => {
    await worlds.a.as(userOf('a', 'listed')).buy()
    await worlds.b.as(userOf('b', 'listed')).buy()
    for (const world of Object.values(worlds)) {
      const { body } = await operatorOf(world).post('/reconciliations/start', {
        since: '2026-11-01',
      })
      // Of this one the provider knows nothing: the test sent its event.
      const others = body.findings.filter((one: { user_id: string }) => !one.user_id.startsWith('late'))
      expect(others).toEqual([])
      expect(body.reconciliation.checkouts).toBeGreaterThan(0)
    }
  })

  it('a new customer at the counter is of this cell', async () => {
    const visit = await enterConsole(worlds.b, OPERATOR_KEY)
    const { text } = await visit.open('/console/counter?q=Nobody%20Known')
    const [, id = ''] = /users\/(walk-in[^/]+)\/record/.exec(text) ?? []
    expect(partOf(id)).toBeGreaterThan(127)
  })

  it.each([
    [
      'another cell',
      'b',
      HALVES,
      'the database is cell a with the parts 0-127; CELL and CELLS_FILE say b with the parts 128-255',
    ],
    ['other parts', 'a', { a: '0-99', b: '100-255' }, 'CELLS_FILE say a with the parts 0-99'],
    ['no part', 'a', { a: '', b: '0-255' }, 'CELLS_FILE say a with the parts of nobody'],
  ])('does not start as %s than its database is', async (_, cell, halves, problem) => {
    await expect(start(cell, databaseOf('a'), cellsFile(halves))).rejects.toThrow(problem)
  })

  it('does not start without CELLS_FILE on the database of a cell', async () => {
    await expect(createWorld(databaseOf('a'), { clock, emulator })).rejects.toThrow(
      'the database is cell a with the parts 0-127: CELL and CELLS_FILE are missing',
    )
  })

  it('a database with users of another cell does not become one', async () => {
    const database = await emptyDatabase(kind)
    await using alone = await createWorld(database, { clock, emulator })
    await alone.as(OF_A).buy()
    await alone.as(OF_B).buy()
    await expect(start('a', database)).rejects.toThrow(
      'the database has 1 users of parts that CELLS_FILE gives to other cells: give it all parts first',
    )
  })
})
