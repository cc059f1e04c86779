// A day of the drawer: what the desk took and gave back, its count, and its closing by two operators.
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'

const KEYS = {
  sara: 'sara-key-of-the-drawer-tests',
  omar: 'omar-key-of-the-drawer-tests',
  lina: 'lina-key-of-the-drawer-tests',
}
const OPERATOR_KEYS = `sara:cashier:${KEYS.sara},omar:cashier:${KEYS.omar},lina:owner:${KEYS.lina}`

const ENV = { OPERATOR_KEYS, BALANCE_MAX: '9000' }

/** The world begins at noon in UTC of 21 November 2026, a Saturday. */
describeWorldOnEach('the drawer', { env: ENV, withoutJobs: true }, ({ world, restart }) => {
  const sara = operatorOf(world, KEYS.sara)
  const omar = operatorOf(world, KEYS.omar)
  const lina = operatorOf(world, KEYS.lina)

  const take = async (by: OperatorCaller, reference: string, wanted: object = {}) => {
    const cash = { new_user: true, plan: 'pro', method: 'cash', amount: 2020, reference, why: 'at the desk' }
    const user = `user-${encodeURIComponent(reference)}`
    const { status, body } = await by.post(`/users/${user}/record`, { ...cash, ...wanted })
    expect([reference, status, body.code]).toEqual([reference, 200, undefined])
    return body.payment.id as string
  }
  const cheque = { method: 'cheque', amount: 2000 }
  const dayOf = async (day: string, by = sara) => (await by.get(`/drawer/${day}`)).body
  const wait = (ms = 1_000) => world.clock.advance(ms)
  const DAY = '2026-11-21'

  it('has what came and went by method and by person, and is closed by two', async () => {
    await take(sara, '1')
    const second = await take(omar, '2')
    await take(sara, '3', cheque)
    const bounced = await take(omar, '4', cheque)
    await take(sara, '5', { plan: undefined, top_up: 3000, amount: 3030 })
    wait()
    for (const id of [second, bounced]) await lina.post(`/payments/${id}/refund`, { why: 'given back' })
    await lina.post('/users/user-5/pay-out', { amount: 1000, why: 'given back' })
    // A refund to the balance takes nothing out of the drawer.
    const kept = await take(sara, '6')
    await lina.post(`/payments/${kept}/refund`, { to: 'balance', why: 'kept' })
    const [cash, cheques] = (await dayOf(DAY)).by_method
    expect([cash, cheques]).toEqual([
      {
        ...{ method: 'cash', slips: 4, taken: 9090, stamp_duty: 90, returned: 2000, paid_out: 1000 },
        ...{ expected: 6090, after_count: null },
      },
      {
        ...{ method: 'cheque', slips: 2, taken: 4000, stamp_duty: 0, returned: 2000, paid_out: 0 },
        ...{ expected: 2000, after_count: null },
      },
    ])
    const { entries } = await dayOf(DAY)
    const tookOf = (name: string) =>
      entries.filter(({ operator }: { operator: string }) => operator === name).length
    expect(['sara', 'omar', 'lina'].map(tookOf)).toEqual([4, 2, 3])

    expect((await omar.post(`/drawer/${DAY}/confirm`, {})).body).toMatchObject({ code: 'conflict', day: DAY })
    const preview = (await sara.get(`/drawer/${DAY}/count?cash=6000&cheques=2000`)).body
    expect(preview.changes).toContainEqual(
      expect.objectContaining({ what: 'drawerCashDifference', after: -90 }),
    )
    await sara.post(`/drawer/${DAY}/count`, { cash: 6000, cheques: 2000 })
    wait()
    const again = await sara.post(`/drawer/${DAY}/count`, { cash: 6080, cheques: 2000, why: 'ten short' })
    expect(again.body).toMatchObject({
      state: 'counted',
      count: { cash_difference: -10, counted_by: 'sara' },
    })
    wait()
    await take(omar, '7')
    const own = await sara.post(`/drawer/${DAY}/confirm`, {})
    expect([own.status, own.body.code]).toEqual([409, 'second_operator_needed'])
    expect(own.body.detail).toContain('counted')
    const closed = (await omar.post(`/drawer/${DAY}/confirm`, { operation_id: 'op 1' })).body
    expect(closed).toMatchObject({
      state: 'closed',
      count: { cash: 6080, cash_difference: -10, cheques_difference: 0, confirmed_by: 'omar' },
      by_method: [{ expected: 8110, after_count: 2020 }, { after_count: 0 }],
    })
    // A repetition is accepted, another call is refused.
    expect((await omar.post(`/drawer/${DAY}/confirm`, { operation_id: 'op 1' })).body).toEqual(closed)
    const late = [
      await lina.post(`/drawer/${DAY}/confirm`, {}),
      await sara.post(`/drawer/${DAY}/count`, { cash: 1, cheques: 1 }),
    ]
    expect(late.map(({ status, body }) => [status, body.confirmed_by])).toEqual(Array(2).fill([409, 'omar']))
    const trail: { act: string; actor: string }[] = (await lina.get('/audit?limit=100')).body.data
    const acts = trail.flatMap(({ act, actor }) => (act.startsWith('drawer.') ? `${act} ${actor}` : []))
    expect(acts).toEqual(['drawer.confirm omar', 'drawer.count sara', 'drawer.count sara'])
  })

  it('counted by several at once has one of their counts, and is confirmed by one of two', async () => {
    await take(sara, '1')
    const count = (by: OperatorCaller) => by.post(`/drawer/${DAY}/count`, { cash: 2020, cheques: 0 })
    const counted = await Promise.all([count(sara), count(sara), count(omar)])
    expect(counted.map(({ status }) => status)).toEqual([200, 200, 200])
    const { counted_by } = (await dayOf(DAY)).count
    const others = [sara, omar, lina].filter((_, place) => ['sara', 'omar', 'lina'][place] !== counted_by)
    const confirmed = await Promise.all(others.map((by) => by.post(`/drawer/${DAY}/confirm`, {})))
    expect(confirmed.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('has what was on its way at the count in the sum after it', async () => {
    await take(sara, '1')
    wait()
    const { parts } = world.service
    const { save } = parts.settlements
    // The sale has an instant before the count, and is saved after it.
    Object.assign(parts.settlements, {
      save: async (...given: Parameters<typeof save>) => {
        Object.assign(parts.settlements, { save })
        wait()
        await omar.post(`/drawer/${DAY}/count`, { cash: 2020, cheques: 0 })
        return save(...given)
      },
    })
    await take(sara, '2')
    const { count, entries, by_method } = await dayOf(DAY)
    expect(count).toMatchObject({ cash_difference: 0, counted_by: 'omar' })
    expect(by_method[0]).toMatchObject({ expected: 4040, after_count: 2020 })
    expect(entries).toMatchObject([{ reference: '1' }, { reference: '2' }])
  })

  it('is counted in the console below its report, and confirmed there by another', async () => {
    await take(sara, '1')
    const path = `/console/drawer/${DAY}`
    const bySara = await enterConsole(world, KEYS.sara)
    const report = wordsOf((await bySara.open(path)).text)
    expect(report).toMatch(/Not counted.*Must be there.*2\s020 DA.*user-1.*sara/)
    const asked = await bySara.ask(`${path}/count`, '?cash=2000&cheques=0')
    expect(asked.words).toMatch(/Difference in cash, in dinars -?.*20/)
    const counted = await bySara.submit(asked.path, asked.fields)
    expect(wordsOf(await bySara.follow(counted))).toMatch(/waits for a second operator.*Counted by sara/)
    expect((await bySara.open(`${path}/confirm`)).status).toBe(409)
    const byOmar = await enterConsole(world, KEYS.omar)
    const { path: action, fields } = await byOmar.ask(`${path}/confirm`)
    const closed = await byOmar.follow(await byOmar.submit(action, fields))
    expect(wordsOf(closed)).toMatch(/Closed.*Confirmed by omar/)
  })

  it('counted waits in the inbox, with its age and who counted, until another confirms', async () => {
    await take(sara, '1')
    const waiting = async () => (await omar.get('/inbox?kind=drawer_counted')).body.data
    expect(await waiting()).toEqual([])
    await sara.post(`/drawer/${DAY}/count`, { cash: 2000, cheques: 7 })
    const entry = {
      ...{ kind: 'drawer_counted', urgency: 'later', next_act: 'drawer.confirm', id: DAY, amount: 2007 },
      ...{ detail: `${DAY} sara`, user_id: null, payment_id: null, waits_since: '2026-11-21T12:00:00Z' },
    }
    expect(await waiting()).toMatchObject([entry])
    await omar.post(`/drawer/${DAY}/confirm`, {})
    expect(await waiting()).toEqual([])
  })

  it('of a day ends at midnight in the time zone of the shop', async () => {
    for (const [BILLING_TIMEZONE, before, after, first, second] of [
      ['Africa/Algiers', '2026-11-21T22:59:59Z', '2026-11-21T23:00:00Z', '2026-11-21', '2026-11-22'],
      // Its summer time ends on 1 November 2026: a day of 25 hours, which ends at 05:00.
      ['America/New_York', '2026-11-30T04:59:59Z', '2026-11-30T05:00:00Z', '2026-11-29', '2026-11-30'],
    ] as const) {
      await restart({ env: { ...ENV, BILLING_TIMEZONE }, withoutJobs: true })
      world.clock.advance(Date.parse(before) - world.clock.now())
      await take(sara, `1 ${first}`)
      expect((await sara.get(`/drawer/${second}`)).body).toMatchObject({ code: 'not_found', day: second })
      await sara.post(`/drawer/${first}/count`, { cash: 2020, cheques: 0 })
      world.clock.advance(Date.parse(after) - world.clock.now())
      await take(sara, `2 ${first}`, cheque)
      const days = await Promise.all([dayOf(first), dayOf(second)])
      const references = days.map(({ entries }) => entries.map((one: { reference: string }) => one.reference))
      expect(references).toEqual([[`1 ${first}`], [`2 ${first}`]])
      const closed = { state: 'closed', count: { cash_difference: 0 } }
      expect((await omar.post(`/drawer/${first}/confirm`, {})).body).toMatchObject(closed)
    }
  })
})
