// Every page in every state, on phone and desktop widths: no axe findings, small, one request.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import {
  axeFindings,
  axeFindingsInColors,
  describeInBrowser,
  keepScreenshot,
  type Visit,
} from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { SELLING_PLANS } from '../support/portal.js'
import { createUsers, type TestUsers } from '../support/users.js'
import { createWorld, type World } from '../support/world.js'

/** "A page is under 30 kB without fonts." */
const PAGE_BYTES_MAX = 30_000

/** Arabic on a phone, French on a desktop, English on a phone: each language, each width, each direction. */
const LOOKS: readonly (readonly [locale: string, visit: Visit])[] = [
  ['ar', { width: 360 }],
  ['fr', { width: 1280 }],
  ['en', { width: 360 }],
]
/** Colors have no language, and Arabic is seen at the same width. */
const rulesFor = (locale: string) => (locale === 'en' ? 'others' : 'all')

describeInBrowser('the pages', ({ visit }) => {
  let database: Database
  let users: TestUsers
  /** With a choice of terms. */
  let shop: World
  beforeAll(async () => {
    database = await freshDatabase('pglite')
    users = await createUsers(database, { SMTP_URL: 'smtp://127.0.0.1:9' })
    const { clock, emulator } = users.world
    shop = await createWorld(database, { env: { PLANS_FILE: SELLING_PLANS }, clock, emulator })
  })
  afterAll(async () => {
    await shop.stop()
    await users.world.stop()
    await database.close()
  })

  const portals = [
    ...['never_paid', 'active', 'renewable', 'past_due', 'expired', 'canceled', 'review', 'pending'],
    'long',
  ]
  const returns = ['active', 'pending', 'card_failed', 'card_canceled', 'late', 'review', 'canceled']

  for (const [locale, look] of LOOKS) {
    it.each(portals)(`the portal of %s (${locale}, ${look.width} px)`, async (userId) => {
      const visitor = await visit(look)
      await visitor.page.goto(await users.linkFor(userId))
      await inspect(visitor, `${users.world.url}/portal?lang=${locale}`, `portal-${userId}-${locale}`, locale)
    })

    const bought = ['never_paid', 'active', 'renewable']
    it.each(bought)(`the portal with terms, of %s (${locale}, ${look.width} px)`, async (userId) => {
      const visitor = await visit(look)
      const { body } = await shop.as(userId).post('/api/v1/billing/portal-sessions', {})
      await visitor.page.goto(body.url)
      const name = `terms-${userId}-${locale}`
      await inspect(visitor, `${shop.url}/portal?lang=${locale}`, name, locale)
      const ahead = visitor.page.locator('details#choose')
      expect(await ahead.count()).toBe(userId === 'active' ? 1 : 0)
      if (userId !== 'active') return
      await ahead.locator('summary').click()
      expect(await axeFindings(visitor.page)).toEqual([])
      await keepScreenshot(visitor.page, `${name}-open`)
    })

    it.each(returns)(`the page after paying, %s (${locale}, ${look.width} px)`, async (name) => {
      const visitor = await visit(look)
      const url = `${users.world.url}/portal/return/${users.payments[name]}?lang=${locale}`
      await inspect(visitor, url, `return-${name}-${locale}`, locale)
    })

    it.each([
      ['front', '/'],
      ['no-session', '/portal'],
      ['link-over', '/portal/open?token=used'],
      ['sign-in', '/portal/sign-in?token=any'],
      ['not-found', '/portal/return/pay_00000000000000000000000000'],
    ])(`%s (${locale}, ${look.width} px)`, async (name, path) => {
      const visitor = await visit(look)
      const url = new URL(`${users.world.url}${path}`)
      url.searchParams.set('lang', locale)
      await inspect(visitor, url.href, `${name}-${locale}`, locale)
    })

    it(`the sandbox’s front page (${locale}, ${look.width} px)`, async () => {
      const { url } = users.world.emulator
      await inspect(await visit(look), `${url}/?lang=${locale}`, `emulator-front-${locale}`, locale)
    })

    it.each(['pending', 'paid', 'failed'])(
      `the sandbox’s payment page, %s (${locale}, ${look.width} px)`,
      async (state) => {
        const visitor = await visit(look)
        const { checkoutUrl, checkoutId } = await users.world.as(`payer ${state} ${locale}`).upgrade()
        if (state !== 'pending')
          await users.world.emulator.pay(checkoutId, state === 'paid' ? 'paid' : 'failed')
        await inspect(visitor, `${checkoutUrl}?lang=${locale}`, `emulator-${state}-${locale}`, locale)
      },
    )
  }

  async function inspect(
    visitor: Awaited<ReturnType<typeof visit>>,
    url: string,
    name: string,
    locale: string,
  ): Promise<void> {
    const { page, requests, complaints } = visitor
    requests()
    const response = await page.goto(url)
    // A page that waits for the bank would be another one after three seconds.
    await page.evaluate(() => window.stop())
    expect(await page.locator('html').getAttribute('lang')).toBe(locale)
    expect(await page.locator('html').getAttribute('dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr')
    // Painted from one round trip: the document is all that was asked for, of any origin; its icon is written
    // in it.
    expect(requests().filter((address) => !address.startsWith('data:'))).toEqual([url])
    expect((await response?.body())?.length).toBeLessThan(PAGE_BYTES_MAX)
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(excess).toBeLessThanOrEqual(0)
    expect(await axeFindingsInColors(page, name, rulesFor(locale))).toEqual([])
    expect(complaints).toEqual([])
  }
})
