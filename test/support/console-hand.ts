// The hand of an operator in the console: it counts as docs/internals/console.md does.
import type { Page } from 'playwright-core'

interface UploadedFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export interface Hand {
  readonly page: Page
  /** So far. */
  clicks(): number
  /** On what leads to another page. */
  click(selector: string): Promise<void>
  /** On what opens in the page. */
  press(selector: string): Promise<void>
  /** On what sends a form; the page that comes says what was done. */
  clickTwice(selector: string): Promise<void>
  /** On what opens beside the page; gives the type of what came. */
  open(selector: string): Promise<string | undefined>
  /** Gives the name of the file. */
  download(selector: string): Promise<string>
  /** On a field for a file; the one in the window of the system is not of the page. */
  upload(selector: string, file: UploadedFile): Promise<void>
  fill(selector: string, text: string): Promise<void>
  choose(selector: string, value: string): Promise<void>
  /** Filled, and sent with Enter. */
  enter(selector: string, text: string): Promise<void>
}

export function handOf(page: Page): Hand {
  let clicks = 0
  const counted =
    <Given extends readonly unknown[], Result>(does: (...given: Given) => Promise<Result>) =>
    (...given: Given) => {
      clicks++
      return does(...given)
    }
  return {
    page,
    clicks: () => clicks,
    click: counted((selector) => leaveBy(page, () => page.click(seen(selector)))),
    press: counted((selector) => page.click(seen(selector))),
    clickTwice: counted(async (selector) => {
      // The second click ends the navigation of the first: what is waited for is the page that the second
      // leads to.
      await page.dblclick(selector)
      await page.locator('[role="status"]').waitFor()
    }),
    open: counted(async (selector) => {
      const [answer] = await Promise.all([page.context().waitForEvent('response'), page.click(selector)])
      return answer.headers()['content-type']
    }),
    download: counted(async (selector) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
      return file.suggestedFilename()
    }),
    upload: counted((selector, file) => page.setInputFiles(selector, file)),
    fill: counted((selector, text) => page.fill(selector, text)),
    choose: counted(async (selector, value) => void (await page.selectOption(selector, value))),
    enter: counted(async (selector, text) => {
      await page.fill(selector, text)
      await leaveBy(page, () => page.keyboard.press('Enter'))
    }),
  }
}

/** The menu of a phone stands in each page too, out of sight. */
const seen = (selector: string) => `${selector} >> visible=true`

/** Until another document has taken the place of this one, and is loaded. */
export async function leaveBy(page: Page, does: () => Promise<void>): Promise<void> {
  const arrival = page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame())
  // Where the act itself fails, its error says more.
  arrival.catch(() => undefined)
  await does()
  await arrival
  await page.waitForLoadState()
}
