import { expect, it } from 'vitest'
import { makeCodes } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'

/** In the portal, what is over folded, in this order. */
const LISTED = [
  ...['Subscription periods Earlier periods', 'Pro Paid 21 November 2026 to 21 December 2026'],
  'Business Paid 21 December 2026 to 21 January 2027',
  ...['Pro Code 21 January 2027 to 21 February 2027', 'Pro Granted 21 February 2027 to 7 March 2027'],
  ...['No plan Gap 7 March 2027 to 15 April 2027', 'Pro Refunded 5 May 2027 to 8 May 2027'],
]

describeWorld('the time that a user has', { env: { PLANS_FILE: SELLING_PLANS } }, ({ world }) => {
  const days = (count: number) => world.advance(count * 86_400)
  const pro = { plan: 'pro' }
  const business = { plan: 'business' }
  const buy = (wanted: { plan: string; months?: number }) => world.as('user-1').buyWanted(wanted)
  const portal = async () => {
    const { text } = await (await enterPortal(world, 'user-1')).open()
    return {
      all: wordsOf(text),
      hero: wordsOf(/<section class="card hero".*?<\/section>/s.exec(text)?.[0] ?? ''),
    }
  }
  const returned = async (paymentId: string) => {
    const headers = { 'accept-language': 'en' }
    return wordsOf((await world.call('GET', `/portal/return/${paymentId}`, { headers })).text)
  }
  const operator = () => operatorOf(world, ROLE_KEYS.owner)

  it('is named with both plans where another follows, counted down to the end of the first', async () => {
    await buy(pro)
    await days(25)
    const { paymentId } = await buy(business)
    const then = 'Then Business, 21 December 2026 to 21 January 2027'
    const { hero } = await portal()
    for (const text of ['Pro until 21 December 2026', then, '5 days left']) expect(hero).toContain(text)
    expect(await returned(paymentId)).toContain(
      'You bought the Business plan, 21 December 2026 to 21 January 2027. Until then you have Pro.',
    )
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    expect(wordsOf((await visit.open('/console/users/user-1')).text)).toContain(
      'Pro until 21 December 2026 at 13:00, then Business until 21 January 2027 at 13:00',
    )
    await days(5.5)
    const later = (await portal()).hero
    expect(later).toContain('Business until 21 January 2027')
    expect(later).not.toContain(then)
  })

  it('is named after paying by the plan that was bought and its end, whatever came before', async () => {
    const first = await buy(pro)
    expect(await returned(first.paymentId)).toContain(
      'Thank you. The Pro plan is paid until 21 December 2026 at 13:00.',
    )
    expect(await returned(first.paymentId)).toContain('Plan Pro Term 1 month')
    await days(25)
    const second = await buy({ plan: 'pro', months: 6 })
    for (const { paymentId } of [first, second])
      expect(await returned(paymentId)).toContain('The Pro plan is paid until 21 June 2027 at 13:00.')
    expect(await returned(second.paymentId)).toContain('Plan Pro Term 6 months')
  })

  /** Two payments of two plans, a code, granted days, a gap; a refund and an end by an operator. */
  async function live() {
    const first = await buy(pro)
    await days(25)
    const second = await buy(business)
    const { code } = await makeCodes(operator(), { kind: 'months', plan: 'pro', months: 1 })
    await world.as('user-1').post('/api/v1/billing/redeem', { code })
    for (const _ of [1, 2]) await operator().post('/users/user-1/grant', { days: 7, why: 'an outage' })
    await days(120)
    const third = await buy(pro)
    await days(10)
    await operator().post('/users/user-1/end', { why: 'a stolen card' })
    await days(10)
    const fourth = await buy(pro)
    await days(3)
    await operator().post(`/payments/${fourth.paymentId}/refund`, { why: 'by mistake' })
    return [first, second, third, fourth].map(({ paymentId }) => paymentId)
  }

  it('is one list for users, the host and operators, in order, with what gave each piece', async () => {
    const [first, second, third, fourth] = await live()
    const { body } = await world.as('user-1').get('/api/v1/billing/overview')
    const file = (await operator().get('/users/user-1')).body
    expect(file.time).toEqual(body.time)
    const pieces = body.time.map((time: Record<string, string | null>) =>
      [time.given_by, time.plan, time.start?.slice(0, 10), time.end?.slice(0, 10)].filter(Boolean).join(' '),
    )
    expect(pieces).toEqual([
      ...['paid pro 2026-11-21 2026-12-21', 'paid business 2026-12-21 2027-01-21'],
      ...['code pro 2027-01-21 2027-02-21', 'granted pro 2027-02-21 2027-03-07'],
      ...['gap 2027-03-07 2027-04-15', 'paid pro 2027-04-15 2027-04-25'],
      ...['gap 2027-04-25 2027-05-05', 'paid pro 2027-05-05 2027-05-08'],
    ])
    const ids = body.time.map(({ id }: { id: string | null }) => id?.replace(/^(red|grt)_.*/, '$1') ?? null)
    expect(ids).toEqual([first, second, 'red', 'grt', null, third, null, fourth])

    const { all } = await portal()
    const places = LISTED.map((part) => [part, all.indexOf(part)] as const)
    expect(places.filter(([, place]) => place < 0)).toEqual([])
    expect(places.toSorted(([, one], [, other]) => one - other)).toEqual(places)
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    const said = wordsOf((await visit.open('/console/users/user-1')).text)
    expect(said).toContain('All time, in order What From Until Pro · 1 month · paid')
    expect(said).toContain('gap 7 March 2027 at 13:00 15 April 2027 at 13:00')
  })

  it('says what runs and what is next, with the receipt, and leads to the payments', async () => {
    const { paymentId } = await buy(pro)
    const { code } = await makeCodes(operator(), { kind: 'months', plan: 'pro', months: 1 })
    const redeemed = (await world.as('user-1').post('/api/v1/billing/redeem', { code })).status
    await days(10)
    const { text } = await (await enterPortal(world, 'user-1')).open()
    const list = text.slice(text.indexOf('id="time"'), text.indexOf('id="history"'))
    expect([redeemed, list.match(/\/portal\/receipts\/\w{4}/g)]).toEqual([200, ['/portal/receipts/pay_']])
    expect(list).toContain(`/portal/receipts/${paymentId}`)
    expect(wordsOf(list)).toMatch(/Pro Now Paid .* Receipt Pro Next Code /)
    expect(text).toMatch(/href="[^"]*\/portal\?payments=all#history">Your payments</)
  })
})
