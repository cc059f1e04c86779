// No column is cut off on A4, with long names, documents and sums.
import { setBuyer } from '../../packages/ishtirak/src/buyers/set-buyer.js'
import { LOCALES } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { keepScreenshot, partsPastEdge } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { cookieOf, openShop } from '../support/console-pages.js'
import { operatorOf } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'
import type { World } from '../support/world.js'

/** 210 mm without the margins, in CSS pixels. */
const A4_WIDTH = 703
const COMPANY = {
  ...{
    kind: 'company',
    name: 'SARL Société Nationale de Promotion Immobilière du Hodna',
    legal_form: 'SARL',
  },
  ...{ address: '12 rue Didouche Mourad, Alger', rc: '16/00-0123456 B 20', nif: '000216001808337' },
  ...{ nis: '000216001808331', ai: '16010112345' },
}

async function openWithCompany(database: Database): Promise<World> {
  const shop = await openShop(database, 40)
  await setBuyer(shop.service.parts, { userId: 'company' }, COMPANY)
  const { paymentId } = await shop.as('company').buyWanted({ plan: 'pro', months: 12 })
  await operatorOf(shop, ROLE_KEYS.owner).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
  return shop
}

describeWorldInBrowser('the accountant’s print', openWithCompany, ({ visit, world: shop }) => {
  it.each(LOCALES)('has all columns on A4 (%s)', async (locale) => {
    const { page, context } = await visit()
    await context.addCookies([await cookieOf(shop())])
    await page.setViewportSize({ width: A4_WIDTH, height: 1_000 })
    await page.emulateMedia({ media: 'print' })
    for (const name of ['sales', 'declaration']) {
      await page.goto(`${shop().url}/console/months/2026-11/${name}?lang=${locale}`)
      expect([name, await partsPastEdge(page)]).toEqual([name, []])
      expect(await page.locator('search').isVisible()).toBe(false)
      expect(await page.locator('td').count()).toBeGreaterThan(0)
      await keepScreenshot(page, `accountant-${name}-${locale}-printed`)
    }
    await page.emulateMedia({ media: null })
  })
})
