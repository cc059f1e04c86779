// A transfer in a browser: how a user asks for it in the portal.
import { afterAll, beforeAll } from 'vitest'
import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { type BrowserTools, describeInBrowser, type Visitor } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { OPERATOR_ENV } from '../support/operator.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

export const VALUE = '.copied .copy'
/** Of the first account of the example. */
export const RIP = '00799999002345678941'
export const BY_TRANSFER = 'input[name="method"][value="transfer"]'

type Body = (tools: BrowserTools & { world(): World }) => void

export function describeTransfer(name: string, body: Body): void {
  describeInBrowser(name, (tools) => {
    let database: Database
    let world: World
    beforeAll(async () => {
      database = await freshDatabase('pglite')
      world = await createWorld(database, { env: { ...OPERATOR_ENV, TRANSFER_FILE } })
    })
    afterAll(async () => {
      await world.stop()
      await database.close()
    })
    body({ ...tools, world: () => world })
  })
}

let users = 0

export async function enterAsSender(world: World, { page }: Visitor, locale: Locale): Promise<string> {
  const userId = `sender-${++users}`
  const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
  await page.goto(answer.body.url)
  if ((await page.locator('html').getAttribute('lang')) !== locale)
    await page.click(`a[hreflang="${locale}"]`)
  return userId
}

/** The choice, and the button of the page that states it. */
export async function askForTransfer({ page }: Visitor): Promise<void> {
  await page.locator('label', { has: page.locator(BY_TRANSFER) }).click()
  await page.click('form[action$="/portal/choice"] button.go')
  await page.click('form[action$="/portal/transfer"] button')
  await page.waitForSelector(VALUE)
}
