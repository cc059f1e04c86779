// Twelve months side by side: who had paid time at the end of each, whatever changed of it since, what became
// of those who lapsed, and the page.
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'

const DAY_MS = 86_400_000

// Makes a payment live, and those of the user `real`.
const makeLive = sql(`update payments set live = true where id = $1 or user_id = 'real'`)

describeWorld('a year', { withoutJobs: true }, ({ world, database }) => {
  const owner = operatorOf(world, ROLE_KEYS.owner)

  /** Month by month. */
  const buyAhead = async (user: string, months: number) => {
    for (let n = 0; n < months; n += 1) await world.as(user).buyWanted({ plan: 'pro' })
  }
  const pass = (days: number) => world.clock.advance(days * DAY_MS)
  const monthsUntil = async (until: string) => (await owner.get(`/years/${until}`)).body.months
  /** At the ends of the months: users, new, renewed, come back, lapsed. */
  const users = async (until: string) =>
    Object.fromEntries(
      (await monthsUntil(until))
        .filter(({ users: { at_end, lapsed } }: never) => at_end + lapsed > 0)
        .map(({ month, users: of }: { month: string; users: Record<string, number> }) => [
          month,
          [of.at_end, of.new, of.renewed, of.came_back, of.lapsed],
        ]),
    )

  it('has time that was ended by hand no more, also once the user buys again', async () => {
    await buyAhead('user-1', 4)
    pass(40)
    await owner.post('/users/user-1/end', { why: 'fraud' })
    const ended = { '2026-11': [1, 1, 0, 0, 0], '2026-12': [0, 0, 0, 0, 1] }
    pass(40)
    expect(await users('2027-02')).toEqual(ended)
    await world.as('user-1').buy()
    expect(await users('2027-02')).toEqual({ ...ended, '2027-02': [1, 0, 0, 1, 0] })
  })

  it('follows refunds, grants and ends', async () => {
    const { paymentId } = await world.as('refunded').buy()
    await world.as('granted').buy()
    await world.as('ended').buy()
    await owner.post('/users/never/grant', { days: 40, plan: 'pro', why: 'a gift' })
    expect(await users('2026-11')).toEqual({ '2026-11': [3, 3, 0, 0, 0] })
    await owner.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await owner.post('/users/granted/grant', { days: 20, why: 'an outage' })
    await owner.post('/users/ended/end', { why: 'fraud' })
    expect(await users('2026-11')).toEqual({ '2026-11': [1, 1, 0, 0, 0] })
    pass(40)
    expect(await users('2026-12')).toEqual({ '2026-11': [1, 1, 0, 0, 0], '2026-12': [1, 0, 1, 0, 0] })
  })

  it('has users of real money alone, or of play money where the shop takes no other', async () => {
    for (const user of ['tried', 'both', 'real']) await world.as(user).buy()
    await owner.post('/users/tried/grant', { days: 40, why: 'a gift' })
    const { paymentId } = await world.as('both').buyWanted({ plan: 'pro' })
    await database().query(makeLive, [paymentId])
    pass(50)
    const inTest = { '2026-11': [2, 2, 0, 0, 0], '2026-12': [1, 0, 1, 0, 1] }
    expect(await users('2026-12')).toEqual(inTest)
    // Switches the service to a live key on the same database.
    Object.assign(world.service.parts.methods, { live: true })
    expect(await users('2026-12')).toEqual({ ...{ '2026-11': [1, 1, 0, 0, 0], '2026-12': [1, 1, 0, 0, 1] } })
    expect((await owner.get('/months/2026-11')).body.users.new).toBe(2)
    Object.assign(world.service.parts.methods, { live: false })
    expect(await users('2026-12')).toEqual(inTest)
  })

  it('has a page: bars with their figures in words, and a table', async () => {
    await world.as('user-1').buy()
    pass(40)
    await buyAhead('user-2', 3)
    const visit = await enterConsole(world, ROLE_KEYS.owner, 'ar')
    const { text } = await visit.open('/console/year/2026-12')
    expect(text).toContain('<html lang="ar" dir="rtl"')
    expect(text).toMatch(/<svg[^>]*role="img"[^>]*aria-labelledby="chart-title chart-text"/)
    expect(text).not.toMatch(/<script|NaN|undefined|Infinity|\{\w+\}/)
    expect(wordsOf(text).replace(/[\u200e\u200f\u202f\u00a0]/g, ' ')).toMatch(/2 000/)
    const english = await enterConsole(world, ROLE_KEYS.owner)
    expect(wordsOf((await english.open('/console/year/2026-12')).text)).toContain(
      'Received 8 000 DA = Sales 8 000 DA of which before tax 6 722,68 DA of which VAT 1 277,32 DA',
    )
    // Nothing was sold in them.
    expect((await visit.open('/console/year/2020')).text).not.toMatch(/NaN|Infinity/)
  })
})
