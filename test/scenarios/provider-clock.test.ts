// The provider may report any instant of payment. An impossible one is not used: the payment counts from
// the nearest instant that can be, one month and no more, and the operator sees it.
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, type OperatorCaller, operatorOf } from '../support/operator.js'
import { anEvent, postEvent } from '../support/provider-events.js'
import { CHARGILY_KEY, createWorld, START, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const YEAR = 365 * 86_400
const NOON = START / 1_000

describeScenario('an instant of payment', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  let lines: Record<string, unknown>[]
  const open = async (emulator?: Awaited<ReturnType<typeof startEmulator>>) => {
    lines = []
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    })
    const log = createLog({ level: 'warn', destination })
    world = await createWorld(database(), { env: OPERATOR_ENV, log, ...(emulator && { emulator }) })
    operator = operatorOf(world)
  }
  afterEach(() => world.stop())

  const doubts = () => lines.filter(({ message }) => String(message).includes('instant of payment'))
  const monthEnd = async () => (await world.as('user-1').get(STATUS)).body.current_period_end

  describe('in an event', () => {
    beforeEach(() => open())

    // The checkout is made at 12:00 and the event comes at 12:05. `said` is what the operator reads of it.
    it.each([
      ['1970', 1, '12:00', '1970-01-01T00:00:01Z'],
      ['a year ago', NOON - YEAR, '12:00', '2025-11-21T12:00:00Z'],
      ['a year ahead', NOON + YEAR, '12:05', '2027-11-21T12:00:00Z'],
      ['the end of the year 9999', 253_402_300_799, '12:05', '9999-12-31T23:59:59Z'],
    ])(
      'that is %s buys one month from an instant that can be, and is shown',
      async (_name, at, from, said) => {
        const { paymentId, checkoutId } = await world.as('user-1').upgrade()
        world.clock.advance(5 * 60_000)
        const body = anEvent(world, checkoutId, 'paid', { updated_at: at })
        expect((await postEvent(world, body)).text).toBe('{"received":true}')
        const paidAt = `2026-11-21T${from}:00Z`
        expect(await monthEnd()).toBe(`2026-12-21T${from}:00Z`)
        const file = await operator.payment(paymentId)
        expect(file.payment).toMatchObject({ status: 'paid', paid_at: paidAt, period_start: paidAt })
        expect(file.reports).toMatchObject([{ source: 'webhook', paid_at: said, paid_at_believed: false }])
        expect(doubts()).toMatchObject([{ payment_id: paymentId, said_paid_at: said, paid_at: paidAt }])
      },
    )

    it.each([
      ['beyond the year 9999', 253_402_300_800],
      ['in milliseconds', START],
      ['an ISO 8601 text', '2026-11-21T12:00:00Z'],
      ['negative', -1],
      ['a fraction', NOON + 0.5],
      ['no number at all', { seconds: NOON }],
      ['left out', undefined],
    ])('that is %s counts from when it was heard, and is shown', async (_name, at) => {
      const { paymentId, checkoutId } = await world.as('user-1').upgrade()
      world.clock.advance(5 * 60_000)
      // The envelope says as little.
      const event = JSON.parse(anEvent(world, checkoutId, 'paid', { updated_at: at, created_at: at }))
      const answer = await postEvent(world, JSON.stringify({ ...event, updated_at: at, created_at: at }))
      expect(answer.text).toBe('{"received":true}')
      const file = await operator.payment(paymentId)
      expect(file.payment).toMatchObject({ status: 'paid', paid_at: '2026-11-21T12:05:00Z' })
      expect(file.reports).toMatchObject([{ paid_at: null, paid_at_believed: false }])
      expect(doubts()).toMatchObject([{ said_paid_at: null, paid_at: '2026-11-21T12:05:00Z' }])
    })

    it.each([
      ['as text', String(NOON + 60), '12:01:00'],
      ['nine minutes ahead of our clock', NOON + 9 * 60, '12:09:00'],
      ['nine minutes behind our clock', NOON - 9 * 60, '12:00:00'],
    ])('that is said %s is within what two clocks differ, and nothing is shown', async (_name, at, from) => {
      const { paymentId, checkoutId } = await world.as('user-1').upgrade()
      await postEvent(world, anEvent(world, checkoutId, 'paid', { updated_at: at }))
      const file = await operator.payment(paymentId)
      expect(file.payment).toMatchObject({ status: 'paid', paid_at: `2026-11-21T${from}Z` })
      expect(file.reports).toMatchObject([{ paid_at_believed: true }])
      expect(doubts()).toEqual([])
    })

    it('of a second paid checkout is bounded by the first payment’s making', async () => {
      const { paymentId, checkoutId } = await world.as('user-1').buy()
      await world.advance(3_600)
      const second = { id: 'chk_second', updated_at: 1, created_at: 1 }
      await postEvent(world, anEvent(world, checkoutId, 'paid', second))
      const { body } = await world.as('user-1').get('/api/v1/billing/payments')
      const [other] = body.data.filter(({ id }: { id: string }) => id !== paymentId)
      expect(other).toMatchObject({ status: 'paid', paid_at: '2026-11-21T12:00:00Z' })
      const { reports } = await operator.payment(other.id)
      expect(reports).toMatchObject([{ outcome: 'booked_second', paid_at_believed: false }])
    })
  })

  // Everything that the provider says is wrong by as much: the making of the checkout, the payment, each
  // answer.
  describe.each([
    ['a year behind', START - YEAR * 1_000],
    ['at 1970', 1_000],
    ['a year ahead', START + YEAR * 1_000],
    ['at the end of the year 9999', Date.parse('9999-12-31T23:00:00Z')],
  ])('of a provider whose clock is %s', (_name, at) => {
    let emulator: Awaited<ReturnType<typeof startEmulator>>
    beforeEach(async () => {
      emulator = await startEmulator({ secretKeys: [CHARGILY_KEY], clock: movableClock(at) })
      await open(emulator)
    })
    afterEach(() => emulator.close())

    it('is ours, whether the event, the sweep or the operator brings it', async () => {
      const viaWebhook = await world.as('user-1').buy()
      emulator.setFaults({ drop: {} })
      const swept = await world.as('user-2').buy()
      world.clock.advance(61_000)
      await world.service.runner.runAll()
      const asked = await world.as('user-3').buy()
      await operator.post(`/payments/${asked.paymentId}/recheck`)
      const expected = [
        [viaWebhook, 'webhook'],
        [swept, 'sweep'],
        [asked, 'operator'],
      ] as const
      for (const [{ paymentId }, source] of expected) {
        const { payment, reports, settled_by: settledBy } = await operator.payment(paymentId)
        expect([payment.status, settledBy]).toEqual(['paid', source])
        expect(payment.paid_at).toMatch(/^2026-11-21T12:0[01]:/)
        expect(payment.expires_at).toMatch(/^2026-11-21T12:3[01]:/)
        expect(payment.period_end).toMatch(/^2026-12-21T12:0[01]:/)
        expect(reports).toMatchObject([{ source, paid_at_believed: false }])
      }
      expect(doubts()).toHaveLength(3)
    })
  })
})
