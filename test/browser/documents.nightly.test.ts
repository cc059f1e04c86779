// A newcomer sends the first calls with one click, and nothing is loaded from elsewhere.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { axeFindings, keepScreenshot, type Visitor } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from '../support/world.js'

const sandboxKeys = async () => ({
  userId: 'user-1',
  userToken: await tokenOf({ sub: 'user-1' }),
  platformKey: PLATFORM_KEY,
})

const openSandbox = (database: Database) => createWorld(database, { host: 'none', sandboxKeys })

describeWorldInBrowser('the page at /docs', openSandbox, ({ visit, world: sandbox, database }) => {
  const trial = ({ page }: Visitor, name: string) =>
    page.locator('article', { has: page.locator('h3', { hasText: name }) })
  /** By keyboard; gives what the answer says. */
  const send = async (visitor: Visitor, name: string) => {
    await trial(visitor, name).locator('button').press('Enter')
    const answer = trial(visitor, name).locator('.answer pre')
    await answer.waitFor()
    return answer.textContent()
  }
  const complaintsOf = (visitor: Visitor, { url }: World) => [
    ...visitor.complaints,
    ...visitor.requests().filter((address) => !address.startsWith(url)),
  ]

  it('sends status, upgrade and consume with one click each, and shows them as curl', async () => {
    const visitor = await visit()
    await visitor.page.goto(`${sandbox().url}/docs`)
    expect(await trial(visitor, 'What may').locator('.curl').textContent()).toBe(
      `curl '${sandbox().url}/api/v1/billing/status' \\\n` +
        `  -H 'authorization: Bearer ${(await sandboxKeys()).userToken}'`,
    )
    expect(await send(visitor, 'What may')).toContain('"plan": "free"')
    await send(visitor, 'Sell a month')
    const paymentPage = await trial(visitor, 'Sell a month').locator('.answer a').getAttribute('href')
    await sandbox().emulator.pay(checkoutIdOf(paymentPage ?? ''), 'paid')
    await sandbox().emulator.settled()
    await trial(visitor, 'What may').locator('button').click()
    await trial(visitor, 'What may').locator('.answer', { hasText: '"active"' }).waitFor()
    expect(await send(visitor, 'one more')).toContain('"used": 1')
    const curl = await trial(visitor, 'one more').locator('.curl').textContent()
    expect(curl).toMatch(/operation_id":"try-\w+-\d+"/)
    expect(complaintsOf(visitor, sandbox())).toEqual([])
  })

  it('takes a pasted token, says when it is refused, and keeps nothing', async () => {
    const visitor = await visit()
    const { page } = visitor
    await using service = await createWorld(database(), { host: 'none' })
    await page.goto(`${service.url}/docs`)
    expect(await send(visitor, 'What may')).toContain('"unauthenticated"')
    await page.fill('#token', await tokenOf({ sub: 'pasted' }))
    await trial(visitor, 'What may').locator('button').click()
    await trial(visitor, 'What may').locator('.answer', { hasText: '"free"' }).waitFor()
    await page.reload()
    expect(await page.inputValue('#token')).toBe('')
    const kept = page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    expect(await kept).toEqual([0, 0, ''])
    expect(complaintsOf(visitor, service)).toEqual([])
  })

  it('fits a phone, and axe finds nothing outside of Swagger UI', async () => {
    const visitor = await visit({ width: 360 })
    const { page } = visitor
    await page.goto(`${sandbox().url}/docs`)
    await page.locator('.opblock').first().waitFor()
    for (const name of ['What may', 'Sell a month', 'one more']) await send(visitor, name)
    await keepScreenshot(page, 'docs-360')
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(excess).toBeLessThanOrEqual(0)
    expect(await axeFindings(page, 'all', ['#document'])).toEqual([])
  })
})
