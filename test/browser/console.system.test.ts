// The console in a browser: every page in one look, and an accepted payment by the keyboard alone.
import type { Page } from 'playwright-core'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { leaveBy } from '../support/console-hand.js'
import { lookAtConsole } from '../support/console-look.js'
import { openShop, waitingIn } from '../support/console-pages.js'
import { operatorOf } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'

describeWorldInBrowser(
  'the console',
  (database) => openShop(database, 40),
  ({ visit, world: shop }) => {
    it('has pages without fault, in Arabic on a phone', async () => {
      expect(await lookAtConsole(visit, shop(), ['ar', { width: 360 }], 'light')).toEqual([])
    })

    it('takes an operator from the sign-in to an accepted payment by the keyboard alone', async () => {
      const { page } = await visit({ width: 1280, javaScript: false, acceptLanguage: 'en' })
      const [review] = await waitingIn(shop(), 'payment_review')
      await page.goto(`${shop().url}/console`)
      await tabTo(page, 'input[name="key"]')
      await page.keyboard.type(ROLE_KEYS.accountant)
      await leaveBy(page, () => page.keyboard.press('Enter'))
      await page.keyboard.press('Tab')
      expect((await page.locator('.skip:focus').boundingBox())?.y).toBeGreaterThanOrEqual(0)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await page.locator('main :focus').count()).toBe(1)
      await tabTo(page, 'a[href*="/console/payments/"]')
      await leaveBy(page, () => page.keyboard.press('Enter'))
      await tabTo(page, 'a[href$="/accept"]')
      await leaveBy(page, () => page.keyboard.press('Enter'))
      await tabTo(page, 'input[name="why"]')
      await page.keyboard.type('seen on the statement')
      await leaveBy(page, () => page.keyboard.press('Enter'))
      expect(await page.textContent('[role="status"] h2')).toBe('Done')
      const { payment, audit } = await operatorOf(shop(), ROLE_KEYS.owner).payment(review?.payment_id ?? '')
      expect(payment.status).toBe('paid')
      expect(audit.map(({ act }: { act: string }) => act)).toContain('payment.accept')
    })

    async function tabTo(page: Page, selector: string): Promise<void> {
      for (let pressed = 0; pressed < 80; pressed++) {
        await page.keyboard.press('Tab')
        if ((await page.locator(`${selector}:focus`).count()) > 0) return
      }
      throw new Error(`no key leads to ${selector}`)
    }
  },
)
