import { axeFindings, axeFindingsInColors, type Visit, type Visitor } from './browser.js'
import { crawlConsole, enterConsole } from './console.js'
import { cookieOf, waitingIn } from './console-pages.js'
import { ROLE_KEYS } from './roles.js'
import type { World } from './world.js'

const PAGE_BYTES_MAX = 60_000
/** The height of a row of sections, in pixels. */
const ONE_ROW = 50

/** Gives what is wrong: the page, and each fault of it. In the dark too if both `colors` are looked at. */
export async function lookAtConsole(
  visit: (look: Visit) => Promise<Visitor>,
  shop: World,
  [locale, look]: readonly [locale: string, look: Visit],
  colors: 'light' | 'both' = 'both',
): Promise<readonly unknown[]> {
  const { page, context, requests, complaints } = await visit(look)
  await context.addCookies([await cookieOf(shop)])
  const found: unknown[] = []
  for (const path of await pagesOf(shop)) {
    requests()
    const address = `${shop.url}${path}${path.includes('?') ? '&' : '?'}lang=${locale}`
    const response = await page.goto(address)
    const faults: unknown[] = []
    const language = await page.locator('html').getAttribute('lang')
    // The portal as a user sees it is in that user's language.
    if (language !== locale && !path.endsWith('/portal')) faults.push({ language })
    // A slip stands beside the decision on it, and the browser shows a PDF by pages of its own.
    const isOwn = (one: string) =>
      one === address || /^(data|chrome|chrome-extension):|\/proofs\/\d+$/.test(one)
    const others = requests().filter((one) => !isOwn(one))
    if (others.length > 0) faults.push({ others })
    const bytes = (await response?.body())?.length ?? 0
    if (bytes === 0 || bytes >= PAGE_BYTES_MAX) faults.push({ bytes })
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (excess !== 0) faults.push({ excess })
    const [nav] = await page.locator('.on-wide .sections').all()
    const rows = (((await nav?.boundingBox()) ?? null)?.height ?? 0) / ONE_ROW
    if (rows > 1) faults.push({ rows })
    const name = `console${nameOf(path)}-${locale}`
    faults.push(...(await (colors === 'both' ? axeFindingsInColors(page, name) : axeFindings(page))))
    if (faults.length > 0) found.push([path, ...faults])
  }
  return [...found, ...complaints]
}

const nameOf = (path: string) =>
  path
    .replace(/^\/console/, '')
    .replace(/[^/]*\d[^/]*/g, 'x')
    .replace(/\W+/g, '-')

async function pagesOf(shop: World): Promise<readonly string[]> {
  const visitor = await enterConsole(shop, ROLE_KEYS.owner)
  const [review] = await waitingIn(shop, 'payment_review')
  const from = ['/console', `/console/payments/${review?.payment_id}`]
  const pages = await crawlConsole(shop, visitor, { from, perKind: 1 })
  return [...pages]
    .filter(([, { headers }]) => /^text\/html/.test(headers.get('content-type') ?? ''))
    .map(([path]) => path)
}
