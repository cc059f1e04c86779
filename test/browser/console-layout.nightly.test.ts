// The looks of the console that console.system.test.ts has not.
import type { Page } from 'playwright-core'
import { LOCALES } from '../../packages/ishtirak/src/core/locale.js'
import { keepScreenshot, partsPastEdge } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { lookAtConsole } from '../support/console-look.js'
import { cookieOf, openShop } from '../support/console-pages.js'
import { operatorOf } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'

const SCREEN = 740
const LINE = 64

/** Arabic words whose letters stand on two lines. */
const brokenWords = (page: Page) =>
  page.evaluate(() => {
    const broken: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement?.closest('details:not([open]) > :not(summary)')) continue
      for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[\u0620-\u06ff]+/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const rects = [...range.getClientRects()].filter(({ width }) => width > 1)
        const tops = rects.map(({ top }) => top)
        const isBroken = Math.max(...tops) - Math.min(...tops) > 12
        if (isBroken)
          broken.push(`${text.parentElement?.className} ${text.textContent?.slice(0, 40)}: ${word}`)
      }
    }
    return broken
  })

describeWorldInBrowser(
  'the console on a phone',
  (database) => openShop(database, 40),
  ({ visit, world: shop }) => {
    let paths: readonly (readonly [name: string, path: string])[]
    beforeAll(async () => {
      const { body } = await operatorOf(shop(), ROLE_KEYS.owner).get('/payments?status=paid&limit=1')
      const [{ id, user_id: user }] = body.data
      paths = [
        ['inbox', '/console'],
        ['user', `/console/users/${encodeURIComponent(user)}`],
        ['payment', `/console/payments/${id}`],
        ['act', `/console/users/${encodeURIComponent(user)}/grant?days=14`],
        ['search', '/console/search?q=a'],
        ['health', '/console/health?actor='],
        ['year', '/console/year'],
        ['counter', '/console/counter?q=a'],
        ['drawer', '/console/drawer/2026-11-21'],
        ['journal', '/console/trail'],
        ['operators', '/console/operators'],
        ['months', '/console/months'],
        ['statements', '/console/bank-statements'],
        ['lines', '/console/bank-lines'],
        ['codes', '/console/codes'],
      ]
    })

    it.each(['fr', 'en'])('has pages without fault on a desktop (%s)', async (locale) => {
      expect(await lookAtConsole(visit, shop(), [locale, { width: 1280 }])).toEqual([])
    })

    it.each(LOCALES)('holds at each width and size (%s)', async (locale) => {
      const { page, context } = await visit({ width: 360 })
      await context.addCookies([await cookieOf(shop())])
      const broken: string[] = []
      for (const [name, path] of paths) {
        await page.goto(`${shop().url}${path}${path.includes('?') ? '&' : '?'}lang=${locale}`)
        for (const [width, size] of [
          [320, 200],
          [320, 100],
          [360, 100],
        ] as const) {
          await page.setViewportSize({ width, height: SCREEN })
          await page.emulateMedia({ colorScheme: size === 100 ? 'dark' : 'light' })
          const seen = await page.evaluate((percent) => {
            document.documentElement.style.fontSize = `${percent}%`
            return {
              head: document.querySelector('header')?.getBoundingClientRect().height ?? 0,
              all: document.documentElement.scrollHeight,
            }
          }, size)
          await keepScreenshot(page, `console-${name}-${locale}-${width}-${size}`)
          // A wide table can be moved sideways.
          const past = await partsPastEdge(page, ', .skip, .rows.wide > *')
          expect([name, width, size, past]).toEqual([name, width, size, []])
          if (size === 100) expect([name, seen.head <= LINE]).toEqual([name, true])
          if (locale === 'ar' && width === 360)
            broken.push(...(await brokenWords(page)).map((word) => `${name}: ${word}`))
          // Its timeline is open: the question of access, the three acts and the facts are above it.
          if (name === 'user' && width === 360) expect(seen.all).toBeLessThanOrEqual(4.3 * SCREEN)
        }
      }
      expect(broken).toEqual([])
      await page.locator('.menu summary').click()
      expect(await page.locator('.menu a[aria-current], .menu nav a').first().isVisible()).toBe(true)
    })
  },
)
