// A transfer in a browser: asked for in Arabic on a phone, shown with a picture, approved by an operator, and
// paid.
import decodeQR from 'qr/decode.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { describeInBrowser, type Visitor } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { png } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

const VALUE = '.copied .copy'
/** Of the first account of the example. */
const RIP = '00799999002345678941'

describeInBrowser('a transfer', ({ visit }) => {
  let database: Database
  let world: World
  beforeAll(async () => {
    database = await freshDatabase('pglite')
    world = await createWorld(database, { env: { ...OPERATOR_ENV, TRANSFER_FILE } })
  })
  afterAll(async () => {
    await world.stop()
    await database.close()
  })

  let users = 0
  const enter = async ({ page }: Visitor, locale: Locale) => {
    const userId = `sender-${++users}`
    const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
    await page.goto(answer.body.url)
    if ((await page.locator('html').getAttribute('lang')) !== locale)
      await page.click(`a[hreflang="${locale}"]`)
    return userId
  }
  const byTransfer = 'input[name="method"][value="transfer"]'
  /** The choice, and the button of the page that states it. */
  const ask = async ({ page }: Visitor) => {
    await page.locator('label', { has: page.locator(byTransfer) }).click()
    await page.click('form[action$="/portal/choice"] button.go')
    await page.click('form[action$="/portal/transfer"] button')
    await page.waitForSelector(VALUE)
  }

  it('is asked for in Arabic on a phone, shown with a picture, approved, and has a receipt', async () => {
    const visitor = await visit({ width: 360, touch: true, javaScript: false })
    const { page, complaints } = visitor
    const say = sayIn('ar')
    const userId = await enter(visitor, 'ar')
    await ask(visitor)
    const { data } = (await world.as(userId).get('/api/v1/billing/payments')).body
    const [{ id, transfer }] = data
    const shown = await page.locator(VALUE).allTextContents()
    expect(shown.slice(0, 2)).toEqual(['2000', transfer.reference])
    for (const { number } of transfer.accounts) expect(shown).toContain(number)
    const amount = `${say('amount')} (${say('currency')})`
    expect(await page.locator('.copied dt').first().textContent()).toBe(amount)
    expect(await page.locator(byTransfer).count()).toBe(0)

    const file = { name: 'slip.jpg', mimeType: 'image/jpeg', buffer: png() }
    await page.setInputFiles('input[type="file"]', file)
    await page.click('form[enctype] button')
    expect(new URL(page.url()).pathname).toBe(`${world.base}/portal`)
    expect(await page.textContent('.card [role="status"]')).toBe(say('proofReceived'))
    const operator = operatorOf(world)
    expect((await operator.payment(id)).transfer.proofs).toMatchObject([{ n: 1, type: 'image/png' }])
    const approval = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'a statement' }
    expect((await operator.post(`/payments/${id}/approve`, approval)).status).toBe(200)

    await page.reload()
    expect(await page.textContent('.hero .badge')).toBe(say('statusActive'))
    expect(await page.locator(VALUE).count()).toBe(0)
    const receipt = await page.locator('.time a[href*="/portal/receipts/"]').getAttribute('href')
    const pdf = await page.request.get(new URL(receipt ?? '', page.url()).href)
    expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf'])
    expect(complaints).toEqual([])
  })

  it('has values that one click selects whole', async () => {
    const visitor = await visit({ width: 360 })
    await enter(visitor, 'ar')
    await ask(visitor)
    await visitor.page.locator(VALUE, { hasText: RIP }).first().click()
    expect(await visitor.page.evaluate('getSelection().toString()')).toBe(RIP)
  })

  it('has a code that another program reads: the RIP, the amount and the reference', async () => {
    const visitor = await visit({ width: 360 })
    const { page } = visitor
    const userId = await enter(visitor, 'en')
    await ask(visitor)
    const { data } = (await world.as(userId).get('/api/v1/billing/payments')).body
    const { reference, accounts } = data[0].transfer
    for (const [kind, account] of Object.entries({ ccp: accounts[0], bank: accounts[2] })) {
      await page.check(`input[name="kind"][value="${kind}"]`)
      // One at a time.
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
    const userId = await enter(visitor, 'fr')
    await ask(visitor)
    await page.click('form[action$="/portal/choice"] button.go')
    await page.click('form[action$="/portal/upgrade"] button.go')
    await page.click('button[value="paid"]')
    await page.waitForURL(/\/portal\/return\//)
    await world.emulator.settled()
    await page.reload()
    expect(await page.textContent('main')).toContain(sayIn('fr')('returnTransferToo'))
    expect((await world.as(userId).get('/api/v1/billing/status')).body.plan).toBe('pro')
  })
})
