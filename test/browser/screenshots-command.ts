// Draws docs/pictures with a clock that stands still.
import { execFileSync } from 'node:child_process'
import crypto, { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openDatabase } from '../../packages/ishtirak/src/database/open-database.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { launchChromium } from '../support/chromium.js'
import { cookieOf, openShop, SHOP_FILES, waitingIn } from '../support/console-pages.js'
import { platformFor } from '../support/platform.js'
import { setProfile } from '../support/profile.js'
import { readMessage, startSmtpSink } from '../support/smtp-sink.js'
import { requireTool } from '../support/system-tools.js'
import { createWorld, type World } from '../support/world.js'

const DEMO_USERS = 120
const FOLDER = path.resolve(import.meta.dirname, '../../docs/pictures')
const USERS = [
  { id: 'usr_48151623', locale: 'ar', name: 'ياسمين بن علي' },
  { id: 'usr_48151624', locale: 'fr', name: 'Yasmine Benali' },
  { id: 'usr_48151625', locale: 'en', name: 'Yasmine Benali' },
] as const
const DAY = 86_400

export async function run(): Promise<boolean> {
  requireTool('poppler-utils')
  drawTheSameIds()
  mkdirSync(FOLDER, { recursive: true })
  const browser = await launchChromium()
  try {
    await inMemory((database) => drawUsers(browser, database))
    await inMemory((database) => drawConsole(browser, database))
  } finally {
    await browser.close()
  }
  return true
}

/** Ids are the same in each run, so that a picture changes only with its page. */
function drawTheSameIds(): void {
  let drawn = 0
  const draw = (size: number, done?: (error: null, bytes: Buffer) => void) => {
    const digests = Array.from({ length: Math.ceil(size / 32) }, () => hash('sha256', `${drawn++}`, 'buffer'))
    const bytes = Buffer.concat(digests).subarray(0, size)
    return done ? done(null, bytes) : bytes
  }
  Object.assign(crypto, { randomBytes: draw })
  syncBuiltinESMExports()
}

async function inMemory(does: (database: Database) => Promise<void>): Promise<void> {
  const log = createLog({ level: 'fatal' })
  const database = await openDatabase({ url: 'memory:', dataDir: '', log, onFailure: () => process.exit(1) })
  await migrate(database)
  await does(database)
  await database.close()
}

/** What a user sees before the month ends: the portal. Then they pay for half a year. */
async function drawUsers(browser: Browser, database: Database): Promise<void> {
  await using sink = await startSmtpSink()
  const env = { ...SHOP_FILES, SMTP_URL: sink.url }
  await using shop = await createWorld(database, { env, host: 'none', isNew: true })
  for (const { id, ...profile } of USERS) {
    await setProfile(shop, id, { ...profile, email: 'yasmine@example.dz' })
    await shop.as(id).buyWanted({ plan: 'pro' })
  }
  await shop.advance(26 * DAY)
  for (const { id, locale } of USERS) {
    await use(shop, id)
    await inPage(browser, { viewport: { width: 760, height: 1075 } }, async (page) => {
      await page.goto((await shop.as(id).post('/api/v1/billing/portal-sessions', {})).body.url)
      await page.goto(`${shop.url}/portal?lang=${locale}`)
      await draw(`portal-${locale}`, page)
      const { paymentId } = await shop.as(id).buyWanted({ plan: 'pro', months: 6 })
      await page.setViewportSize({ width: 700, height: 990 })
      await page.goto(`${shop.url}/portal/return/${paymentId}?lang=${locale}`)
      await draw(`return-${locale}`, page)
    })
  }
  await shop.advance(60)
  for (const { locale } of USERS) {
    const { parts } =
      sink.messages
        .map(readMessage)
        .findLast((mail) => mail.headers['content-language'] === locale && mail.parts['application/pdf']) ??
      {}
    const pdf = parts?.['application/pdf']
    if (!pdf) throw new Error(`no receipt was mailed (${locale})`)
    await inPage(browser, { viewport: { width: 620, height: 410 } }, async (page) => {
      await page.setContent(String(parts['text/html']))
      await draw(`mail-${locale}`, page)
    })
    await inPage(browser, { viewport: { width: 900, height: 1273 } }, async (page) => {
      const png = printed(pdf).toString('base64')
      await page.setContent(`<body style="margin: 0"><img width="900" src="data:image/png;base64,${png}">`)
      await page.locator('img').evaluate((image: HTMLImageElement) => image.decode())
      await draw(`receipt-${locale}`, page)
    })
  }
}

/** Some of what the plan allows. */
async function use(shop: World, userId: string): Promise<void> {
  const platform = platformFor(shop, userId)
  await platform.report('projects', { used: 8 })
  await platform.report('storage_mb', { used: 6144 })
  await platform.report('databases', { used: 2 })
  await platform.consume('deploys_per_day', { amount: 17, operation_id: 'deploys' })
  await platform.consume('build_minutes', { amount: 1240, operation_id: 'builds' })
}

/** The page as a picture, 900 points wide. */
function printed(pdf: Uint8Array): Buffer {
  return execFileSync('pdftoppm', ['-png', '-scale-to-x', '900', '-scale-to-y', '-1', '-'], { input: pdf })
}

async function drawConsole(browser: Browser, database: Database): Promise<void> {
  await using shop = await openShop(database, DEMO_USERS)
  const [review] = await waitingIn(shop, 'payment_review')
  const desk = { viewport: { width: 1100, height: 800 } }
  for (const [name, address, look] of [
    ['console-inbox-en', '/console?lang=en', desk],
    ['console-accept-en', `/console/payments/${review?.payment_id}/accept?lang=en`, desk],
    ['console-inbox-ar', '/console?lang=ar', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ] as const)
    await inPage(browser, look, async (page) => {
      await page.context().addCookies([await cookieOf(shop)])
      await page.goto(`${shop.url}${address}`)
      await draw(name, page)
    })
}

async function inPage(
  browser: Browser,
  look: BrowserContextOptions,
  does: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ locale: 'en', ...look })
  await does(await context.newPage())
  await context.close()
}

/** WebP is a fifth of the PNG. */
async function draw(name: string, page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const clip = { x: 0, y: 0, width, height, scale: Math.min(2, 900 / width) }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70, clip })
  writeFileSync(path.join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'))
}
