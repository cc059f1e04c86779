import { makeCodes } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import type { Answer } from '../../../../test/support/world.js'

describeWorld('the choice of terms', { env: { PLANS_FILE: SELLING_PLANS } }, ({ world, restart }) => {
  const pay = ({ headers }: Answer, outcome?: 'failed') => world.pay(headers.get('location') ?? '', outcome)
  const endOf = async (userId: string) =>
    (await world.as(userId).get('/api/v1/billing/status')).body.current_period_end
  const offersIn = ({ text }: Answer) =>
    [...text.matchAll(/<button type="submit" name="offer" value="([^"]+)"/g)].map(([, value]) => value)
  const fieldsOf = ({ text }: Answer) =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="(plan|months|start|code|ahead)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    )
  const choose = async (offer: string) =>
    (await enterPortal(world, 'user-1')).submit('/portal/choice', { offer, method: 'card' })

  it('is a card for each plan with one button, with what is in it and what the term saves', async () => {
    const portal = await enterPortal(world, 'user-1')
    const page = await portal.open()
    expect(wordsOf(page.text)).toContain(
      'Choose your plan 1 month 6 months up to −8 % 12 months up to −16 % Free Your plan 0 DA per month',
    )
    expect(wordsOf(page.text)).toContain(
      'Starter 900 DA per month, incl. tax Projects 5 Domains per project 3',
    )
    expect(offersIn(page)).toEqual(['1 starter', '1 pro', '1 business'])
    expect(wordsOf(page.text)).toContain('Databases 0 of 0 Not included in your plan')
    const year = await portal.open('/portal?term=12')
    expect(offersIn(year)).toEqual(['12 starter', '12 pro', '12 business'])
    expect(wordsOf(year.text)).toContain(
      '2 000 DA per month, incl. tax 12 months · 24 000 DA You save 4 800 DA',
    )
    const summary = await choose('12 pro')
    expect(summary.text).toContain(`href="${world.base}/portal/plans?term=12"`)
    expect(offersIn(await portal.open('/portal/plans?term=12'))).toEqual(offersIn(year))
  })

  it('leads to a page that states all of it in lines, before anything is opened', async () => {
    const page = await choose('12 pro')
    const lines =
      'Plan Pro Period 12 months · 21 November 2026 to 21 November 2027 Price excl. VAT 20 168,07 DA' +
      ' VAT (19 %) 3 831,93 DA Stamp duty 0 DA Total to pay 24 000 DA How you pay EDAHABIA or CIB card' +
      ' Pay 24 000 DA by card'
    expect([page.status, wordsOf(page.text)]).toEqual([200, expect.stringContaining(lines)])
    expect(page.text.match(/class="go"/g)).toHaveLength(1)
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('buys what the page says, and takes the term paid last for the next', async () => {
    const portal = await enterPortal(world, 'user-1')
    const page = await choose('6 pro')
    expect(page.text).toContain(`action="${world.base}/portal/upgrade"`)
    await pay(await portal.submit('/portal/upgrade', fieldsOf(page)))
    expect(world.emulator.checkouts()[0]).toMatchObject({ amount: 13_200 })
    expect(await endOf('user-1')).toBe('2027-05-21T12:00:00Z')
    expect(wordsOf((await portal.open('/portal/payments')).text)).toContain(
      'Pro · 6 months · 21 November 2026 to 21 May 2027',
    )
    await world.advance(178 * 86_400)
    const next = await (await enterPortal(world, 'user-1')).open()
    expect(offersIn(next)).toEqual(['6 pro'])
    expect(wordsOf(next.text)).toContain('Renew Pro · 6 months · 13 200 DA')
  })

  it('has no page for what is not sold, and buys no term that is not', async () => {
    const portal = await enterPortal(world, 'user-1')
    const refuse = async (path: string, fields: Record<string, string>) =>
      expect([fields, (await portal.submit(path, fields)).status]).toEqual([fields, 422])
    for (const offer of ['7 pro', '1 nope', '', 'NaN pro'])
      await refuse('/portal/choice', { offer, method: 'card' })
    await refuse('/portal/choice', { offer: '1 pro', method: 'barter' })
    for (const months of ['7', '-1', '1.5', '1e1']) await refuse('/portal/upgrade', { plan: 'pro', months })
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('is behind a wish to buy ahead before the renewal window, with what is possible later', async () => {
    const portal = await enterPortal(world, 'user-1')
    await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' }))
    // A page that was opened before buys nothing by accident.
    const again = await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' })
    expect([again.status, wordsOf(again.text).includes('Already subscribed')]).toEqual([409, true])
    const page = await portal.open()
    expect(wordsOf(page.text)).toContain('You can renew from 14 November 2027. Change plan or pay ahead')
    expect(offersIn(page)).toEqual([])
    const ahead = await portal.open('/portal/plans?term=6')
    expect(wordsOf(ahead.text)).toContain('What you buy now starts on 21 November 2027')
    const summary = await choose('6 pro')
    expect(wordsOf(summary.text)).toContain('It starts on 21 November 2027, when your current period ends.')
    await pay(await portal.submit('/portal/upgrade', fieldsOf(summary)))
    expect(await endOf('user-1')).toBe('2028-05-21T12:00:00Z')
    const later = await portal.open('/portal/plans?term=12')
    expect(wordsOf(later.text)).toContain('Possible from 21 May 2027')
    expect(offersIn(later)).toEqual([])
  })

  it('changes to a dearer plan at once, for the difference, to the same end', async () => {
    await world.as('user-1').buyWanted({ plan: 'pro' })
    await world.advance(15 * 86_400)
    const page = await (await enterPortal(world, 'user-1')).open('/portal/plans')
    expect(wordsOf(page.text)).toContain('Business 2 050 DA until 21 December 2026')
    expect(offersIn(page)).toEqual(['now business'])
    const summary = await choose('now business')
    expect(wordsOf(summary.text)).toContain(
      'Plan Business Period from now on · until 21 December 2026 Price excl. VAT 2 731,09 DA' +
        ' Left of what you paid for this period −1 008,40 DA VAT (19 %) 327,31 DA',
    )
    await pay(await (await enterPortal(world, 'user-1')).submit('/portal/upgrade', fieldsOf(summary)))
    expect((await world.as('user-1').get('/api/v1/billing/status')).body).toMatchObject({
      plan: 'business',
      current_period_end: '2026-12-21T12:00:00Z',
    })
    expect((await choose('now business')).status).toBe(409)
  })

  it('is taken up again by the page after a payment that failed', async () => {
    const portal = await enterPortal(world, 'user-1')
    const form = { plan: 'pro', months: '12' }
    await pay(await portal.submit('/portal/upgrade', form), 'failed')
    const [payment] = (await world.as('user-1').get('/api/v1/billing/payments')).body.data
    const failed = await portal.open(`/portal/return/${payment.id}`)
    expect(wordsOf(failed.text)).toContain('Term 12 months')
    expect(failed.text).toContain('<input type="hidden" name="months" value="12"')
    // Bought meanwhile: the page leads to the portal, which says so.
    await pay(await portal.submit('/portal/upgrade', form))
    const after = await portal.open(`/portal/return/${payment.id}`)
    expect(after.text).not.toContain('/portal/upgrade')
  })

  it('of a plan without terms has one button, and nothing to buy before the renewal window', async () => {
    await restart()
    const portal = await enterPortal(world, 'user-1')
    const before = await portal.open()
    expect(before.text.match(/<button[^>]*class="go"/g)).toHaveLength(1)
    expect(wordsOf(before.text)).toContain(
      'Pay 2 000 DA by card It starts as soon as your payment is confirmed.',
    )
    await world.as('user-1').buy()
    const after = await portal.open()
    expect(after.text).not.toMatch(/id="choose"|portal\/upgrade|portal\/choice/)
    expect(wordsOf(after.text)).toContain('You can renew from 14 December 2026.')
  })
})

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
  const portal = async (path = '/portal') => {
    const { text } = await (await enterPortal(world, 'user-1')).open(path)
    return {
      all: wordsOf(text),
      hero: wordsOf(/<section class="card state".*?<\/section>/s.exec(text)?.[0] ?? ''),
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

    const { all } = await portal('/portal/payments')
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
    const session = await enterPortal(world, 'user-1')
    const { text } = await session.open('/portal/payments')
    const list = text.slice(text.indexOf('id="time"'))
    expect([redeemed, list.match(/\/portal\/receipts\/\w{4}/g)]).toEqual([200, ['/portal/receipts/pay_']])
    expect(list).toContain(`/portal/receipts/${paymentId}`)
    expect(wordsOf(list)).toMatch(/Pro Now Paid .* Receipt Pro Next Code /)
    const first = (await session.open()).text
    expect(first).toMatch(/href="[^"]*\/portal\/payments"/)
    expect(first).toContain(`/portal/receipts/${paymentId}`)
  })
})
