import { expect, it } from 'vitest'
import { axeFindings, keepScreenshot } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { leaveBy } from '../support/console-hand.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { SELLS_BY_TRANSFER } from './transfer.js'

describeWorldInBrowser('a bank statement', SELLS_BY_TRANSFER, ({ visit, world }) => {
  it('is read and chosen from on a phone, in Arabic', async () => {
    const { page, complaints } = await visit({ width: 360, touch: true })
    await page.goto(`${world().url}/console?lang=ar`)
    await page.fill('input[name="key"]', OPERATOR_KEY)
    await leaveBy(page, () => page.keyboard.press('Enter'))
    await page.goto(`${world().url}/console/bank-statements`)
    await keepScreenshot(page, 'statements-ar-360')
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    expect(await width()).toBeLessThanOrEqual(360)
    expect(await axeFindings(page)).toEqual([])
    const upload = async (csv: string) => {
      const file = { name: 'x.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
      await page.setInputFiles('input[type="file"]', file)
      await page.click('form[enctype] button.go')
    }
    await upload('01/02/2026;X;5,00\n')
    await keepScreenshot(page, 'statement-unclear-ar-360')
    expect(await width()).toBeLessThanOrEqual(360)
    await page.goto(`${world().url}/console/bank-statements`)
    const wanted = { plan: 'pro', method: 'transfer' }
    const { transfer } = (await world().as('payer').post('/api/v1/billing/payments', wanted)).body
    const line = `21/11/2026;VIR ${transfer.reference.slice(1)};;2000,00`
    await upload(`Date;Libellé;Débit;Crédit\n${line}\n21/11/2026;LOYER;;77 777,50\n`)
    await keepScreenshot(page, 'statement-ar-360')
    expect(await width()).toBeLessThanOrEqual(360)
    expect(await axeFindings(page)).toEqual([])
    await page.locator('#to-choose ~ form input[type="radio"]').nth(1).check()
    await page.click('#to-choose ~ form button')
    await keepScreenshot(page, 'statement-chosen-ar-360')
    await page.fill('input[name="why"]', 'كشف')
    await page.click('main form[method="post"] button.go')
    expect(await page.locator('section[aria-labelledby="results"] tbody tr').count()).toBe(1)
    expect(complaints).toEqual([])
  })
})
