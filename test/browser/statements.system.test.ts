// An operator's morning in a browser: twenty transfers beside a bank statement.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { axeFindings, describeInBrowser, keepScreenshot } from '../support/browser.js'
import { handOf, leaveBy } from '../support/console-hand.js'
import { freshDatabase } from '../support/databases.js'
import { OPERATOR_ENV, OPERATOR_KEY } from '../support/operator.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

const ORDERS = 20

describeInBrowser('a bank statement', ({ visit }) => {
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

  const lines = async () => {
    const users = Array.from({ length: ORDERS }, (_, n) => `payer-${n}`)
    const wanted = { plan: 'pro', method: 'transfer' }
    const orders = await Promise.all(
      users.map(async (user) => (await world.as(user).post('/api/v1/billing/payments', wanted)).body),
    )
    const rows = orders.map(
      ({ transfer, amount }) => `21/11/2026;VIREMENT ${transfer.reference};;${amount},00`,
    )
    const { transfer } = (await world.as('other').post('/api/v1/billing/payments', wanted)).body
    const odd = [`21/11/2026;VIR ${transfer.reference.slice(1)};;2000,00`, '21/11/2026;LOYER;;77 777,50']
    return `Date;Libellé;Débit;Crédit\n${[...rows, ...odd].join('\n')}\n`
  }

  it('approves twenty transfers in five clicks from the first page, and shows each', async () => {
    const { page, complaints } = await visit({ width: 1280 })
    await page.goto(`${world.url}/console?lang=en`)
    await page.fill('input[name="key"]', OPERATOR_KEY)
    await leaveBy(page, () => page.keyboard.press('Enter'))
    const csv = await lines()
    const hand = handOf(page)
    await hand.click('nav a[href$="/console/statements"]')
    const file = { name: 'ccp.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await hand.upload('input[type="file"]', file)
    await hand.click('form[enctype] button.go')
    await keepScreenshot(page, 'statement-en-1280')
    await hand.click('#sure ~ .actions a.go')
    // The reason stands there, to be changed.
    expect(await page.inputValue('input[name="why"]')).toBe('On the bank statement')
    await hand.click('main form button.go')
    expect(await page.locator('section[aria-labelledby="results"] tbody tr').count()).toBe(ORDERS)
    expect(hand.clicks()).toBe(5)
    await keepScreenshot(page, 'statement-done-en-1280')
    expect(await axeFindings(page)).toEqual([])
    expect(complaints).toEqual([])
    const { data } = await world
      .call('GET', '/api/v1/operator/payments?status=paid&limit=100', {
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      })
      .then(({ body }) => body)
    expect(data.length).toBe(ORDERS)
  })

  it('is read and chosen from on a phone, in Arabic', async () => {
    const { page, complaints } = await visit({ width: 360, touch: true })
    await page.goto(`${world.url}/console?lang=ar`)
    await page.fill('input[name="key"]', OPERATOR_KEY)
    await leaveBy(page, () => page.keyboard.press('Enter'))
    await page.goto(`${world.url}/console/statements`)
    await keepScreenshot(page, 'statements-ar-360')
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    expect(await width()).toBeLessThanOrEqual(360)
    expect(await axeFindings(page)).toEqual([])
    const csv = '01/02/2026;X;5,00\n'
    await page.setInputFiles('input[type="file"]', {
      name: 'x.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(csv),
    })
    await page.click('form[enctype] button.go')
    await keepScreenshot(page, 'statement-unclear-ar-360')
    expect(await width()).toBeLessThanOrEqual(360)
    await page.goto(`${world.url}/console/statements`)
    await page.click('section[aria-labelledby="statements"] tbody a')
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
