// The hand of an operator in the console: it counts as docs/internals/console.md does.
import type { Page } from 'playwright-core'

type UploadedFile = Exclude<Parameters<Page['setInputFiles']>[1], string | readonly unknown[]>

export type Hand = ReturnType<typeof handOf>

export function handOf(page: Page) {
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
    click: counted((selector: string) => leaveBy(page, () => page.click(seen(selector)))),
    press: counted((selector: string) => page.click(seen(selector))),
    /** On what sends a form; the page that comes says what was done. */
    clickTwice: counted(async (selector: string) => {
      // The second click ends the navigation of the first, so the page after the second is waited for.
      await page.dblclick(selector)
      await page.locator('[role="status"]').waitFor()
    }),
    /** On what opens beside the page; gives the type of what came. */
    open: counted(async (selector: string) => {
      const [answer] = await Promise.all([page.context().waitForEvent('response'), page.click(selector)])
      return answer.headers()['content-type']
    }),
    download: counted(async (selector: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)])
      return file.suggestedFilename()
    }),
    /** The window of the system, where a file is chosen, is not of the page. */
    upload: counted((selector: string, file: UploadedFile) => page.setInputFiles(selector, file)),
    fill: counted((selector: string, text: string) => page.fill(selector, text)),
    choose: counted(
      async (selector: string, value: string) => void (await page.selectOption(selector, value)),
    ),
    enter: counted(async (selector: string, text: string) => {
      await page.fill(selector, text)
      await leaveBy(page, () => page.keyboard.press('Enter'))
    }),
  }
}

/** The menu of a phone stands in each page too, out of sight. */
const seen = (selector: string) => `${selector} >> visible=true`

export async function leaveBy(page: Page, does: () => Promise<void>): Promise<void> {
  const arrival = page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame())
  // Where the act itself fails, its error says more.
  arrival.catch(() => undefined)
  await does()
  await arrival
  await page.waitForLoadState()
}
