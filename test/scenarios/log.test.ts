// A purchase in the log at info level: the lines of each request are found by its id, from the click to the
// booking.
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { emptyDatabase } from '../support/databases.js'
import { createWorld, type World } from '../support/world.js'

const BILLING = '/api/v1/billing'

let lines: Record<string, unknown>[] = []
let world: World
beforeEach(async () => {
  lines = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  world = await createWorld(await emptyDatabase('pglite'), { log: createLog({ level: 'info', destination }) })
})
afterEach(() => world.stop())

const said = (message: string) => lines.filter((line) => line.message === message)

it('checkout opened, event received, payment settled: each with its request and the payment', async () => {
  const user = world.as('user-1')
  const opened = await user.post(`${BILLING}/upgrade`, { plan: 'pro' }, { 'x-request-id': 'click-1' })
  const payment_id = opened.body.payment_id
  const request_id = opened.headers.get('x-request-id')
  expect(said('checkout opened')).toMatchObject([{ request_id, payment_id, source: 'upgrade' }])

  await world.emulator.pay(world.emulator.checkouts()[0]?.id ?? '', 'paid')
  await world.emulator.settled()
  const [event] = said('event received')
  expect(event).toMatchObject({ payment_id, type: 'checkout.paid', request_id: expect.any(String) })
  expect(said('payment settled')).toMatchObject([
    {
      payment_id,
      status: 'paid',
      source: 'webhook',
      event_id: event?.event_id,
      request_id: event?.request_id,
    },
  ])
})

it('a payment that a reader finds is settled under the id of the reading', async () => {
  world.emulator.setFaults({ drop: {} })
  await world.as('user-1').buy()
  world.clock.advance(60_000)
  const reading = await world.as('user-1').get(`${BILLING}/status`)
  expect(reading.body.plan).toBe('pro')
  expect(said('payment settled')).toMatchObject([
    { source: 'read', request_id: reading.headers.get('x-request-id') },
  ])
})

it('a wrong signature is logged with its request', async () => {
  const refused = await world.call('POST', `${BILLING}/webhook`, { body: '{}', headers: { signature: 'ff' } })
  expect(said('webhook with a wrong signature')).toMatchObject([
    { request_id: refused.headers.get('x-request-id') },
  ])
})
