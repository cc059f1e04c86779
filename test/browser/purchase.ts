// A whole purchase in a browser: from the portal to the payment page, back, paid, the receipt opened.
import { afterAll, beforeAll, expect } from 'vitest'
import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { type BrowserTools, describeInBrowser, type Visitor } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { createWorld, type World } from '../support/world.js'

export const BUY_BUTTON = 'form[action$="/portal/upgrade"] button'

interface Shop extends BrowserTools {
  database(): Database
  world(): World
}

export function describePurchase(name: string, body: (shop: Shop) => void): void {
  describeInBrowser(name, (tools) => {
    let database: Database
    let world: World
    beforeAll(async () => {
      database = await freshDatabase('pglite')
      world = await createWorld(database)
    })
    afterAll(async () => {
      await world.stop()
      await database.close()
    })
    body({ ...tools, database: () => database, world: () => world })
  })
}

let users = 0

export async function enter(world: World, { page }: Visitor): Promise<string> {
  const userId = `buyer-${++users}`
  const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
  await page.goto(answer.body.url)
  expect(new URL(page.url()).pathname).toBe(`${world.base}/portal`)
  return userId
}

/** The page offers the languages that it is not in. */
export async function choose({ page }: Visitor, locale: Locale): Promise<void> {
  if ((await page.locator('html').getAttribute('lang')) !== locale)
    await page.click(`a[hreflang="${locale}"]`)
}

export async function buyInBrowser(world: World, visitor: Visitor, locale: Locale): Promise<void> {
  const { page, complaints } = visitor
  const say = sayIn(locale)
  const userId = await enter(world, visitor)
  await choose(visitor, locale)
  expect(await page.textContent('h1')).toBe(say('portalTitle'))
  // The period is shown before the payment: bought on 21 November, it lasts until 21 December.
  const whole = await page.locator('.summary .whole').allTextContents()
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
  expect(await page.textContent('.hero .badge')).toBe(say('statusActive'))
  await page.click('#history a')
  expect(await page.textContent('#history ~ .payments .badge')).toBe(say('payment_paid'))
  expect((await world.as(userId).get('/api/v1/billing/status')).body).toMatchObject({
    plan: 'pro',
    payment_method: 'cib',
  })
  expect(complaints).toEqual([])
}
