// Two processes on one database read the events of all users, while a third one holds a booking open.
import { givenUpAfter } from '../../packages/ishtirak/src/database/database.js'
import { at } from '../../packages/ishtirak/src/database/rows.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { saveSettlement } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { bookingOf } from '../support/bookings.js'
import { aPayment } from '../support/fixtures.js'
import { OPERATOR_ENV, OPERATOR_KEY } from '../support/operator.js'
import { PLATFORM_KEY, WITH_PLATFORM } from '../support/platform.js'
import { type ServiceProcess, startService } from '../support/process.js'
import { call, serviceEnv } from './calls.js'

let env: Record<string, string>
let services: ServiceProcess[]
beforeAll(async () => {
  env = await serviceEnv({ ...OPERATOR_ENV, ...WITH_PLATFORM })
  services = [await startService(env), await startService(env)]
})
afterAll(() => Promise.all(services.map((service) => service.kill('SIGKILL'))))

/** Makes the user known, and writes an event about them. */
async function grant(service: ServiceProcess, user: string) {
  await call(service, PLATFORM_KEY, `/platform/users/${user}`, { name: user }, 'PUT')
  const asked = { plan: 'pro', days: 1, why: 'a test' }
  const { status } = await call(service, OPERATOR_KEY, `/operator/users/${user}/grant`, asked)
  expect([user, status]).toEqual([user, 200])
}

async function read(service: ServiceProcess, after: string) {
  const query = after && `?after=${after}`
  const { status, body } = await call(service, PLATFORM_KEY, `/platform/events${query}`)
  expect(status).toBe(200)
  const users: string[] = body.data.map(({ data }: { data: { user_id: string } }) => data.user_id)
  return { users, cursor: String(body.next_cursor) }
}

it('what an open transaction wrote when a cursor was given out appears behind the cursor', async () => {
  const [one, other] = services as [ServiceProcess, ServiceProcess]
  await call(one, PLATFORM_KEY, '/platform/users/held', { name: 'held' }, 'PUT')
  const { cursor: begin } = await read(one, '')
  const now = Date.now()
  const event = { id: 'evt_held', type: 'subscription.granted', mail: undefined } as const
  const content = { subscription: { plan: 'free', status: 'active' } } as const
  const booking = bookingOf(aPayment({ userId: 'held' }), { version: 0, eventId: 'evt_of_provider' })
  const database = openPostgres({ url: env.DATABASE_URL ?? '' })
  const givenOut = await database.transaction(async (transaction) => {
    const saved = { ...booking, payment: undefined, documents: [], events: [event], content, now: at(now) }
    expect(await saveSettlement(transaction, saved)).toBe('saved')
    await grant(other, 'later')
    const { users, cursor } = await read(one, begin)
    expect(users).toEqual(['later'])
    return cursor
  }, givenUpAfter(600_000))
  await database.close()
  expect((await read(other, givenOut)).users).toEqual(['held'])
  expect((await read(one, begin)).users).toEqual(['later', 'held'])
})

it('two readers see every event, in one order, while both processes write', async () => {
  const begin = await Promise.all(services.map(async (service) => (await read(service, '')).cursor))
  const names = Array.from({ length: 24 }, (_, n) => `user-${n}`)
  let isWriting = true
  const follow = async (service: ServiceProcess, at: number) => {
    const seen: string[] = []
    for (let after = begin[at] ?? '', isLast = false; ; ) {
      const { users, cursor } = await read(service, after)
      seen.push(...users)
      after = cursor
      // What was written before the last answer is in the next one.
      if (isLast && users.length === 0) return seen
      isLast = !isWriting
    }
  }
  const reading = Promise.all(services.map(follow))
  await Promise.all(
    services.map(async (service, at) => {
      for (const name of names.filter((_, n) => n % 2 === at)) await grant(service, name)
    }),
  )
  isWriting = false
  const [first, second] = await reading
  expect(first).toEqual(second)
  expect(first?.toSorted()).toEqual(names.toSorted())
})
