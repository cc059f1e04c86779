import { makeCodes } from '../../../../test/support/codes.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'

const BILLING = '/api/v1/billing'

const OPTIONS = { env: { PLANS_FILE: SELLING_PLANS } }

describeWorld('a code in the portal', OPTIONS, ({ world }) => {
  const codeOf = async (batch: object) => (await makeCodes(operatorOf(world), batch)).code

  describe('that gives months', () => {
    const voucher = { kind: 'months', plan: 'pro', months: 3 }

    it('says what it gives and changes nothing, until the button redeems it', async () => {
      const code = await codeOf(voucher)
      const portal = await enterPortal(world, 'user-1')
      for (const path of ['/portal/code', '/portal/redeem'])
        expect((await portal.submit(path, { code, form_token: 'guessed' })).status).toBe(403)
      expect(wordsOf((await portal.open()).text)).toContain('I have a code')
      const asked = await portal.submit('/portal/code', { code: code.toLowerCase() })
      const words = 'Your code gives 3 months of Pro From 21 November 2026 to 21 February 2027.'
      expect([asked.status, wordsOf(asked.text)]).toEqual([200, expect.stringContaining(words)])
      expect((await world.as('user-1').get(`${BILLING}/status`)).body.plan).toBe('free')

      const redeemed = await portal.submit('/portal/redeem', { code })
      const path = redeemed.headers.get('location')?.slice(world.base.length) ?? ''
      expect([redeemed.status, path]).toEqual([303, expect.stringMatching(/^\/portal\?redeemed=red_/)])
      const page = await portal.open(path)
      expect(wordsOf(page.text)).toContain(
        'Your code was redeemed Pro · 3 months · 21 November 2026 to 21 February 2027',
      )
      expect(wordsOf((await portal.open()).text)).not.toContain('was redeemed')
      // Existing time comes first.
      const more = await portal.submit('/portal/code', { code: await codeOf(voucher) })
      expect(wordsOf(more.text)).toContain('From 21 February 2027 to 21 May 2027.')
    })
  })

  describe('that takes something off', () => {
    it('shows what each purchase costs with it, and the button buys at that price', async () => {
      const code = await codeOf({ kind: 'percent', plan: 'pro', percent: 10 })
      const portal = await enterPortal(world, 'user-1')
      const asked = await portal.submit('/portal/code', { code })
      expect(wordsOf(asked.text)).toContain(
        'With your code you pay less Pro · 1 month Instead of 2 400 DA 2 160 DA Pro · 6 months Instead of' +
          ' 13 200 DA 11 880 DA Pro · 12 months Instead of 24 000 DA 21 600 DA',
      )
      expect(asked.text).toContain(`<input type="hidden" name="code" value="${code}"`)
      const summary = await portal.submit('/portal/choice', { offer: '12 pro', method: 'card', code })
      for (const part of ['Discount −2 016,81 DA', 'Total to pay 21 600 DA', 'Instead of 24 000 DA'])
        expect(wordsOf(summary.text)).toContain(part)
      expect(summary.text).toContain(`<input type="hidden" name="code" value="${code}"`)
      const started = await portal.submit('/portal/upgrade', { plan: 'pro', months: '12', code })
      expect([started.status, world.emulator.checkouts()[0]?.amount]).toEqual([303, 21_600])
      const [payment] = (await world.as('user-1').get(`${BILLING}/payments`)).body.data
      const page = await portal.open(`/portal/return/${payment.id}`)
      expect(wordsOf(page.text)).toContain('Term 12 months Discount 2 400 DA Amount 21 600 DA')
    })

    it('and leaves nothing to pay is redeemed by the button, however it was to be paid', async () => {
      const code = await codeOf({ kind: 'percent', plan: 'pro', percent: 100 })
      const portal = await enterPortal(world, 'user-1')
      const summary = await portal.submit('/portal/choice', { offer: '12 pro', method: 'card', code })
      expect(wordsOf(summary.text)).toContain(
        'Total to pay 0 DA Instead of 24 000 DA Redeem the code It starts at once.',
      )
      expect(summary.text).toContain('/portal/redeem"')
      const redeemed = await portal.submit('/portal/redeem', { plan: 'pro', months: '12', code })
      const page = await portal.open(redeemed.headers.get('location')?.slice(world.base.length) ?? '')
      expect(wordsOf(page.text)).toContain('Your code was redeemed Pro · 12 months')
      expect(world.emulator.checkouts()).toEqual([])
    })

    it('is typed at the order: what it takes off is in its lines, or what else it is for', async () => {
      const portal = await enterPortal(world, 'user-1')
      const order = await portal.submit('/portal/choice', { offer: '6 pro', method: 'card' })
      expect(order.text).toMatch(/portal\/choice".*name="code".*<\/form>/s)
      const pro = await codeOf({ kind: 'percent', plan: 'pro', percent: 10 })
      const choose = (offer: string, code: string) =>
        portal.submit('/portal/choice', { offer, method: 'card', code })
      expect(wordsOf((await choose('6 pro', pro)).text)).toContain('Total to pay 11 880 DA')
      const other = await choose('6 starter', pro)
      expect(wordsOf(other.text)).toContain('With your code you pay less Pro · 1 month')
      const months = await codeOf({ kind: 'months', plan: 'pro', months: 3 })
      expect(wordsOf((await choose('6 starter', months)).text)).toContain('Your code gives 3 months of Pro')
      const wrong = await choose('6 pro', 'no code')
      expect([wrong.status, wrong.text.includes('value="no code"')]).toEqual([422, true])
    })
  })

  it('that does not count is asked for again, and ten such ones are enough', async () => {
    const portal = await enterPortal(world, 'user-1', 'fr')
    const codes = ['', 'no code', '0000-0000-0000-0000', '"><script>', 'x']
    for (const path of ['/portal/code', '/portal/redeem'])
      for (const code of codes) {
        const { status, text } = await portal.submit(path, { code })
        expect([path, code, status, text.includes('name="code"')]).toEqual([path, code, 422, true])
        // Inside an attribute only a quote could end the value.
        expect(text.replace(/ value="[^"]*"/g, '')).not.toContain('<script')
      }
    expect((await portal.submit('/portal/code', { code: '' })).status).toBe(429)
  })
})
