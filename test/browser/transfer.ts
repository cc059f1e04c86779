import type { Database } from '../../packages/ishtirak/src/database/database.js'
import type { Visitor } from '../support/browser.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { createWorld } from '../support/world.js'

export const sellByTransfer = (database: Database) => createWorld(database, { env: { TRANSFER_FILE } })
export const VALUE = '.copied .copy'
export const RIP = '00799999002345678941'
export const BY_TRANSFER = 'button[name="method"][value="transfer"]'

export async function askForTransfer({ page }: Visitor): Promise<void> {
  await page.click('button[name="offer"]')
  await page.click(BY_TRANSFER)
  await page.click('form[action$="/portal/transfer"] button')
  await page.waitForSelector(VALUE)
}
