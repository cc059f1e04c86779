import { makeCodes } from '../../../../test/support/codes.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'

const BILLING = '/api/v1/billing'

const OPTIONS = { env: { PLANS_FILE: SELLING_PLANS, TRANSFER_FILE } }

describeWorld('the answers to forms', OPTIONS, ({ world }) => {
  const portalOf = (userId = 'user-1') => enterPortal(world, userId)
  const codeOf = async (batch: object) => (await makeCodes(operatorOf(world), batch)).code
  const ask = async () =>
    (await world.as('user-1').post(`${BILLING}/payments`, { plan: 'pro', months: 6, method: 'transfer' }))
      .body

  const send = async (to: string, fields: Record<string, string>) => {
    const portal = await portalOf()
    return world.call('POST', to, {
      headers: { ...portal.headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_token: portal.formToken, ...fields }).toString(),
    })
  }

  it('lead to a page of their session that a reload reads again', async () => {
    const other = await portalOf()
    for (const [to, fields] of [
      ['/portal/code', { code: 'wrong' }],
      ['/portal/redeem', { code: 'wrong' }],
      ['/portal/upgrade', { plan: 'nope' }],
      ['/portal/choice', { offer: '1 pro', method: 'card' }],
      ['/portal/transfer', { plan: 'pro', months: '7' }],
      // The token belongs to another session.
      ['/portal/code', { code: 'x', form_token: 'guessed' }],
      // The file is missing.
      ['/portal/payments/pay_nope/proof', {}],
      ['/portal/open', { token: 'old' }],
    ] as const) {
      const answer = await send(to, fields)
      const led = [to, answer.status, answer.headers.get('location')]
      expect(led).toEqual([to, 303, `${world.base}/portal/answer`])
      const cookie = /ishtirak_answer[^;]*/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? ''
      const headers = { ...other.headers, cookie: `${other.headers.cookie}; ${cookie}` }
      // In another session there is no such answer.
      expect([to, (await world.call('GET', '/portal/answer', { headers })).status]).toEqual([to, 303])
    }
  })

  it('lead to the portal where a browser makes one up', async () => {
    const { headers } = await send('/portal/code', {})
    const name = /ishtirak[\w.~-]*/.exec(headers.get('set-cookie') ?? '')?.[0]
    for (const kept of [
      ...['{', '7', 'null', '{"refused":"nothing"}', '{"refused":7}', '{"page":"portal"}'],
      ...['{"code":"x"}', '{"choice":"x"}'],
    ]) {
      const cookie = `${name}=${encodeURIComponent(kept)}`
      const answer = await world.call('GET', '/portal/answer', { headers: { cookie } })
      const led = [kept, answer.status, answer.headers.get('location')]
      expect(led).toEqual([kept, 303, `${world.base}/portal`])
    }
  })

  it('a wrong code stays typed, and the own used code alone says when it was used', async () => {
    const code = await codeOf({ kind: 'months', plan: 'pro', months: 1 })
    const user = await portalOf()
    const wrong = await user.submit('/portal/code', { code: '7k2m "9qxa' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/name="code"[^>]* value="7k2m &#34;9qxa"/)
    expect((await user.submit('/portal/redeem', { code })).status).toBe(303)
    const used = 'You used this code on 21 November 2026 at 13:00'
    const page = await user.submit('/portal/code', { code })
    expect([page.status, wordsOf(page.text)]).toEqual([422, expect.stringContaining(used)])
    const other = await (await portalOf('user-2')).submit('/portal/code', { code })
    expect([other.status, wordsOf(other.text).includes(used)]).toEqual([422, false])
  })

  it('a code and a transfer go together: the code’s price, and the code says what holds it', async () => {
    const code = await codeOf({ kind: 'percent', plan: 'pro', percent: 10 })
    const portal = await portalOf()
    const worth = await portal.submit('/portal/code', { code })
    expect(worth.text).toContain('name="offer" value="6 pro"')
    const order = await portal.submit('/portal/choice', { offer: '6 pro', method: 'card', code })
    expect(order.text).toContain('name="method" value="transfer"')
    const summary = await portal.submit('/portal/choice', { offer: '6 pro', method: 'transfer', code })
    expect(summary.text).toContain(`action="${world.base}/portal/transfer"`)
    const asked = await portal.submit('/portal/transfer', { plan: 'pro', months: '6', code })
    expect([asked.status, asked.headers.get('location')]).toEqual([303, `${world.base}/portal#transfer`])
    expect(wordsOf((await portal.open()).text)).toContain('Pro · 6 months · 11 880 DA')
    const again = await portal.submit('/portal/code', { code })
    expect(wordsOf(again.text)).toContain('for a payment that is still open')
  })

  it('what is open can be exchanged: a page of a card is closed before another is opened', async () => {
    const portal = await portalOf()
    await portal.submit('/portal/upgrade', { plan: 'pro', months: '6' })
    const { text } = await portal.open()
    expect(text).not.toContain('/portal/choice"')
    expect(wordsOf(text)).toContain('Pro · 6 months · 13 200 DA')
    const choice = await portal.open('/portal/plans')
    expect(choice.text).toContain(`${world.base}/portal/choice"`)
    expect(wordsOf(choice.text)).toContain('replaces this order')
    expect((await portal.submit('/portal/upgrade', { plan: 'pro', months: '1' })).status).toBe(303)
    const statuses = world.emulator.checkouts().map(({ status }) => status)
    expect(statuses.sort()).toEqual(['expired', 'pending'])
    expect(wordsOf((await portal.open()).text)).toContain('Pro · 1 month · 2 400 DA')
  })

  it('a transfer that another one replaced still counts when its money comes', async () => {
    const { id } = await ask()
    const portal = await portalOf()
    expect((await portal.open('/portal/plans')).text).toContain(`${world.base}/portal/choice"`)
    expect((await portal.submit('/portal/transfer', { plan: 'pro', months: '1' })).status).toBe(303)
    const approval = { amount: 13_200, received_at: '2026-11-21', payment_method: 'ccp', why: 'it came' }
    expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
    const { body } = await world.as('user-1').get(`${BILLING}/payments/${id}`)
    expect(body).toMatchObject({ status: 'paid', months: 6 })
  })

  it('what is open is not offered to be exchanged once its slip was sent', async () => {
    const { id } = await ask()
    const portal = await portalOf()
    await portal.upload(`/portal/payments/${id}/proof`, png())
    expect(wordsOf((await portal.open()).text)).not.toContain('Pay another way')
  })
})
