// The page of the API's document in a browser: it shows the operations, sends one, and loads nothing from
// elsewhere.
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { createWorld } from '../support/world.js'

describeInBrowser('the page of the API’s document', ({ visit }) => {
  it('shows the operations and tries one, under its content policy', async () => {
    const database = await freshDatabase('pglite')
    await using world = await createWorld(database)
    const visitor = await visit()
    const { page } = visitor
    await page.goto(`${world.url}/docs`)
    const plans = page.locator('.opblock', { hasText: '/api/v1/billing/plans' }).first()
    await plans.click()
    await plans.locator('.try-out__btn').click()
    await plans.locator('.execute').click()
    expect(await plans.locator('.live-responses-table .response-col_status').last().textContent()).toContain(
      '200',
    )
    expect(visitor.requests().filter((url) => !url.startsWith(world.url))).toEqual([])
    expect(visitor.complaints).toEqual([])
  })
})
