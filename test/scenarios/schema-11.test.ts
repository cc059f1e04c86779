// A database that the code before migration 14 has filled: its backup (test/fixtures) is brought to where the code is, and
// every user is what they were. The answers beside it are those of the code that filled it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restoreFrom } from '../../packages/ishtirak/src/backup/backup.js'
import { writeBackup } from '../../packages/ishtirak/src/backup/backup.sql.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { schemaFit } from '../../packages/ishtirak/src/database/migrate.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { type DatabaseKind, emptyPostgresUrl, readDump } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { postEvent } from '../support/provider-events.js'
import { createWorld, type World } from '../support/world.js'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const before: {
  readonly takenAt: string
  readonly answers: Readonly<
    Record<string, { status: { current_period_end: string }; payments: { id: string }[] }>
  >
} = JSON.parse(readFileSync(fixture('schema-11.json'), 'utf8'))

/** What a payment says since then; before, all were of a month and by card. */
const SINCE = { months: 1, method: 'card', transfer: null, amount_asked: null }

const selectMethods = statement(
  'test.carried.methods',
  `select 'payment' as kind, method, months, count(*)::int from payments group by method, months
   union all
   select 'event', method, null, count(*)::int from provider_events group by method
   union all
   select 'comparison', method, null, count(*)::int from comparisons group by method
   order by kind`,
)
const selectEvent = statement(
  'test.carried.event',
  `select id, checkout_id from provider_events where user_id <> '' order by id limit 1`,
)

describe.each<DatabaseKind>(['pglite', 'postgres'])('a database of schema 11 (%s)', (kind) => {
  let database: Database
  let world: World
  beforeAll(async () => {
    database =
      kind === 'pglite'
        ? await openMemory(readDump('emptyDumpPath'))
        : openPostgres({ url: await emptyPostgresUrl() })
    await restoreFrom(fixture('schema-11.backup.gz'), database, null)
    const clock = movableClock(Date.parse(before.takenAt))
    world = await createWorld(database, { env: OPERATOR_ENV, clock, withoutJobs: true })
  })
  afterAll(async () => {
    await world.stop()
    await database.close()
  })

  const answersOf = async (userId: string) => {
    const user = world.as(userId)
    const history = (await user.get('/api/v1/billing/payments')).text.replaceAll(world.url, '')
    return {
      status: (await user.get('/api/v1/billing/status')).body,
      payments: JSON.parse(history).data,
    }
  }

  it('leaves every user and every payment what they were', async () => {
    const { current, expected } = await schemaFit(database)
    expect(current).toBe(expected)
    for (const [userId, answers] of Object.entries(before.answers)) {
      const payments = answers.payments.map((payment) => ({ ...payment, ...SINCE }))
      expect([userId, await answersOf(userId)]).toEqual([userId, { ...answers, payments }])
    }
  })

  it('has single months, paid through Chargily, and a backup of it holds them', async () => {
    expect(await database.query(selectMethods)).toEqual([
      { kind: 'comparison', method: 'chargily', months: null, count: 5 },
      { kind: 'event', method: 'chargily', months: null, count: 18 },
      { kind: 'payment', method: 'chargily', months: 1, count: 17 },
    ])
    const lines: string[] = []
    await writeBackup(database, world.clock.now(), (line) => void lines.push(line))
    const payments = lines.filter((line) => line.startsWith('payments\t'))
    expect(payments).toHaveLength(17)
    for (const line of payments) expect(line).toMatch(/"months":1,"method":"chargily"/)
  })

  it('knows the events that it was sent before', async () => {
    const [event] = await database.query(selectEvent)
    const data = { id: event?.checkout_id, entity: 'checkout', status: 'paid' }
    const again = { id: event?.id, entity: 'event', type: 'checkout.paid', data }
    expect((await postEvent(world, JSON.stringify(again))).body).toEqual({ received: true, duplicate: true })
  })

  it('goes on: what was paid is renewed and refunded, and a period to come moves up', async () => {
    const operator = operatorOf(world)
    // Two payments of one intent: 24 December 13:00 to 24 January, and to 24 February.
    const [, first] = (before.answers.second?.payments ?? []).map(({ id }) => id).sort()
    const refunded = await operator.post(`/payments/${first}/refund`, { why: 'paid twice' })
    expect(refunded.status).toBe(200)
    const second = (await answersOf('second')).status
    expect(['2027-01-24T13:00:00Z', '2027-01-26T13:01:00Z']).toContain(second.current_period_end)
    // In grace since 24 December 12:00: the next month follows on the old end.
    await world.as('grace').buy()
    expect((await answersOf('grace')).status).toMatchObject({
      status: 'active',
      current_period_end: '2027-01-24T12:00:00Z',
    })
  })
})
