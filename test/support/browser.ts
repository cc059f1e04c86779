import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { launchChromium } from './chromium.js'
import { describeWith } from './describe-with.js'

export interface Visit {
  readonly width?: 320 | 360 | 1280
  readonly javaScript?: boolean
  readonly acceptLanguage?: string
  readonly touch?: boolean
}

export interface BrowserTools {
  /** A browser without cookies. Records every request of its page. */
  visit(options?: Visit): Promise<Visitor>
}

export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  requests(): string[]
  readonly complaints: readonly string[]
  /** Where the page is, what it says and which requests have no answer: for a failed test. */
  report(): Promise<string>
  leave(): Promise<void>
}

/** A step that takes longer hangs. Well within a test's time, so that the error names the step. */
const STEP_MS = 90_000
const REPORT_MS = 10_000
const REPORT_LENGTH = 2_000

export function describeInBrowser(name: string, body: (tools: BrowserTools) => void): void {
  describeWith('chromium', name, () => {
    let browser: Browser
    const visitors = new Map<string, Visitor>()
    beforeAll(async () => {
      browser = await launchChromium()
    })
    afterAll(() => browser.close())
    const visited = new Set<Visitor>()
    afterEach(async ({ task: { result } }) => {
      if (result?.state === 'fail') {
        const reports = await Promise.all([...visited].map((visitor) => visitor.report()))
        for (const error of result.errors ?? []) error.message += `\n${reports.join('\n')}`
      }
      visited.clear()
    })
    const visit = async (options: Visit = {}) => {
      const key = JSON.stringify(options)
      const known = visitors.get(key) ?? (await arrive(browser, options))
      visitors.set(key, known)
      visited.add(known)
      await known.leave()
      return known
    }
    body({ visit })
  })
}

async function arrive(browser: Browser, visit: Visit): Promise<Visitor> {
  const { width = 1280, javaScript = true, acceptLanguage, touch = false } = visit
  const context = await browser.newContext({
    viewport: { width, height: touch ? 740 : 800 },
    ...(touch && { hasTouch: true, isMobile: true }),
    javaScriptEnabled: javaScript,
    ...(acceptLanguage === undefined ? {} : { locale: acceptLanguage }),
  })
  context.setDefaultTimeout(STEP_MS)
  const page = await context.newPage()
  const requests: string[] = []
  const unanswered = new Set<Request>()
  const complaints: string[] = []
  page.on('request', (request) => {
    requests.push(request.url())
    unanswered.add(request)
  })
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => unanswered.delete(request))
  page.on('console', (message) => {
    // A page with a 404 is a page of ours; Chromium complains of its status.
    if (message.type() === 'error' && !/status of [45]\d\d/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return {
    context,
    page,
    complaints,
    requests: () => requests.splice(0),
    report: async () => {
      const says = await page.locator('body').ariaSnapshot({ timeout: REPORT_MS }).catch(String)
      const open = [...unanswered].map((request) => `  no answer to ${request.method()} ${request.url()}`)
      return [`at ${page.url()}`, ...open, says.replace(/\s+/g, ' ').slice(0, REPORT_LENGTH)].join('\n')
    },
    leave: async () => {
      await page.goto('about:blank')
      await context.clearCookies()
      requests.length = 0
      complaints.length = 0
    },
  }
}

/** The parts that stand out of the page at its sides, without those in what `except` selects. */
export function partsPastEdge(page: Page, except = ''): Promise<readonly string[]> {
  return page.evaluate(
    (hidden) =>
      [...document.querySelectorAll('body *')]
        .filter((one) => one.getClientRects().length > 0 && !one.closest(hidden))
        .filter((one) => {
          const { left, right } = one.getBoundingClientRect()
          return left < -1 || right > innerWidth + 1
        })
        .map((one) => `${one.tagName} ${one.className} ${one.textContent?.slice(0, 40)}`),
    `details:not([open]) > :not(summary)${except}`,
  )
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Rules = 'colors' | 'others' | 'all'

/** In the dark only the colors differ. `others`: the colors were looked at in another language. */
export async function axeFindingsInColors(
  page: Page,
  name: string,
  rules: Exclude<Rules, 'colors'> = 'all',
): Promise<readonly string[]> {
  const findings: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const asked = colorScheme === 'light' ? rules : 'colors'
    const found = asked === 'colors' && rules === 'others' ? [] : await axeFindings(page, asked)
    findings.push(...found.map((finding) => `${colorScheme}: ${finding}`))
    await keepScreenshot(page, `${name}-${colorScheme}`)
  }
  return findings
}

/** Findings of WCAG 2.2 AA and best practices. `foreign` selects what is not ours. */
export async function axeFindings(
  page: Page,
  rules: Rules = 'all',
  foreign: readonly string[] = [],
): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource)
  return page.evaluate(
    async ([asked, exclude]) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run(
        { include: document, exclude: [...exclude] },
        {
          // Of what passes, only the number is worked out.
          resultTypes: ['violations'],
          runOnly:
            asked === 'colors'
              ? { type: 'rule', values: ['color-contrast'] }
              : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
          rules: { 'color-contrast': { enabled: asked !== 'others' } },
        },
      )
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    },
    [rules, foreign] as const,
  )
}

const FOLDER = path.resolve(import.meta.dirname, '../../artifacts/screenshots')

/** Written to artifacts/screenshots with SCREENSHOTS=1 only: each takes 0.1 s. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return
  mkdirSync(FOLDER, { recursive: true })
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), fullPage: true })
}
