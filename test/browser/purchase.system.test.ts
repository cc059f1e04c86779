// A whole purchase in a browser: from the portal to the payment page, back, paid, the receipt opened. In each
// language, on phone and desktop widths, with and without JavaScript; a missing webhook; and by keyboard.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { describeInBrowser, type Visitor } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { SELLING_PLANS } from '../support/portal.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

describeInBrowser('a purchase', ({ visit }) => {
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

  let users = 0
  const enter = async ({ page }: Visitor): Promise<string> => {
    const userId = `buyer-${++users}`
    const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
    await page.goto(answer.body.url)
    expect(new URL(page.url()).pathname).toBe(`${world.base}/portal`)
    return userId
  }
  /** The page offers the languages that it is not in. */
  const choose = async ({ page }: Visitor, locale: Locale) => {
    if ((await page.locator('html').getAttribute('lang')) !== locale)
      await page.click(`a[hreflang="${locale}"]`)
  }
  const buyButton = 'form[action$="/portal/upgrade"] button'

  it.each([
    ['ar', 360, true],
    ['fr', 1280, false],
    ['en', 360, false],
  ] as const)('in %s at %i px, JavaScript: %s', async (locale, width, javaScript) => {
    const visitor = await visit({ width, javaScript })
    const { page, complaints } = visitor
    const say = sayIn(locale)
    const userId = await enter(visitor)
    await choose(visitor, locale)
    expect(await page.textContent('h1')).toBe(say('portalTitle'))
    // The period is shown before the payment: bought on 21 November, it lasts until 21 December.
    const whole = await page.locator('.summary .whole').allTextContents()
    expect(whole).toContainEqual(expect.stringMatching(/21 (ديسمبر|décembre|December) 2026/))

    await page.click(buyButton)
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
  })

  it('whose webhook never comes is found by the page itself, without JavaScript', async () => {
    const visitor = await visit({ width: 360, javaScript: false })
    const { page } = visitor
    const say = sayIn('en')
    await enter(visitor)
    await choose(visitor, 'en')
    world.emulator.setFaults({ drop: { times: 1 }, processing: { times: 1, seconds: 5 } })
    await page.click(buyButton)
    await page.click('button[value="paid"]')
    await page.waitForURL(/\/portal\/return\//)
    // The redirect says success; the bank has not answered yet, so neither do we.
    expect(await page.textContent('h1')).toBe(say('return_pending_title'))
    await world.emulator.advance(12)
    // The page reloads by itself, and the request to the provider books the payment.
    await page.waitForURL(/look=\d/)
    await page.getByRole('heading', { name: say('return_paid_title') }).waitFor()
  })

  it('by keyboard alone, from the link to the receipt', async () => {
    const env = { PLANS_FILE: SELLING_PLANS, TRANSFER_FILE, BALANCE_MAX: '50000' }
    await using shop = await createWorld(database, { env })
    const visitor = await visit({ width: 360, acceptLanguage: 'ar' })
    const { page } = visitor
    const say = sayIn('ar')
    const press = (key: string) => page.keyboard.press(key)
    await page.goto((await shop.as('typist').post('/api/v1/billing/portal-sessions', {})).body.url)
    await tabTo(visitor, 'input[name="offer"]')
    for (const value of ['6 starter', '12 starter', '1 pro']) {
      await press('ArrowDown')
      expect(await page.locator('input[name="offer"]:focus').inputValue()).toBe(value)
    }
    // The balance is empty, so the arrows pass it over.
    await tabTo(visitor, 'input[name="method"]')
    for (const method of ['transfer', 'card']) {
      await press('ArrowDown')
      expect(await page.locator('input[name="method"]:checked').inputValue()).toBe(method)
    }
    await tabTo(visitor, 'form[action$="/portal/choice"] button')
    await press('Enter')
    await page.getByRole('heading', { name: say('summaryTitle') }).waitFor()
    await tabTo(visitor, buyButton)
    await press('Enter')
    await page.waitForURL(`${shop.emulator.url}/**`)
    await tabTo(visitor, 'input[value="edahabia"]')
    await press('ArrowDown')
    expect(await page.locator('input[value="cib"]').isChecked()).toBe(true)
    await tabTo(visitor, 'button[value="paid"]')
    await press('Enter')
    await page.waitForURL(/\/portal\/return\//)
    await shop.emulator.settled()
    await page.reload()
    await tabTo(visitor, 'a[href*="/portal/receipts/"]')
    const [receipt] = await Promise.all([page.waitForResponse(/\/portal\/receipts\//), press('Enter')])
    expect([receipt.status(), receipt.headers()['content-type']]).toEqual([200, 'application/pdf'])
    expect((await shop.as('typist').get('/api/v1/billing/status')).body).toMatchObject({
      plan: 'pro',
      payment_method: 'cib',
    })
  })

  it('keeps every control within reach of a thumb', async () => {
    const visitor = await visit({ width: 360 })
    await enter(visitor)
    const small = await visitor.page.evaluate(() =>
      [...document.querySelectorAll('a, button, input:not([type=hidden], [type=radio]), label')].flatMap(
        (element) => {
          const { width, height } = element.getBoundingClientRect()
          return height < 44 || width < 24 ? [`${element.outerHTML}: ${width} x ${height}`] : []
        },
      ),
    )
    expect(small).toEqual([])
  })

  /** On the way each stop is seen, and comes after the one before, in the document and to the eye. */
  async function tabTo({ page }: Visitor, selector: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      const before = await page.evaluateHandle(() => document.activeElement)
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(
        ([last, wanted]) => {
          const now = document.activeElement ?? document.body
          const { top, bottom } = now.getBoundingClientRect()
          const isFirst = !last || last === document.body
          const isAfter =
            isFirst ||
            (Boolean(last.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING) &&
              bottom > last.getBoundingClientRect().top)
          return {
            isThere: now.matches(wanted),
            isAfter,
            isInView: bottom > 0 && top < innerHeight,
            // Where one is must be seen: the outline of :focus-visible.
            hasOutline: getComputedStyle(now).outlineStyle !== 'none',
            name: now.outerHTML.slice(0, 120),
          }
        },
        [before, selector] as const,
      )
      expect(stop).toMatchObject({ isAfter: true, isInView: true, hasOutline: true })
      if (stop.isThere) return
    }
    throw new Error(`no way to ${selector} by keyboard`)
  }
})
