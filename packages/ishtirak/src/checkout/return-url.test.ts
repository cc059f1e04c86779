// Tests the address to which the page after paying leads.
import { describeScenario } from '../../../../test/support/databases.js'
import { checkoutIdOf, createWorld } from '../../../../test/support/world.js'

const APP = 'https://app.example'
const OTHER = 'https://m.example:8443'
const ENV = { PLATFORM_URL: `${APP}/hosting`, RETURN_ORIGINS: `${OTHER}, https://third.example` }
const TOP_UPS = '/api/v1/billing/balance/top-ups'

describeScenario('the way back', ({ database }) => {
  const order = (extra: object) => ({ plan: 'pro', months: 1, ...extra })

  it('leads where the order said, with the payment and its status, before it is paid and after', async () => {
    const world = await createWorld(database(), { env: ENV })
    const user = world.as('user-1')
    const given = `${OTHER}/done?from=billing&status=mine#plan`
    const { body } = await user.post('/api/v1/billing/payments', order({ return_url: given }))
    const page = `/portal/return/${body.id}`
    const wayBack = (status: string) =>
      `href="${OTHER}/done?from=billing&status=${status}&payment_id=${body.id}#plan"`
    expect((await world.call('GET', page)).text).toContain(wayBack('pending'))
    await world.pay(checkoutIdOf(body.checkout_url))
    const { text } = await world.call('GET', page)
    expect(text).toContain(wayBack('paid'))
    expect(text).not.toContain(`href="${APP}/hosting"`)
  })

  it('is that of the first order, where the same is ordered again', async () => {
    const world = await createWorld(database(), { env: ENV })
    const user = world.as('user-1')
    const first = await user.post('/api/v1/billing/payments', order({ return_url: `${APP}/one` }))
    const second = await user.post('/api/v1/billing/payments', order({ return_url: `${APP}/two` }))
    expect(second.body.id).toBe(first.body.id)
    const { text } = await world.call('GET', `/portal/return/${first.body.id}`)
    expect([text.includes(`${APP}/one?`), text.includes(`${APP}/two?`)]).toEqual([true, false])
  })

  it('is of a top-up as well, and leads to the platform where nothing is said', async () => {
    const world = await createWorld(database(), { env: { ...ENV, BALANCE_MAX: '100000' } })
    const ask = { amount: 5_000, return_url: `${APP}/balance` }
    const { body } = await world.as('user-1').post(TOP_UPS, ask)
    const { text } = await world.call('GET', `/portal/return/${body.id}`)
    expect(text).toContain(`href="${APP}/balance?payment_id=${body.id}&status=pending"`)
    const upgraded = await world.as('user-2').post('/api/v1/billing/upgrade', { plan: 'pro' })
    const plain = await world.call('GET', `/portal/return/${upgraded.body.payment_id}`)
    expect(plain.text).toContain(`href="${APP}/hosting"`)
  })

  it('leads to no other origin, and nothing is ordered', async () => {
    const world = await createWorld(database(), { env: { ...ENV, BALANCE_MAX: '100000' } })
    const user = world.as('user-1')
    const addresses = [
      ...['https://evil.example', 'http://app.example', `${APP}.evil.example`, '//app.example', '/done', ''],
      ...['https://user@app.example', 'https://:pw@app.example', 'javascript:alert(1)', 'app://done'],
      ...['https://m.example', 'https://app.example:8443', 'https://evil.example#@app.example'],
      `blob:${APP}/1`,
    ]
    for (const return_url of addresses)
      for (const [path, body] of [
        ['/api/v1/billing/payments', order({ return_url })],
        [TOP_UPS, { amount: 5_000, return_url }],
      ] as const) {
        const answer = await user.post(path, body)
        expect([return_url, answer.status, answer.body.errors?.[0]?.pointer]).toEqual([
          return_url,
          422,
          '/return_url',
        ])
      }
    expect((await user.get('/api/v1/billing/payments')).body.data).toEqual([])
    const upgrade = { plan: 'pro', return_url: `${APP}/done` }
    expect((await user.post('/api/v1/billing/upgrade', upgrade)).status).toBe(422)
  })
})
