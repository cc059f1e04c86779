// A year is bought in Arabic on a phone, then a code of months is redeemed and one that takes something off
// is used. Each page on the way is looked at.
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { axeFindingsInColors, describeInBrowser, type Visitor } from '../support/browser.js'
import { CODE_ENV, makeCodes } from '../support/codes.js'
import { freshDatabase } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { SELLING_PLANS } from '../support/portal.js'
import { createWorld, type World } from '../support/world.js'

describeInBrowser('on a phone, in Arabic', ({ visit }) => {
  let database: Database
  let world: World
  beforeAll(async () => {
    database = await freshDatabase('pglite')
    const env = { ...OPERATOR_ENV, ...CODE_ENV, PLANS_FILE: SELLING_PLANS }
    world = await createWorld(database, { env })
  })
  afterAll(async () => {
    await world.stop()
    await database.close()
  })

  const say = sayIn('ar')
  /** Playwright, as a screen reader, sees no marks of isolation. */
  const plain = (text: string | null) =>
    text
      ?.replace(/[\u2066-\u2069]/g, '')
      .replace(/[\s\u00a0]+/g, ' ')
      .trim()
  const enter = async (userId: string): Promise<Visitor> => {
    const visitor = await visit({ width: 360, touch: true, acceptLanguage: 'ar-DZ' })
    const { body } = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
    await visitor.page.goto(body.url)
    return visitor
  }
  const follow = (control: Locator) => Promise.all([control.page().waitForEvent('load'), control.tap()])
  const look = async ({ page, complaints }: Visitor, name: string) => {
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    expect(await axeFindingsInColors(page, `selling-${name}`)).toEqual([])
    expect(complaints).toEqual([])
  }
  const codeOf = async (batch: object) => (await makeCodes(operatorOf(world), batch)).code
  const type = async ({ page }: Visitor, code: string) => {
    await page.locator('summary', { hasText: say('buyAhead') }).tap()
    await page.locator('summary', { hasText: say('haveCode') }).tap()
    await page.locator('input[name=code]').fill(code)
    await follow(page.locator('form[action$="/portal/choice"] button'))
  }

  it('a year of Pro is chosen, checked and bought, and codes add to it', async () => {
    const visitor = await enter('user-1')
    const { page } = visitor
    await look(visitor, 'choice')
    await page.locator('label', { has: page.locator('input[value="12 pro"]') }).tap()
    await follow(page.locator('form[action$="/portal/choice"] button'))
    expect(plain(await page.textContent('.summary'))).toBe(
      'Pro · 12 شهرًا · 24 000 دج شاملة كل الرسوم (2 000 دج في الشهر) · من 21 نوفمبر 2026 إلى 21 نوفمبر 2027',
    )
    await look(visitor, 'summary')
    await follow(page.locator('form[action$="/portal/upgrade"] button'))
    expect(new URL(page.url()).origin).toBe(world.emulator.url)
    expect(plain(await page.textContent('.amount'))).toBe('24 000 دج')
    await follow(page.locator('button[value="paid"]'))
    await page.waitForURL(/\/billing\/return\//)
    await world.emulator.settled()
    await page.reload()
    expect(await page.textContent('h1')).toBe(say('return_paid_title'))
    expect(plain(await page.textContent('.facts'))).toContain('12 شهرًا')
    await look(visitor, 'paid')
    await follow(page.locator('a[href$="/portal"]'))
    expect(plain(await page.textContent('.hero .figure'))).toContain('21 نوفمبر 2027')

    await type(visitor, (await codeOf({ kind: 'months', plan: 'pro', months: 2 })).toLowerCase())
    expect(plain(await page.textContent('h1'))).toBe('قيمة رمزك: شهران من باقة Pro')
    await look(visitor, 'voucher')
    await follow(page.locator('form[action$="/portal/redeem"] button'))
    expect(plain(await page.textContent('.notice'))).toContain(say('redeemedTitle'))
    expect(plain(await page.textContent('.hero .figure'))).toContain('21 جانفي 2028')
    await look(visitor, 'redeemed')

    await type(visitor, 'WRONG')
    expect(await page.locator('input[name=code]').getAttribute('aria-invalid')).toBe('true')
    await look(visitor, 'wrong')
    await page.locator('input[name=code]').fill(await codeOf({ kind: 'percent', percent: 25 }))
    await follow(page.locator('form[action$="/portal/code"] button'))
    await look(visitor, 'discount')
    await page.locator('label', { has: page.locator('input[value="6 pro"]') }).tap()
    await follow(page.locator('form[action$="/portal/choice"] button'))
    await look(visitor, 'discounted')
    await follow(page.locator('form[action$="/portal/upgrade"] button'))
    expect(plain(await page.textContent('.amount'))).toBe('9 900 دج')
  })
})
