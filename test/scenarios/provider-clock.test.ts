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

describeScenario('an instant of payment', ({ database, reset }) => {
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

  const doubts = (of: typeof lines) =>
    of.filter(({ message }) => String(message).includes('instant of payment'))
  const monthEnd = async (userId: string) => (await world.as(userId).get(STATUS)).body.current_period_end

  describe('in an event', () => {
    beforeEach(() => open())

    /** The checkouts, each of a user of its own, are made at 12:00, and the events come at 12:05. */
    const paySaying = async (said: readonly (readonly [string, unknown])[], isOfEnvelope = false) => {
      const opened = []
      for (const [userId, at] of said) opened.push({ at, userId, ...(await world.as(userId).upgrade()) })
      world.clock.advance(5 * 60_000)
      const found = []
      for (const { userId, at, paymentId, checkoutId } of opened) {
        const says = { updated_at: at, ...(isOfEnvelope && { created_at: at }) }
        const event = JSON.parse(anEvent(world, checkoutId, 'paid', says))
        const body = JSON.stringify(isOfEnvelope ? { ...event, ...says } : event)
        expect((await postEvent(world, body)).text).toBe('{"received":true}')
        const { payment, reports } = await operator.payment(paymentId)
        found.push({ userId, payment, reports, doubts: doubts(lines.splice(0)) })
      }
      return found
    }

    it('that cannot be buys one month from an instant that can be, and is shown', async () => {
      // The last is what the operator reads of it.
      const cases = [
        ['1970', 1, '12:00', '1970-01-01T00:00:01Z'],
        ['a-year-ago', NOON - YEAR, '12:00', '2025-11-21T12:00:00Z'],
        ['a-year-ahead', NOON + YEAR, '12:05', '2027-11-21T12:00:00Z'],
        ['the-year-9999', 253_402_300_799, '12:05', '9999-12-31T23:59:59Z'],
      ] as const
      const found = await paySaying(cases.map(([name, at]) => [name, at]))
      expect(found).toMatchObject(
        cases.map(([userId, , from, said]) => {
          const paidAt = `2026-11-21T${from}:00Z`
          return {
            userId,
            payment: { status: 'paid', paid_at: paidAt, period_start: paidAt },
            reports: [{ source: 'webhook', paid_at: said, paid_at_believed: false }],
            doubts: [{ said_paid_at: said, paid_at: paidAt }],
          }
        }),
      )
      for (const { payment, doubts } of found) expect(doubts).toMatchObject([{ payment_id: payment.id }])
      const ends = await Promise.all(cases.map(([userId]) => monthEnd(userId)))
      expect(ends).toEqual(cases.map(([, , from]) => `2026-12-21T${from}:00Z`))
    })

    it('that is none counts from when it was heard, and is shown', async () => {
      const cases = [
        ['beyond-the-year-9999', 253_402_300_800],
        ['in-milliseconds', START],
        ['an-ISO-8601-text', '2026-11-21T12:00:00Z'],
        ['negative', -1],
        ['a-fraction', NOON + 0.5],
        ['no-number-at-all', { seconds: NOON }],
        ['left-out', undefined],
      ] as const
      // The envelope says as little.
      expect(await paySaying(cases, true)).toMatchObject(
        cases.map(([userId]) => ({
          userId,
          payment: { status: 'paid', paid_at: '2026-11-21T12:05:00Z' },
          reports: [{ paid_at: null, paid_at_believed: false }],
          doubts: [{ said_paid_at: null, paid_at: '2026-11-21T12:05:00Z' }],
        })),
      )
    })

    it('that is within what two clocks differ is believed, and nothing is shown', async () => {
      const cases = [
        ['as-text', String(NOON + 60), '12:01:00'],
        ['nine-minutes-ahead-of-our-clock', NOON + 14 * 60, '12:14:00'],
        ['nine-minutes-before-it-was-made', NOON - 9 * 60, '12:00:00'],
      ] as const
      expect(await paySaying(cases.map(([name, at]) => [name, at]))).toMatchObject(
        cases.map(([userId, , from]) => ({
          userId,
          payment: { status: 'paid', paid_at: `2026-11-21T${from}Z` },
          reports: [{ paid_at_believed: true }],
          doubts: [],
        })),
      )
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

  it('is ours, whatever clock the provider has, by the event, the sweep or the operator', async () => {
    // Everything that the provider says is wrong by as much: the making of the checkout, the payment, each
    // answer.
    for (const [place, at] of [
      START - YEAR * 1_000,
      1_000,
      START + YEAR * 1_000,
      Date.parse('9999-12-31T23:00:00Z'),
    ].entries()) {
      const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY], clock: movableClock(at) })
      if (place > 0) await world.stop()
      await reset()
      await open(emulator)
      const viaWebhook = await world.as(`sent-${place}`).buy()
      emulator.setFaults({ drop: {} })
      const swept = await world.as(`swept-${place}`).buy()
      world.clock.advance(61_000)
      await world.service.runner.runAll()
      const asked = await world.as(`asked-${place}`).buy()
      await operator.post(`/payments/${asked.paymentId}/recheck`)
      const expected = [
        [viaWebhook, 'webhook'],
        [swept, 'sweep'],
        [asked, 'operator'],
      ] as const
      for (const [{ paymentId }, source] of expected) {
        const { payment, reports, settled_by: settledBy } = await operator.payment(paymentId)
        expect([at, payment.status, settledBy]).toEqual([at, 'paid', source])
        expect(payment.paid_at).toMatch(/^2026-11-21T12:0[01]:/)
        expect(payment.expires_at).toMatch(/^2026-11-21T12:3[01]:/)
        expect(payment.period_end).toMatch(/^2026-12-21T12:0[01]:/)
        expect(reports).toMatchObject([{ source, paid_at_believed: false }])
      }
      expect(doubts(lines)).toHaveLength(3)
      await emulator.close()
    }
  })
})
