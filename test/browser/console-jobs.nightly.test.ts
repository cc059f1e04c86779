// The jobs of the people who run the shop, in the console in a browser, click by click.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { enterConsole } from '../support/console.js'
import { type Hand, handOf } from '../support/console-hand.js'
import { cookieOf, openShop, type Waiting, waitingIn } from '../support/console-pages.js'
import { operatorOf } from '../support/operator.js'
import { setProfile } from '../support/profile.js'
import { ROLE_KEYS } from '../support/roles.js'
import { sinkOfTests } from '../support/smtp-sink.js'

const USERS = 200

const SEARCH = 'input[name="q"]'
/** The table of docs/internals/console.md has each job and its clicks. */
const TABLE = readFileSync(new URL('../../docs/internals/console.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line): [job: string, clicks: number][] => {
    const [, job = '', clicks = ''] = line.split('|').map((cell) => cell.trim())
    return /^\d/.test(clicks) ? [[job, Number.parseInt(clicks, 10)]] : []
  })

const mail = await sinkOfTests()
const openBusyShop = (database: Database) => openShop(database, USERS, { SMTP_URL: mail.url })

describeWorldInBrowser('the jobs of the console', openBusyShop, ({ visit, world: shop }) => {
  let payers: { readonly user_id: string; readonly payment_id: string }[]
  beforeAll(async () => {
    const { body } = await operator().get('/payments?status=paid&limit=100')
    const byUser = body.data.map((payment: { id: string; user_id: string }) => [payment.user_id, payment.id])
    payers = [...new Map<string, string>(byUser.toReversed())]
      .toReversed()
      .map(([user_id, payment_id]) => ({ user_id, payment_id }))
  })

  it('has a job here for each row of the table in docs/internals/console.md', () => {
    expect(TABLE.map(([job]) => job)).toEqual(Object.keys(JOBS))
  })

  it.each(TABLE)('%s: %i clicks', async (job, clicks) => {
    const hand = handOf(await arrive())
    await JOBS[job]?.(hand)
    expect(hand.clicks()).toBe(clicks)
  })

  const JOBS: Readonly<Record<string, (hand: Hand) => Promise<void>>> = {
    'find a user by e-mail': async ({ page, enter }) => {
      const { user_id, email } = await someone()
      await enter(SEARCH, email)
      expect(new URL(page.url()).pathname).toBe(`/console/users/${user_id}`)
    },
    'find a payment by its receipt': async ({ page, enter }) => {
      const { payment_id } = await someone()
      const { receipt } = await operator().payment(payment_id)
      await enter(SEARCH, receipt.number)
      expect(new URL(page.url()).pathname).toBe(`/console/payments/${payment_id}`)
    },
    'resend a receipt': async ({ page, enter, click }) => {
      const { payment_id, email } = await someone()
      await enter(SEARCH, email)
      await click(`main a[href$="/payments/${payment_id}/resend-receipt"]`)
      expect(await page.textContent('main')).toContain(email)
      await click('main form button')
      await expectDone(page)
      await shop().service.runner.runAll()
      expect(mail.messages.flatMap(({ to }) => to)).toContain(email)
    },
    'see why a plan is what it is': async ({ page, enter }) => {
      const { payment_id, email } = await someone()
      await enter(SEARCH, email)
      expect(await page.textContent('main')).toContain('The plan now, and why')
      expect(await page.locator(`main a[href$="${payment_id}"]`).count()).toBeGreaterThan(0)
    },
    'see what became of “I paid yesterday”, and ask the provider': async ({
      page,
      enter,
      click,
      clickTwice,
    }) => {
      const email = 'paid.yesterday@example.dz'
      shop().emulator.setFaults({ drop: { times: 1 } })
      await shop().as('paid-yesterday').buy()
      await setProfile(shop(), 'paid-yesterday', { email })
      await enter(SEARCH, email)
      expect(await page.textContent('main')).toContain('The provider has reported no payment so far')
      await click('main a[href$="/recheck"]')
      await clickTwice('main form button')
      await expectDone(page)
      expect(await page.textContent('[role="status"]')).toContain('The payment is now: paid.')
    },
    'accept a payment under review': async ({ page, click, fill }) => {
      shop().emulator.setFaults({ wrong_amount: { times: 1 } })
      const { paymentId } = await shop().as('user-of-a-review').buy()
      await page.reload()
      await click(`main a[href$="/payments/${paymentId}"]`)
      await click('a[href$="/accept"]')
      await fill('input[name="why"]', 'seen on the statement')
      await click('main form button')
      await expectDone(page)
    },
    'look at the proof of a transfer, approve it': async ({ page, click, choose }) => {
      const [transfer] = await waitingIn(shop(), 'transfer_proof')
      await click(`main a[href$="/payments/${transfer?.payment_id}/approve"]`)
      expect(await page.getAttribute('main .proof object', 'data')).toContain('/proofs/')
      expect(await page.inputValue('input[name="why"]')).not.toBe('')
      await choose('select[name="payment_method"]', 'ccp')
      await click('main form button')
      await expectDone(page)
    },
    'record a refund': async ({ page, enter, press, click, fill, clickTwice }) => {
      const { payment_id, email } = await someone()
      await enter(SEARCH, email)
      await click(`main a[href$="/payments/${payment_id}"]`)
      await press('main details.more summary')
      await click('a[href$="/refund"]')
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
      await fill('input[name="why"]', 'asked within the week')
      await clickTwice('main form button')
      await expectDone(page)
    },
    'record a payment at the desk': async ({ page, enter, click, fill }) => {
      const { email } = await someone()
      await enter(SEARCH, email)
      await click('a[href$="/record"]')
      await enter('input[name="reference"]', 'desk-2026-1')
      expect(await page.textContent('main')).toContain('DESK-2026-1')
      await fill('input[name="why"]', 'taken at the desk')
      await click('main form button')
      await expectDone(page)
    },
    'take a payment at the counter, and open its receipt': async ({ page, click, enter, choose, open }) => {
      const { email } = await someone()
      await click('nav a[href$="/console/counter"]')
      await enter('#field-q', email)
      await choose('select[name="offer"]', '1 pro')
      await enter('input[name="reference"]', 'desk-2026-2')
      await click('main form button')
      await expectDone(page)
      expect(await open('main a[href$="form=80mm"]')).toBe('application/pdf')
    },
    'grant 14 days to a user': async ({ page, enter, click, fill }) => {
      const { email } = await someone()
      await enter(SEARCH, email)
      await click('a[href$="/grant"]')
      await enter('input[name="days"]', '14')
      await fill('input[name="why"]', 'two days without service')
      await click('main form button')
      await expectDone(page)
    },
    'close the month: figures, CSV, journal': async ({ page, click, download }) => {
      await click('nav a[href$="/console/months"]')
      await click('main a[href$="/months/2026-10"]')
      expect(await page.textContent('h1')).toMatch(/^October\s2026$/)
      expect(await download('a[href$="format=excel"]')).toBe('accounts-2026-10-excel.csv')
      await click('main a[href$="/months/2026-10/sales"]')
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
    },
    'close a month for good, with its file': async ({ click, download }) => {
      await click('nav a[href$="/console/months"]')
      await click('main a[href$="/months/2026-10"]')
      await click('main a[href$="/months/2026-10/close"]')
      await click('main form button.go')
      expect(await download('a[href$="format=excel"]')).toBe('accounts-2026-10-excel.csv')
    },
    'approve twenty transfers from a bank statement': async ({ page, click, upload }) => {
      const wanted = { plan: 'pro', method: 'transfer' }
      const rows: string[] = []
      for (let n = 0; n < 20; n += 1) {
        const { body } = await shop().as(`by-transfer-${n}`).post('/api/v1/billing/payments', wanted)
        rows.push(`21/11/2026;VIREMENT ${body.transfer.reference};;${body.amount},00`)
      }
      const csv = `Date;Libellé;Débit;Crédit\n${rows.join('\n')}\n`
      await click('nav a[href$="/console/bank-statements"]')
      await upload('input[type="file"]', { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
      await click('form[enctype] button.go')
      await click('#sure ~ .actions a.go')
      await click('main form button.go')
      expect(await page.locator('section[aria-labelledby="results"] tbody tr').count()).toBe(20)
    },
    'give days to all who were active in an outage': async ({ page, click, press, choose, fill, enter }) => {
      await click('nav a[href$="/console/users"]')
      await press('main summary')
      await fill('input[name="active_from"]', '2026-11-20')
      await enter('input[name="active_until"]', '2026-11-20')
      await click('main a[href*="/bulk/start"]')
      await choose('select[name="act"]', 'user.grant')
      await click('main form button.go')
      await enter('input[name="days"]', '2')
      await fill('input[name="why"]', 'the outage of 20 November')
      await click('main form button.go')
      await shop().service.runner.runAll()
      await page.reload()
      const [bulk] = (await operator().get('/bulk')).body.data
      expect(bulk).toMatchObject({ refused: 0, failed: 0, left: 0 })
    },
    'see that all is well': async ({ page, click }) => {
      await click('nav a[href$="/console/health"]')
      expect(await page.textContent('h1')).toBe('Health')
    },
    'sign an operator out': async ({ page, click, fill }) => {
      const theirs = await enterConsole(shop(), ROLE_KEYS.support)
      await click('nav a[href$="/console/operators"]')
      await click('tr:has-text("support") a[href$="/revoke"]')
      await fill('input[name="why"]', 'their laptop is lost')
      await click('main form button')
      await expectDone(page)
      expect((await theirs.open()).status).toBe(303)
    },
  }

  async function expectDone(page: Page): Promise<void> {
    expect(await page.textContent('[role="status"] h2')).toBe('Done')
  }

  /** Another one each time, with what they paid last; by their address alone in the search. */
  async function someone(): Promise<Waiting> {
    for (;;) {
      const next = payers.shift()
      if (next === undefined) throw new Error('every payer was taken before')
      const { body } = await operator().get(`/users/${next.user_id}`)
      if (body.email !== null) return { ...next, email: body.email }
    }
  }

  const operator = () => operatorOf(shop(), ROLE_KEYS.owner)

  /** A minute later: the trail shows the newest twelve acts, and acts of one instant have no order. */
  async function arrive() {
    shop().clock.advance(60_000)
    const visitor = await visit({ width: 1280, javaScript: false, acceptLanguage: 'en' })
    await visitor.context.addCookies([await cookieOf(shop())])
    await visitor.page.goto(`${shop().url}/console`)
    return visitor.page
  }
})
