// A newcomer sends calls of the reference with the keys of the sandbox; nothing is loaded from elsewhere.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { axeFindings, keepScreenshot } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { createWorld, tokenOf } from '../support/world.js'

const sandboxKeys = async () => ({ user: await tokenOf({ sub: 'user-1' }), platform: PLATFORM_KEY })

const openSandbox = (database: Database) => createWorld(database, { host: 'none', sandboxKeys })

describeWorldInBrowser('the page at /docs', openSandbox, ({ visit, world: sandbox }) => {
  it('sends a user’s call and one of the platform with the keys that the sandbox gives', async () => {
    const visitor = await visit()
    const { page } = visitor
    await page.goto(`${sandbox().url}/docs`)
    const send = async (operationId: string) => {
      const call = page.locator(`.opblock[id$="-${operationId}"]`)
      await call.locator('.opblock-summary-control').click()
      await call.locator('button.execute').click()
      const answer = call.locator('.live-responses-table .response')
      await answer.waitFor()
      return answer.textContent()
    }
    expect(await send('getStatus')).toMatch(/^200.*"plan": "free"/s)
    expect(await send('consumeLimit')).toMatch(/^200.*"used": 1/s)
    const elsewhere = visitor.requests().filter((address) => !address.startsWith(sandbox().url))
    expect([...visitor.complaints, ...elsewhere]).toEqual([])
    const kept = page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    expect(await kept).toEqual([0, 0, ''])
  })

  it('fits a phone, and axe finds nothing outside of Swagger UI', async () => {
    const visitor = await visit({ width: 360 })
    const { page } = visitor
    await page.goto(`${sandbox().url}/docs`)
    await page.locator('.opblock').first().waitFor()
    await keepScreenshot(page, 'docs-360')
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(excess).toBeLessThanOrEqual(0)
    expect(await axeFindings(page, 'all', ['#document'])).toEqual([])
  })
})
