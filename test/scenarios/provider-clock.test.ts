// The provider may report any instant of payment. An impossible one is not used: the payment counts from
// the nearest instant that can be, one month and no more, and the operator sees it. The bounds are in
// core/settlement.test.ts.
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { describeScenario } from '../support/databases.js'
import { captureLog } from '../support/example-app.js'
import { type OperatorCaller, operatorOf } from '../support/operator.js'
import { anEvent, postEvent } from '../support/provider-events.js'
import { CHARGILY_KEY, createWorld, START, type World } from '../support/world.js'

const NOON = START / 1_000

describeScenario('an instant of payment', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  let lines: string[]
  const open = async (emulator?: World['emulator']) => {
    const captured = captureLog()
    lines = captured.lines
    world = await createWorld(database(), {
      log: captured.log,
      ...(emulator && { emulator }),
    })
    operator = operatorOf(world)
  }
  afterEach(() => world.stop())

  /** What the log has said of instants of payment since the last call. */
  const doubts = () =>
    lines
      .splice(0)
      .filter((line) => line.includes('instant of payment'))
      .map((line): { said_paid_at: string; paid_at: string } => JSON.parse(line))

  it('of an event counts from an instant that can be, for a month; what was said is shown', async () => {
    await open()
    const cases: readonly (readonly [said: unknown, at: string, shown: string | null, believed: boolean])[] =
      [
        [1, '12:00:00', '1970-01-01T00:00:01Z', false],
        [253_402_300_799, '12:05:00', '9999-12-31T23:59:59Z', false],
        // These are no instants, so the service has none to show.
        [253_402_300_800, '12:05:00', null, false],
        ['2026-11-21T12:00:00Z', '12:05:00', null, false],
        [undefined, '12:05:00', null, false],
        [String(NOON + 60), '12:01:00', '2026-11-21T12:01:00Z', true],
      ]
    // The checkouts are made at 12:00, and the events come at 12:05.
    const opened = []
    for (const index of cases.keys()) opened.push(await world.as(`user-${index}`).upgrade())
    world.clock.advance(5 * 60_000)
    const found = []
    for (const [index, [said, , shown]] of cases.entries()) {
      const { paymentId, checkoutId } = opened[index] ?? { paymentId: '', checkoutId: '' }
      // Where it is none, all else says as little.
      const isNone = shown === null
      const says = { updated_at: said, ...(isNone && { created_at: said }) }
      const event = { ...JSON.parse(anEvent(world, checkoutId, 'paid', says)), ...(isNone && says) }
      expect((await postEvent(world, JSON.stringify(event))).text).toBe('{"received":true}')
      const { payment, reports } = await operator.payment(paymentId)
      const [report] = reports
      const doubted = doubts().map(({ said_paid_at, paid_at }) => [said_paid_at, paid_at])
      const times = [payment.status, payment.paid_at, payment.period_start, payment.period_end]
      found.push([...times, report.source, report.paid_at, report.paid_at_believed, doubted])
    }
    expect(found).toEqual(
      cases.map(([, time, shown, believed]) => {
        const from = `2026-11-21T${time}Z`
        const times = ['paid', from, from, `2026-12-21T${time}Z`]
        return [...times, 'webhook', shown, believed, believed ? [] : [[shown, from]]]
      }),
    )
  })

  it('is ours, whatever clock the provider has, by the event, the sweep or the operator', async () => {
    // Everything that the provider says is wrong by as much: the making of the checkout, the payment, each
    // answer.
    const clock = movableClock(Date.parse('9999-12-31T23:00:00Z'))
    const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY], clock })
    await open(emulator)
    const webhook = await world.as('sent').buy()
    emulator.setFaults({ drop: {} })
    const sweep = await world.as('swept').buy()
    world.clock.advance(61_000)
    await world.service.runner.runAll()
    const asked = await world.as('asked').buy()
    await operator.post(`/payments/${asked.paymentId}/recheck`)
    for (const [source, { paymentId }] of Object.entries({ webhook, sweep, operator: asked })) {
      const { payment, reports, settled_by } = await operator.payment(paymentId)
      expect([payment.status, settled_by]).toEqual(['paid', source])
      expect(payment.paid_at).toMatch(/^2026-11-21T12:0[01]:/)
      expect(payment.expires_at).toMatch(/^2026-11-21T12:3[01]:/)
      expect(payment.period_end).toMatch(/^2026-12-21T12:0[01]:/)
      expect(reports).toMatchObject([{ source, paid_at_believed: false }])
    }
    expect(doubts()).toHaveLength(3)
    await emulator.close()
  })
})
