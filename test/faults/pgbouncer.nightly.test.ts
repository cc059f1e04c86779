// No session state may leak to the next client of a server connection in transaction mode.
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { dropDatabase, withDatabaseName } from '../support/admin.js'
import { postgresUrl } from '../support/databases.js'
import { describeWith } from '../support/describe-with.js'
import { createWorld, type World } from '../support/world.js'
import { type Pooler, startPgbouncer } from './pgbouncer.js'

const settings = statement(
  'test.pooled.settings',
  `select current_setting('TimeZone') as zone, $1::integer as value`,
)

describeWith('pgbouncer', 'PgBouncer in transaction mode', () => {
  let pooler: Pooler
  let database: Database
  let url: string
  beforeAll(async () => {
    pooler = await startPgbouncer(inject('serverUrl'))
    url = withDatabaseName(pooler.url, new URL(await postgresUrl()).pathname.slice(1))
    database = openPostgres({ url })
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(inject('serverUrl'), new URL(url).pathname.slice(1))
    await pooler.close()
  })

  it('passes the main job, and leaves no session state behind', async () => {
    await using world = await createWorld(database)
    await Promise.all(['user-1', 'user-2', 'user-3'].map((id) => world.as(id).buy()))
    expect((await world.as('user-1').get('/api/v1/billing/status')).body).toMatchObject({ plan: 'pro' })
    const rows = await Promise.all(
      Array.from({ length: 40 }, (_, value) => database.query(settings, [value])),
    )
    expect(rows).toEqual(Array.from({ length: 40 }, (_, value) => [{ zone: 'UTC', value }]))
    expect(await leftBehind(url)).toEqual({ statement_timeout: '0', idle: '0', prepared: '0', locks: '0' })
  })

  it('keeps two schemas apart on the server connections that they share', async () => {
    const shops = ['shop_one', 'shop_other'].map((schema) => openPostgres({ url, schema }))
    await Promise.all(shops.map((shop) => migrate(shop)))
    const worlds = await Promise.all(shops.map((shop) => createWorld(shop)))
    // In one of them the user with this number has paid, in the other not, and all are asked at once.
    const users = Array.from({ length: 10 }, (_, number) => `user-${number}`)
    await Promise.all(users.map((user, number) => worlds[number % 2]?.as(user).buy()))
    const plansIn = async (world: World) => {
      const answers = await Promise.all(users.map((user) => world.as(user).get('/api/v1/billing/status')))
      return answers.map(({ body }) => body.plan)
    }
    const expected = [0, 1].map((shop) => users.map((_, number) => (number % 2 === shop ? 'pro' : 'free')))
    expect(await Promise.all(worlds.map(plansIn))).toEqual(expected)
    await Promise.all(worlds.map((world) => world.stop()))
    await Promise.all(shops.map((shop) => shop.close()))
  })
})

async function leftBehind(url: string): Promise<Record<string, unknown> | undefined> {
  const client = new pg.Client(url.replace(/\?.*/, ''))
  await client.connect()
  try {
    const { rows } = await client.query(
      `select current_setting('statement_timeout') as statement_timeout,
              current_setting('idle_in_transaction_session_timeout') as idle,
              (select count(*) from pg_prepared_statements) as prepared,
              (select count(*) from pg_locks where locktype = 'advisory') as locks`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}
