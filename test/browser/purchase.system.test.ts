import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { describeWorldInBrowser, enter } from '../support/browser-world.js'
import { operatorOf } from '../support/operator.js'
import { png } from '../support/proof-files.js'
import { createWorld } from '../support/world.js'
import { BUY_BUTTON, buyInBrowser } from './purchase.js'
import { askForTransfer, BY_TRANSFER, sellByTransfer, VALUE } from './transfer.js'

describeWorldInBrowser('a purchase', createWorld, ({ visit, world }) => {
  it('in Arabic on a phone', async () => {
    await buyInBrowser(world(), await visit({ width: 360 }), 'ar')
  })

  it('whose webhook never comes is found by the page itself, without JavaScript', async () => {
    const visitor = await visit({ width: 360, javaScript: false })
    const { page } = visitor
    const say = sayIn('en')
    await enter(world(), visitor, 'en')
    world().emulator.setFaults({ drop: { times: 1 }, processing: { times: 1, seconds: 5 } })
    await page.click(BUY_BUTTON)
    await page.click('button[value="paid"]')
    await page.waitForURL(/\/portal\/return\//)
    // The redirect says success; the bank has not answered yet, so neither do we.
    expect(await page.textContent('h1')).toBe(say('return_pending_title'))
    await world().emulator.advance(12)
    // The page reloads by itself, and the request to the provider books the payment.
    await page.waitForURL(/look=\d/)
    await page.getByRole('heading', { name: say('return_paid_title') }).waitFor()
  })
})

describeWorldInBrowser('a transfer', sellByTransfer, ({ visit, world }) => {
  it('is asked for in Arabic on a phone, shown with a picture, approved, and has a receipt', async () => {
    const visitor = await visit({ width: 360, touch: true, javaScript: false })
    const { page, complaints } = visitor
    const say = sayIn('ar')
    const userId = await enter(world(), visitor, 'ar')
    await askForTransfer(visitor)
    const { data } = (await world().as(userId).get('/api/v1/billing/payments')).body
    const [{ id, transfer }] = data
    const shown = await page.locator(VALUE).allTextContents()
    expect(shown.slice(0, 2)).toEqual(['2000', transfer.reference])
    for (const { number } of transfer.accounts) expect(shown).toContain(number)
    const amount = `${say('amount')} (${say('currency')})`
    expect(await page.locator('.copied dt').first().textContent()).toBe(amount)
    expect(await page.locator(BY_TRANSFER).count()).toBe(0)

    const file = { name: 'slip.jpg', mimeType: 'image/jpeg', buffer: png() }
    await page.setInputFiles('input[type="file"]', file)
    await page.click('form[enctype] button')
    expect(new URL(page.url()).pathname).toBe(`${world().base}/portal`)
    expect(await page.textContent('.card [role="status"]')).toBe(say('proofReceived'))
    const operator = operatorOf(world())
    expect((await operator.payment(id)).transfer.proofs).toMatchObject([{ n: 1, type: 'image/png' }])
    const approval = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'a statement' }
    expect((await operator.post(`/payments/${id}/approve`, approval)).status).toBe(200)

    await page.reload()
    expect(await page.textContent('.state .badge')).toBe(say('statusActive'))
    expect(await page.locator(VALUE).count()).toBe(0)
    const receipt = await page.locator('.payments a[href*="/portal/receipts/"]').first().getAttribute('href')
    const pdf = await page.request.get(new URL(receipt ?? '', page.url()).href)
    expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf'])
    expect(complaints).toEqual([])
  })
})
