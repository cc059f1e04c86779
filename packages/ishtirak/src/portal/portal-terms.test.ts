// The choice of terms on the portal's page, and what its forms buy.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { type Answer, createWorld, type World } from '../../../../test/support/world.js'
import { LOCALES } from '../core/locale.js'

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
  const choiceIn = (page: Answer) => /<form[^>]*portal\/choice".*?<\/form>/s.exec(page.text)?.[0] ?? ''
  const radios = (html: string, name: string) =>
    [...html.matchAll(new RegExp(`<input type="radio" name="${name}" value="([^"]+)"([^>]*)>`, 'g'))].map(
      ([, value, more]) => [value, more?.match(/checked|disabled/)?.[0]],
    )
  /** What the one form of a summary sends. */
  const fieldsOf = ({ text }: Answer) =>
    Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="(plan|months|start|code|ahead)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    )
  const choose = async (offer: string, more = {}, userId = 'user-1') =>
    (await enterPortal(world, userId)).submit('/portal/choice', { offer, method: 'card', ...more })

  it('is one form with one button, each term with what it costs and saves, as the address asks', async () => {
    const page = await (await enterPortal(world, 'user-1')).open()
    expect(wordsOf(page.text)).toContain(
      'Choose your plan Starter 1 month 900 DA 6 months You save 400 DA 5 000 DA' +
        ' 12 months You save 1 800 DA 9 000 DA Pro 1 month 2 400 DA',
    )
    const values = ['starter', 'pro', 'business'].flatMap((plan) => [1, 6, 12].map((n) => `${n} ${plan}`))
    const expected = values.map((value) => [value, value === '1 starter' ? 'checked' : undefined])
    expect(radios(choiceIn(page), 'offer')).toEqual(expected)
    expect(page.text.match(/class="go"/g)).toHaveLength(1)
    const usage = wordsOf(page.text.slice(page.text.indexOf('Your usage')))
    expect(usage).toContain('Databases 0 of 0 Not included in your plan')
    expect(usage).not.toContain('Limit reached')
    const summary = await choose('12 pro')
    const change = /href="[\w/]*(\/portal\?[^"#]+)#choose"/.exec(summary.text)?.[1] ?? ''
    const asked = await (await enterPortal(world, 'user-1')).open(change.replaceAll('&amp;', '&'))
    expect(radios(choiceIn(asked), 'offer')).toContainEqual(['12 pro', 'checked'])
  })

  it('leads to a page that states all of it in one line, before anything is opened', async () => {
    const lines = {
      en: 'Pro · 12 months · 24 000 DA incl. tax (2 000 DA a month) · 21 November 2026 to 21 November 2027',
      fr: 'Pro · 12 mois · 24 000 DA TTC (2 000 DA par mois) · du 21 novembre 2026 au 21 novembre 2027',
      ar:
        'Pro · 12 شهرًا · 24 000 دج شاملة كل الرسوم (2 000 دج في الشهر) · ' +
        'من 21 نوفمبر 2026 إلى 21 نوفمبر 2027',
    }
    for (const locale of LOCALES) {
      const portal = await enterPortal(world, 'user-1', locale)
      const page = await portal.submit('/portal/choice', { offer: '12 pro', method: 'card' })
      expect([page.status, wordsOf(page.text)]).toEqual([200, expect.stringContaining(lines[locale])])
      expect(page.text.match(/class="go"/g)).toHaveLength(1)
    }
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('states the numbers of each quote, and the overview those of a month, whatever is paid', async () => {
    const user = world.as('user-1')
    const day = (at: string) =>
      new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
    const dinars = (amount: number) => amount.toLocaleString('en-GB').replaceAll(',', ' ')
    const check = async () => {
      const { renewal } = (await user.get('/api/v1/billing/overview')).body
      for (const { plan, months } of (await world.call('GET', '/api/v1/billing/offers')).body) {
        const quote = (await user.get(`/api/v1/billing/quote?plan=${plan}&months=${months}`)).body
        const words = wordsOf((await choose(`${months} ${plan}`)).text)
        expect(words).toContain(`${dinars(quote.amount)} DA incl. tax`)
        expect(words).toContain(`${day(quote.would_start)} to ${day(quote.would_end)}`)
        const { amount, would_start, would_end } = quote
        if (months === 1 && plan === renewal.plan)
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
    expect(wordsOf((await choose('1 pro')).text)).toContain('It starts where your last period ended.')
  })

  it('buys what the page says, and takes the term paid last for the next', async () => {
    const portal = await enterPortal(world, 'user-1')
    const page = await choose('6 pro')
    expect(page.text).toContain(`action="${world.base}/portal/upgrade"`)
    await pay(await portal.submit('/portal/upgrade', fieldsOf(page)))
    expect(world.emulator.checkouts()[0]).toMatchObject({ amount: 13_200 })
    expect(await endOf('user-1')).toBe('2027-05-21T12:00:00Z')
    expect(wordsOf((await portal.open('/portal?payments=all')).text)).toContain(
      'Pro · 6 months · 21 November 2026 to 21 May 2027',
    )
    await world.advance(178 * 86_400)
    const next = await (await enterPortal(world, 'user-1')).open()
    expect(radios(choiceIn(next), 'offer')).toContainEqual(['6 pro', 'checked'])
  })

  it('has no page for what is not sold, and buys no term that is not', async () => {
    const portal = await enterPortal(world, 'user-1')
    for (const offer of ['7 pro', '1 nope', '', 'pro', 'NaN pro', '1e1 pro', '12'])
      expect([offer, (await choose(offer)).status]).toEqual([offer, 422])
    expect((await choose('1 pro', { method: 'barter' })).status).toBe(422)
    for (const months of ['7', '0', '-1', '1.5', 'NaN', ' ', '1e1']) {
      const answer = await portal.submit('/portal/upgrade', { plan: 'pro', months })
      const says = wordsOf(answer.text).includes('Unknown term')
      expect([months, answer.status, says]).toEqual([months, 422, true])
    }
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('is behind a wish to buy ahead before the renewal window, with what is possible later', async () => {
    const portal = await enterPortal(world, 'user-1')
    await pay(await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' }))
    // A page that was opened before buys nothing by accident.
    const again = await portal.submit('/portal/upgrade', { plan: 'pro', months: '12' })
    expect([again.status, wordsOf(again.text).includes('Already subscribed')]).toEqual([409, true])
    const page = await portal.open()
    const words = wordsOf(page.text)
    expect(words).toContain('You can renew from 14 November 2027. Change plan or pay ahead')
    expect(words).toContain('What you buy now starts on 21 November 2027')
    expect(page.text).toMatch(/<details id="choose">/)
    const summary = await choose('6 pro')
    expect(wordsOf(summary.text)).toContain('It starts on 21 November 2027, when your current period ends.')
    await pay(await portal.submit('/portal/upgrade', fieldsOf(summary)))
    expect(await endOf('user-1')).toBe('2028-05-21T12:00:00Z')
    const later = await portal.open()
    expect(wordsOf(later.text)).toContain('12 months You save 4 800 DA Possible from 21 May 2027 24 000 DA')
    expect(radios(choiceIn(later), 'offer')).toContainEqual(['12 pro', 'disabled'])
    expect((await choose('12 pro')).status).toBe(409)
  })

  it('changes to a dearer plan at once, for the difference, to the same end', async () => {
    await world.as('user-1').buyWanted({ plan: 'pro' })
    await world.advance(15 * 86_400)
    const page = await (await enterPortal(world, 'user-1')).open()
    expect(wordsOf(page.text)).toContain('Change plan or pay ahead')
    expect(wordsOf(page.text)).toContain(
      'A larger plan, from now on Business until 21 December 2026 2 050 DA Starter 1 month',
    )
    expect(page.text).toMatch(/<details id="choose">/)
    const summary = await choose('now business')
    expect(wordsOf(summary.text)).toContain(
      'Business · from now on · 2 050 DA incl. tax · until 21 December 2026 Pay 2 050 DA by card' +
        ' You pay the difference: Business until 21 December 2026 costs 3 250 DA, less 1 200 DA left',
    )
    expect(summary.text).not.toContain('once we have seen the money')
    expect(fieldsOf(summary)).toMatchObject({ plan: 'business', start: 'now' })
    await pay(await (await enterPortal(world, 'user-1')).submit('/portal/upgrade', fieldsOf(summary)))
    expect((await world.as('user-1').get('/api/v1/billing/status')).body).toMatchObject({
      plan: 'business',
      current_period_end: '2026-12-21T12:00:00Z',
    })
    expect((await choose('now business')).status).toBe(409)
    // Nothing of the kind where nothing is paid.
    expect((await choose('now business', {}, 'user-2')).status).toBe(409)
  })

  it('is taken up again by the page after a payment that failed', async () => {
    const portal = await enterPortal(world, 'user-1')
    const form = { plan: 'pro', months: '12' }
    const started = await portal.submit('/portal/upgrade', form)
    await world.emulator.pay(checkoutOf(started), 'failed')
    await world.emulator.settled()
    const [payment] = (await world.as('user-1').get('/api/v1/billing/payments')).body.data
    const failed = await portal.open(`/portal/return/${payment.id}`)
    expect(wordsOf(failed.text)).toContain('Term 12 months')
    expect(failed.text).toContain('<input type="hidden" name="months" value="12"')
    // Bought meanwhile: the page leads to the portal, which says so.
    await pay(await portal.submit('/portal/upgrade', form))
    const after = await portal.open(`/portal/return/${payment.id}`)
    expect(after.text).not.toContain('/portal/upgrade')
  })
})

describeScenario('a plan without terms', ({ database }) => {
  it('has one button, and nothing to buy before the renewal window', async () => {
    await using world = await createWorld(database())
    const portal = await enterPortal(world, 'user-1')
    const before = await portal.open()
    expect(before.text.match(/<button[^>]*class="go"/g)).toHaveLength(1)
    expect(wordsOf(before.text)).toContain(
      'Upgrade to Pro Pay 2 000 DA by card Pro · 1 month · 2 000 DA incl. tax · ' +
        '21 November 2026 to 21 December 2026 It starts',
    )
    await world.as('user-1').buy()
    const after = await portal.open()
    expect(after.text).not.toMatch(/id="choose"|portal\/upgrade|portal\/choice/)
    expect(wordsOf(after.text)).toContain('You can renew from 14 December 2026.')
  })
})
