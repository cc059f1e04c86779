// What users are owed at a month's end is what their ledgers say, and what was earned is what the sales say:
// over months, with refunds both ways, corrections, a change that came too late and a job that stood still.
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { PLANS_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { checkoutIdOf, tokenOf } from '../../../../test/support/world.js'
import { bookDueRenewals } from '../balance/order.js'

const BILLING = '/api/v1/billing'
const DAY_MS = 86_400_000

/** Each entry in the month of Algiers that it is of. */
const selectLedgers = sql(
  `select to_char(created_at + interval '1 hour', 'YYYY-MM') as month, amount from balance_entries`,
)

const ENV = { PLANS_FILE, BALANCE_MAX: '50000' }

describeWorld('what is owed to users', { env: ENV, withoutJobs: true }, ({ world, database }) => {
  const operator = operatorOf(world)

  const month = async (name: string) => (await operator.get(`/months/${name}`)).body
  const act = async (address: string, asked: object) => {
    const done = await operator.post(`/${address}`, { why: 'a test', ...asked })
    expect([done.status, done.body.code]).toEqual([200, undefined])
  }
  const pay = async (checkoutUrl: string) => {
    await world.emulator.pay(checkoutIdOf(checkoutUrl), 'paid', 'edahabia')
    await world.emulator.settled()
  }
  const topUp = async (userId: string, amount: number) => {
    const { body } = await world.as(userId).post(`${BILLING}/balance/top-ups`, { amount })
    await pay(body.checkout_url)
    return body.id as string
  }
  const buy = async (userId: string, wanted: object = {}) => {
    const asked = { plan: 'pro', method: 'balance', ...wanted }
    const bought = await world.as(userId).post(`${BILLING}/payments`, asked)
    expect([bought.status, bought.body.code]).toEqual([201, undefined])
    return bought.body.id as string
  }
  const renew = async (userId: string) =>
    world.call('PUT', `${BILLING}/balance/renewal`, {
      body: { plan: 'pro', months: 1 },
      headers: { authorization: `Bearer ${await tokenOf({ sub: userId })}` },
    })

  it('at the end of each month is what the ledgers say, and what was earned is what was sold', async () => {
    await world.as('nobody').buy()
    expect((await month('2026-11')).owed_to_users).toBeNull()
    // November: paid in and spent, refunded to the balance and by hand, put right both ways.
    await topUp('spends', 6_000)
    const bought = await buy('spends')
    await act(`payments/${bought}/refund`, {})
    const back = await topUp('back', 3_000)
    await act(`payments/${back}/refund`, {})
    await topUp('put-right', 5_000)
    await act('users/put-right/correct', { amount: 700 })
    await act('users/put-right/correct', { amount: -200 })
    await act('users/put-right/pay-out', { amount: 1_000 })
    const { paymentId } = await world.as('card').buy()
    await act(`payments/${paymentId}/refund`, { to: 'balance' })
    // A change that is paid when its time is over.
    await world.as('late').buy()
    const change = await world.as('late').post(`${BILLING}/payments`, { plan: 'team', start: 'now' })
    await act('users/late/end', {})
    await pay(change.body.checkout_url)
    await topUp('renews', 7_000)
    await renew('renews')
    const november = await month('2026-11')
    // Neither a top-up nor the change is a sale. Who pays by balance for the first time is new.
    expect(november.users).toMatchObject({ new: 5, renewed: 0 })
    const { total } = (await operator.get('/months/2026-11/declaration')).body
    expect([november.paid.count, november.paid.ttc]).toEqual([total.sales.count, total.sales.ttc])
    for (const part of ['by_day', 'by_method', 'by_rate']) {
      const counts: number[] = november[part].map((of: typeof november) => of.paid.count)
      expect([part, counts.reduce((sum, count) => sum + count)]).toEqual([part, november.paid.count])
    }
    expect(november.owed_to_users).toMatchObject({
      came_in: { top_ups: 21_000, surplus: change.body.amount, returned: 4_000, corrected: 700 },
      ...{ owed_before: 0, earned: 2_000 + 2_000, corrected: 200, paid_out: 4_000 },
      unbooked: 0,
    })
    // The job stands still until February: two renewals are of months that are over by then.
    world.clock.advance(75 * DAY_MS)
    expect((await month('2026-12')).owed_to_users).toMatchObject({ earned: 0, unbooked: 1 })
    await topUp('spends', 1_000)
    await bookDueRenewals(world.service.parts, 100)

    const months = ['2026-11', '2026-12', '2027-01', '2027-02']
    const agree = async () => {
      let before = 0
      const ledgers = await database().query(selectLedgers)
      for (const name of months) {
        const { owed_to_users: owed, by_method } = await month(name)
        const of = (is: (at: string, amount: number) => boolean) =>
          ledgers
            .map(({ month: at, amount }) => [String(at), Number(amount)] as const)
            .reduce((sum, [at, amount]) => sum + (is(at, amount) ? amount : 0), 0)
        expect([name, owed.owed_before]).toEqual([name, before])
        expect([name, owed.owed]).toEqual([name, of((at) => at <= name)])
        expect(owed.came_in.total).toBe(of((at, amount) => at === name && amount > 0))
        const { came_in, earned, corrected, paid_out } = owed
        expect(owed.owed).toBe(owed.owed_before + came_in.total - earned - corrected - paid_out)
        const sold = by_method.find(({ method }: { method: string }) => method === 'balance')
        expect([name, earned]).toEqual([name, sold?.paid.ttc ?? 0])
        expect(sold?.paid.fees_unknown ?? 0).toBe(0)
        before = owed.owed
      }
    }
    await agree()
    // Seen in the month that it changed after its end.
    expect((await month('2026-12')).owed_to_users).toMatchObject({
      ...{ earned: 2_000, unbooked: 0 },
    })
    expect((await month('2026-11')).owed_to_users.owed).toBe(november.owed_to_users.owed)
    // In the accountant's file the entries stand between what was owed before and after.
    const { text } = await operator.get('/exports/accounts?month=2026-11&format=excel')
    expect(text).toMatch(/\r\navances au début du mois;;;.*;0;;;\r\n/)
    expect(text).toMatch(/\r\nrecharge;2026-11-\d\d;[^;]*;[^;]*;[^;]*;;;Carte;Carte EDAHABIA/)
  })
})
