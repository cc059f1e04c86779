// The pictures of docs/console.md, of a shop like that of `ishtirak demo`.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openDatabase } from '../../packages/ishtirak/src/database/open-database.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { launchChromium } from '../support/chromium.js'
import { cookieOf, openShop, waitingIn } from '../support/console-pages.js'
import type { World } from '../support/world.js'

const USERS = 120
const FOLDER = path.resolve(import.meta.dirname, '../../docs/console')

interface Picture {
  readonly name: string
  readonly path: string
  readonly locale?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
}

async function picturesOf(shop: World): Promise<readonly Picture[]> {
  const [review] = await waitingIn(shop, 'payment_review')
  const payment = `/console/payments/${review?.payment_id}`
  return [
    { name: 'inbox', path: '/console' },
    { name: 'accept', path: `${payment}/accept` },
    { name: 'phone', path: '/console', locale: 'ar', width: 360, colorScheme: 'dark' },
  ]
}

export async function takeScreenshots(): Promise<void> {
  const log = createLog({ level: 'fatal' })
  const database = await openDatabase({ url: 'memory:', dataDir: '', log, onFailure: () => process.exit(1) })
  await migrate(database)
  const shop = await openShop(database, USERS)
  const browser = await launchChromium()
  mkdirSync(FOLDER, { recursive: true })
  try {
    for (const picture of await picturesOf(shop)) {
      const { width = 1100, colorScheme = 'light', locale = 'en' } = picture
      const viewport = { width, height: width < 600 ? 740 : 760 }
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en' })
      await context.addCookies([await cookieOf(shop)])
      const page = await context.newPage()
      await page.goto(`${shop.url}${picture.path}?lang=${locale}`)
      writeFileSync(path.join(FOLDER, `${picture.name}.webp`), await asWebp(page))
      await context.close()
    }
  } finally {
    await browser.close()
    await shop.stop()
    await database.close()
  }
}

/** A fifth of the PNG. */
async function asWebp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
  return Buffer.from(data, 'base64')
}
