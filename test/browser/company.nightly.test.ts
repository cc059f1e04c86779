// A company in a browser: its details in French on a phone, a proforma and its transfer, the facture, a
// corrected one, the refund with its avoir, and the same pages in Arabic on a desktop.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { axeFindings, describeInBrowser, keepScreenshot, type Visitor } from '../support/browser.js'
import { freshDatabase } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

const FIELDS = {
  ...{ name: 'EURL Nakhla', address: '12 rue Didouche Mourad, Alger', rc: '16/00-0123456 B 20' },
  ...{ nif: '000 216 001 808 337', nis: '000216001808331', ai: '16010112345', legal_form: 'EURL' },
}

describeInBrowser('a company', ({ visit }) => {
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

  const enter = async ({ page }: Visitor, userId: string, locale: string) => {
    const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
    await page.goto(answer.body.url)
    if ((await page.locator('html').getAttribute('lang')) !== locale)
      await page.click(`a[hreflang="${locale}"]`)
  }
  const give = async ({ page }: Visitor, kind: string, fields: Readonly<Record<string, string>>) => {
    await page.goto(`${world.url}/portal/buyer`)
    await page.selectOption('select[name="kind"]', kind)
    for (const [name, value] of Object.entries(fields)) await page.fill(`input[name="${name}"]`, value)
    await page.click('.middle form button.go')
    await page.waitForURL(/saved=yes/)
  }
  /** The papers of the newest payment, as the page names them. */
  const papersOn = async ({ page }: Visitor) => {
    await page.goto(`${world.url}/portal?payments=all#history`)
    return await page.locator('.payments:not(.time) li:first-child .issued a').allTextContents()
  }
  /** Beside the time that was paid. */
  const paperOfTime = async ({ page }: Visitor) => {
    await page.goto(`${world.url}/portal`)
    return await page.locator('.payments.time li a').allTextContents()
  }
  const isWide = ({ page }: Visitor) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

  it('has a facture for its transfer, another after a correction, and avoirs for both', async () => {
    const phone = await visit({ width: 360, touch: true })
    const { page, complaints } = phone
    await enter(phone, 'company-1', 'fr')
    await give(phone, 'company', FIELDS)
    await keepScreenshot(page, 'company-details-fr')
    await page.goto(`${world.url}/portal`)
    await page.click('a[href$="/portal/proformas"]')
    await page.fill('input[name="po_number"]', 'BC-2026/118')
    await page.click('form[action$="/portal/proformas"] button.go')
    await page.waitForURL(/#TEST-P-2026-000001$/)
    expect(await isWide(phone)).toBeLessThanOrEqual(0)
    await keepScreenshot(page, 'company-proforma-fr')
    expect(await axeFindings(page)).toEqual([])
    const proforma = await page.request.get(`${world.url}/portal/proformas/TEST-P-2026-000001`)
    expect([proforma.status(), proforma.headers()['content-type']]).toEqual([200, 'application/pdf'])
    await page.click('form[action$="/transfer"] button.go')
    await page.waitForURL(/portal#transfer/)
    const [{ id }] = (await world.as('company-1').get('/api/v1/billing/payments')).body.data
    const operator = operatorOf(world)
    const approval = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'a statement' }
    expect((await operator.post(`/payments/${id}/approve`, approval)).status).toBe(200)
    expect(await papersOn(phone)).toEqual(['Facture'])
    expect(await paperOfTime(phone)).toEqual(['Facture'])

    await give(phone, 'company', { address: '3 bd Zighout Youcef, Alger' })
    expect((await operator.post(`/payments/${id}/correct-facture`, { why: 'they moved' })).status).toBe(200)
    expect((await operator.post(`/payments/${id}/refund`, { why: 'asked for' })).status).toBe(200)
    expect(await papersOn(phone)).toEqual(['Facture', 'Avoir', 'Facture', 'Avoir'])
    expect(await isWide(phone)).toBeLessThanOrEqual(0)
    await keepScreenshot(page, 'company-papers-fr')
    expect(await axeFindings(page)).toEqual([])
    for (const link of await page.locator('.payments .issued a').all()) {
      const pdf = await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)
      expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf'])
    }
    expect(complaints).toEqual([])

    const desktop = await visit({ width: 1280 })
    await enter(desktop, 'company-1', 'ar')
    const say = sayIn('ar')
    const names = (['facture', 'avoir', 'facture', 'avoir'] as const).map((key) => say(key))
    expect(await papersOn(desktop)).toEqual(names)
    // One below the other: none covers another.
    const links = await desktop.page.locator('.payments .issued a').all()
    const tops = await Promise.all(links.map(async (link) => (await link.boundingBox())?.y))
    expect(new Set(tops).size).toBe(4)
    await keepScreenshot(desktop.page, 'company-papers-ar')
    expect(await axeFindings(desktop.page)).toEqual([])
    await desktop.page.goto(`${world.url}/portal/proformas`)
    await keepScreenshot(desktop.page, 'company-proforma-ar')
    expect(await axeFindings(desktop.page)).toEqual([])
  })

  it('a person asks for a facture by one button, once their name and address are there', async () => {
    const phone = await visit({ width: 360, touch: true })
    const { page } = phone
    const { paymentId } = await world.as('person-1').buy()
    await enter(phone, 'person-1', 'fr')
    const button = page.locator('.payments .issued button')
    await page.goto(`${world.url}/portal`)
    expect(await button.count()).toBe(0)
    await give(phone, 'person', { name: 'Samira Taleb', address: 'Cité 1000, Oran' })
    expect(await papersOn(phone)).toEqual(['Reçu'])
    await keepScreenshot(page, 'person-asks-fr')
    const [answer] = await Promise.all([page.waitForResponse(/\/facture$/), button.click()])
    expect(answer.status()).toBe(303)
    expect(await papersOn(phone)).toEqual(['Reçu', 'Facture'])
    expect(await button.count()).toBe(0)
    const { body } = await world.as('person-1').get(`/api/v1/billing/payments/${paymentId}/papers`)
    expect(body.papers).toMatchObject([{ kind: 'receipt' }, { kind: 'facture', about: 'TEST-2026-000001' }])
  })
})
