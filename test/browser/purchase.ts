import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import type { Visitor } from '../support/browser.js'
import { enter } from '../support/browser-world.js'
import type { World } from '../support/world.js'

export const BUY_BUTTON = 'form[action$="/portal/upgrade"] button'

export async function buyInBrowser(world: World, visitor: Visitor, locale: Locale): Promise<void> {
  const { page, complaints } = visitor
  const say = sayIn(locale)
  const userId = await enter(world, visitor, locale)
  expect(await page.textContent('h1')).toBe(say('portalTitle'))
  // The period is shown before the payment: bought on 21 November, it lasts until 21 December.
  const whole = await page.locator('.lines .whole').allTextContents()
  expect(whole).toContainEqual(expect.stringMatching(/21 (ديسمبر|décembre|December) 2026/))

  await page.click(BUY_BUTTON)
  expect(new URL(page.url()).origin).toBe(world.emulator.url)
  expect(await page.locator('html').getAttribute('lang')).toBe(locale)
  expect((await page.textContent('.amount'))?.replaceAll('\u00a0', ' ')).toBe(
    // What Playwright sees of a text has no marks of isolation.
    locale === 'ar' ? '2 000 دج' : '2 000 DA',
  )
  await page.check('input[value="cib"]')
  await page.click('button[value="paid"]')

  await page.waitForURL(/\/portal\/return\//)
  await world.emulator.settled()
  await page.reload()
  expect(await page.textContent('h1')).toBe(say('return_paid_title'))
  const receipt = await page.locator('a[href*="/portal/receipts/"]').getAttribute('href')
  const pdf = await page.request.get(new URL(receipt ?? '', page.url()).href)
  expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf'])

  await page.click('a[href$="/portal"]')
  expect(await page.textContent('.state .badge')).toBe(say('statusActive'))
  expect(await page.textContent('.payments .badge')).toBe(say('payment_paid'))
  expect((await world.as(userId).get('/api/v1/billing/status')).body).toMatchObject({
    plan: 'pro',
    payment_method: 'cib',
  })
  expect(complaints).toEqual([])
}
