// A purchase in the other languages without JavaScript, by keyboard, and by a thumb.
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import type { Visitor } from '../support/browser.js'
import { describeWorldInBrowser, enter } from '../support/browser-world.js'
import { SELLING_PLANS } from '../support/portal.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { createWorld } from '../support/world.js'
import { BUY_BUTTON, buyInBrowser } from './purchase.js'

describeWorldInBrowser('a purchase', createWorld, ({ visit, world, database }) => {
  it.each([
    ['fr', 1280],
    ['en', 360],
  ] as const)('in %s at %i px, without JavaScript', async (locale, width) => {
    await buyInBrowser(world(), await visit({ width, javaScript: false }), locale)
  })

  it('by keyboard alone, from the link to the receipt', async () => {
    const env = { PLANS_FILE: SELLING_PLANS, TRANSFER_FILE, BALANCE_MAX: '50000' }
    await using shop = await createWorld(database(), { env })
    const visitor = await visit({ width: 360, acceptLanguage: 'ar' })
    const { page } = visitor
    const say = sayIn('ar')
    const press = (key: string) => page.keyboard.press(key)
    await page.goto((await shop.as('typist').post('/api/v1/billing/portal-sessions', {})).body.url)
    await tabTo(visitor, 'a[href*="term=6"]')
    await press('Enter')
    await page.waitForURL(/term=6/)
    await tabTo(visitor, 'button[name="offer"][value="6 pro"]')
    await press('Enter')
    await page.getByRole('heading', { name: say('orderTitle') }).waitFor()
    await tabTo(visitor, BUY_BUTTON)
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
    await enter(world(), visitor)
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
