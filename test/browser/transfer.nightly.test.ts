// The page of a transfer: what is copied from it, its code, and the way to pay by card instead.
import decodeQR from 'qr/decode.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { axeFindings, keepScreenshot } from '../support/browser.js'
import { describeWorldInBrowser, enter } from '../support/browser-world.js'
import { leaveBy } from '../support/console-hand.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { askForTransfer, RIP, sellByTransfer, VALUE } from './transfer.js'

describeWorldInBrowser('the page of a transfer', sellByTransfer, ({ visit, world }) => {
  it('has values that one click selects whole', async () => {
    const visitor = await visit({ width: 360 })
    await enter(world(), visitor, 'ar')
    await askForTransfer(visitor)
    await visitor.page.locator(VALUE, { hasText: RIP }).first().click()
    expect(await visitor.page.evaluate('getSelection().toString()')).toBe(RIP)
  })

  it('has a code that another program reads: the RIP, the amount and the reference', async () => {
    const visitor = await visit({ width: 1280 })
    const { page } = visitor
    const userId = await enter(world(), visitor, 'en')
    await askForTransfer(visitor)
    const { data } = (await world().as(userId).get('/api/v1/billing/payments')).body
    const { reference, accounts } = data[0].transfer
    for (const [kind, account] of Object.entries({ ccp: accounts[0], bank: accounts[2] })) {
      await page.check(`input[name="kind"][value="${kind}"]`)
      expect(await page.locator('.qr').filter({ visible: true }).count()).toBe(1)
      const drawn = page.locator(`.${kind} .qr`)
      const pixels = await drawn.evaluate(async (svg) => {
        const SIDE = 400
        svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
        const image = new Image(SIDE, SIDE)
        image.src = `data:image/svg+xml,${encodeURIComponent(svg.outerHTML)}`
        await image.decode()
        const canvas = new OffscreenCanvas(SIDE, SIDE).getContext('2d')
        canvas?.drawImage(image, 0, 0, SIDE, SIDE)
        return Array.from(canvas?.getImageData(0, 0, SIDE, SIDE).data ?? [])
      })
      const side = Math.sqrt(pixels.length / 4)
      const read = decodeQR({ width: side, height: side, data: Uint8Array.from(pixels) })
      expect(read).toBe([`RIP ${account.rip ?? account.number}`, '2000 DA', reference].join('\n'))
    }
  })

  it('may be paid by card instead, and the page after paying says that both count', async () => {
    const visitor = await visit({ width: 360, javaScript: false })
    const { page } = visitor
    const userId = await enter(world(), visitor, 'fr')
    await askForTransfer(visitor)
    await page.click('a[href$="/portal/plans"]')
    await page.click('button[name="offer"]')
    await page.click('form[action$="/portal/upgrade"] button.go')
    await page.click('button[value="paid"]')
    await page.waitForURL(/\/portal\/return\//)
    await world().emulator.settled()
    await page.reload()
    expect(await page.textContent('main')).toContain(sayIn('fr')('returnTransferToo'))
    expect((await world().as(userId).get('/api/v1/billing/status')).body.plan).toBe('pro')
  })
})

describeWorldInBrowser('a bank statement', sellByTransfer, ({ visit, world }) => {
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
