// The choice of terms on the portal's page, and what its forms buy.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { type Answer, createWorld, type World } from '../../../../test/support/world.js'

describeScenario('the choice of terms', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { PLANS_FILE: SELLING_PLANS } })
  })
  afterEach(() => world.stop())

  const checkoutOf = ({ headers }: Answer) =>
    /checkouts\/(\w+)\/pay/.exec(headers.get('location') ?? '')?.[1] ?? ''
  const pay = async (answer: Answer) => {
    expect(answer.status).toBe(303)
    await world.emulator.pay(checkoutOf(answer), 'paid')
    await world.emulator.settled()
  }
  const endOf = async (userId: string) =>
    (await world.as(userId).get('/api/v1/billing/status')).body.current_period_end
  const hero = (page: Answer) => /<section class="card hero".*?<\/section>/s.exec(page.text)?.[0] ?? ''
  const buttons = (html: string) =>
    [...html.matchAll(/<button([^>]*) name="months" value="(\d+)"/g)].map(([, look, months]) => [
      look,
      months,
    ])

  it(
    'says of each what it costs, what it saves and until when it goes, the month first, with the same ' +
      'button',
    async () => {
      const page = await (await enterPortal(world, 'user-1')).open()
      expect(wordsOf(hero(page))).toContain(
        'Upgrade to Starter: choose how long 1 month Until 21 December 2026 900 DA Pay' +
          ' 6 months You save 400 DA Until 21 May 2027 5 000 DA Pay' +
          ' 12 months You save 1 800 DA Until 21 November 2027 9 000 DA Pay All prices include tax.',
      )
      const like = ' type="submit" class="go"'
      expect(buttons(hero(page))).toEqual(['1', '6', '12'].map((months) => [like, months]))
      expect(page.text).not.toMatch(/<input(?![^>]*type="hidden")|checked|selected/)
    },
  )

  it(
    'shows the numbers of each quote, and the overview those of the single month, whatever is ' + 'paid',
    async () => {
      const user = world.as('user-1')
      const day = (at: string) =>
        new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
      const dinars = (amount: number) => amount.toLocaleString('en-GB').replaceAll(',', ' ')
      const check = async () => {
        const words = wordsOf(hero(await (await enterPortal(world, 'user-1')).open()))
        const { renewal } = (await user.get('/api/v1/billing/overview')).body
        const offers = (await world.call('GET', '/api/v1/billing/offers')).body
        const ofPlan = offers.filter(({ plan }: { plan: string }) => plan === renewal.plan)
        expect(ofPlan).toHaveLength(3)
        for (const { plan, months } of ofPlan) {
          const quote = (await user.get(`/api/v1/billing/quote?plan=${plan}&months=${months}`)).body
          expect(words).toContain(`Until ${day(quote.would_end)} ${dinars(quote.amount)} DA Pay`)
          const { amount, would_start, would_end } = quote
          if (months === 1)
            expect(renewal).toMatchObject({ allowed: true, plan, amount, would_start, would_end })
        }
      }
      await check()
      const portal = await enterPortal(world, 'user-1')
      await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '1' }))
      await world.advance(25 * 86_400)
      await check()
      // In grace.
      await world.advance(7 * 86_400)
      await check()
    },
  )

  it('a limit of which the plan has none is not used up, but not part of the plan', async () => {
    const { text } = await (await enterPortal(world, 'user-1')).open()
    const usage = wordsOf(text.slice(text.indexOf('Your usage')))
    expect(usage).toContain('Databases 0 of 0 Not included in your plan')
    expect(usage).not.toContain('Limit reached')
  })

  it('buys what the button says', async () => {
    const portal = await enterPortal(world, 'user-1')
    await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' }))
    expect(world.emulator.checkouts()[0]).toMatchObject({ amount: 24_000 })
    expect(await endOf('user-1')).toBe('2027-11-21T12:00:00Z')
    expect(wordsOf((await portal.open()).text)).toContain(
      'Pro · 12 months · 21 November 2026 to 21 November 2027',
    )
  })

  it.each(['7', '0', '-1', '1.5', 'NaN', ' ', '1e1'])('buys no term of %j months', async (months) => {
    const portal = await enterPortal(world, 'user-1')
    const answer = await portal.submit('/portal/upgrade', { plan: 'pro', months })
    expect([answer.status, wordsOf(answer.text).includes('Unknown term')]).toEqual([422, true])
    expect(world.emulator.checkouts()).toEqual([])
  })

  describe('before the renewal window', () => {
    it(
      'is hidden behind a wish to buy ahead, with when each would start and what is possible only ' + 'later',
      async () => {
        const portal = await enterPortal(world, 'user-1')
        await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' }))
        const page = await portal.open()
        const words = wordsOf(hero(page))
        expect(words).toContain('You can renew from 14 November 2027. Pay ahead')
        expect(words).toContain('What you buy now starts on 21 November 2027')
        expect(words).toContain('12 months You save 4 800 DA Until 21 November 2028 24 000 DA Pay')
        await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '6', ahead: 'yes' }))
        expect(await endOf('user-1')).toBe('2028-05-21T12:00:00Z')
        const later = wordsOf((await portal.open()).text)
        expect(later).toContain('12 months You save 4 800 DA Until 21 May 2029 Possible from 21 May 2027')
      },
    )

    it('is not what a page shows that was opened before: its button buys nothing by accident', async () => {
      const portal = await enterPortal(world, 'user-1')
      await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '1' }))
      const again = await portal.submit('/portal/upgrade', { plan: 'pro', months: '1' })
      expect([again.status, wordsOf(again.text).includes('Already subscribed')]).toEqual([409, true])
    })
  })

  it('is taken up again by the page after a payment that failed', async () => {
    const portal = await enterPortal(world, 'user-1')
    const form = { plan: 'pro', months: '12' }
    const started = await portal.submit('/portal/upgrade', form)
    await world.emulator.pay(checkoutOf(started), 'failed')
    await world.emulator.settled()
    const [payment] = (await world.as('user-1').get('/api/v1/billing/payments')).body.data
    const failed = await portal.open(`/billing/return/${payment.id}`)
    expect(wordsOf(failed.text)).toContain('Term 12 months')
    expect(failed.text).toContain('<input type="hidden" name="months" value="12"')
    // Bought meanwhile: the page leads to the portal, which says so.
    await pay(await portal.submit('/portal/upgrade', form))
    const after = await portal.open(`/billing/return/${payment.id}`)
    expect(after.text).not.toContain('/portal/upgrade')
  })
})

describeScenario('a plan without terms', ({ database }) => {
  it('has one button, and nothing to buy before the renewal window', async () => {
    await using world = await createWorld(database())
    const portal = await enterPortal(world, 'user-1')
    const before = await portal.open()
    expect(before.text.match(/<button[^>]*class="go"/g)).toHaveLength(2)
    await world.as('user-1').buy()
    const after = await portal.open()
    expect(after.text).not.toMatch(/<details|portal\/upgrade|class="terms"/)
    expect(wordsOf(after.text)).toContain('You can renew from 14 December 2026.')
  })
})
