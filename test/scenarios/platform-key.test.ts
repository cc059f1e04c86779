// What a user can do with a token, a server of the platform does with its key, in the address of that user.
import { makeCodes, VOUCHER } from '../support/codes.js'
import { describeWorld } from '../support/describe-world.js'
import { operatorOf } from '../support/operator.js'
import { PLATFORM_KEY, platformFor } from '../support/platform.js'
import { jpeg } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { checkoutIdOf, createWorld, tokenOf } from '../support/world.js'

const UPGRADE = { plan: 'pro' }
const PDF = 'application/pdf'
const KEY = { authorization: `Bearer ${PLATFORM_KEY}` }

describeWorld('by the platform’s key', { env: { TRANSFER_FILE } }, ({ database, world }) => {
  /** An address that was given out, as the test calls it. */
  const pathOf = (address: string) => address.slice(world.url.length)
  const byKey = (method: string, address: string, body?: unknown) =>
    world.call(method, pathOf(address), { headers: KEY, body })

  it('a month of pro is quoted, bought, paid and receipted, and the portal opened', async () => {
    const platform = platformFor(world, 'a/b?c#d%')
    await platform.update({ email: 'amina@example.dz', name: 'Amina', locale: 'fr' })
    expect((await platform.get('/quote?plan=pro')).body.amount).toBe(2000)
    const opened = await platform.post('/upgrade', UPGRADE)
    expect([opened.status, Object.keys(opened.body)]).toEqual([200, ['checkout_url', 'payment_id']])
    expect((await platform.post('/payments', UPGRADE)).body.id).toBe(opened.body.payment_id)
    expect((await platform.get('/overview')).body.pending_payment.id).toBe(opened.body.payment_id)
    await world.emulator.pay(checkoutIdOf(opened.body.checkout_url), 'paid')
    await world.emulator.settled()
    const active = { plan: 'pro', status: 'active', payment_method: 'edahabia' }
    const status = (await platform.get('/status')).body
    expect(status).toEqual({ ...active, current_period_end: '2026-12-21T12:00:00Z' })
    const [payment] = (await platform.get('/payments?status=paid')).body.data
    expect(payment.id).toBe(opened.body.payment_id)
    expect((await platform.get(`/payments/${payment.id}`)).body).toEqual(payment)
    const receipt = await byKey('GET', payment.receipt_url)
    expect([receipt.headers.get('content-type'), receipt.text]).toEqual([
      PDF,
      expect.stringMatching(/^%PDF-/),
    ])
    for (const path of [`/payments/${payment.id}`, `/payments/${payment.id}/receipt`])
      expect([path, (await platformFor(world, 'user-2').get(path)).body.code]).toEqual([path, 'not_found'])

    const link = await platform.post('/portal-sessions', { return_path: '/settings' })
    expect([link.status, Object.keys(link.body)]).toEqual([201, ['url', 'expires_at']])
    const entered = await world.call('GET', pathOf(link.body.url))
    const cookie = /^[^;]+/.exec(entered.headers.get('set-cookie') ?? '')?.[0] ?? ''
    const page = await world.call('GET', '/portal', { headers: { cookie } })
    expect(page.text).toContain('<html lang="fr"')
    expect(page.text).toContain('http://platform.localhost/settings')
    const elsewhere = await platform.post('/portal-sessions', { return_path: '//evil.example' })
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'validation_failed'])
  })

  it('a transfer is asked for, and at most ten proofs an hour sent to its address', async () => {
    const asked = await platformFor(world, 'user-1').post('/payments', { plan: 'pro', method: 'transfer' })
    const proof = await byKey('PUT', asked.body.transfer.proof_url, jpeg())
    expect([proof.status, proof.body.n, proof.body.type]).toEqual([200, 1, 'image/jpeg'])
    const send = () => platformFor(world, 'user-2').put(`/payments/${asked.body.id}/proof`, jpeg())
    for (let sent = 0; sent < 10; sent++) expect((await send()).status).toBe(404)
    const { status, body } = await send()
    expect([status, body.code]).toEqual([429, 'rate_limited'])
  })

  it('a code is redeemed', async () => {
    const platform = platformFor(world, 'user-1')
    const { code } = await makeCodes(operatorOf(world), VOUCHER)
    expect((await platform.post('/redeem', { code })).body.months).toBe(1)
    const [one] = (await platform.get('/redemptions')).body.data
    expect(one).toMatchObject({ plan: 'pro', months: 1 })
  })

  it('no quota is counted, where that of a token is used up', async () => {
    await using own = await createWorld(database(), { env: { RATE_LIMIT_PER_MINUTE: '1' } })
    const byToken = async () => (await own.as('user-1').get('/api/v1/billing/status')).status
    expect([await byToken(), await byToken()]).toEqual([200, 429])
    const withKey = async () => (await platformFor(own, 'user-1').get('/status')).status
    expect([await withKey(), await withKey()]).toEqual([200, 200])
  })

  it('the provider’s page is in the language of the profile, else of the request, else Arabic', async () => {
    for (const [userId, profile, language, locale] of [
      ['of-the-profile', { locale: 'en' }, 'fr', 'en'],
      ['of-the-request', {}, 'fr', 'fr'],
      // Node's `fetch` sends these.
      ['of-neither', {}, '*', 'ar'],
    ] as const) {
      const platform = platformFor(world, userId)
      await platform.update(profile)
      const { body } = await platform.post('/upgrade', UPGRADE, { 'accept-language': language })
      const opened = checkoutIdOf(body.checkout_url)
      const shown = world.emulator.checkouts().find(({ id }) => id === opened)
      expect([userId, shown?.locale]).toEqual([userId, locale])
    }
  })

  it('neither a token of the user nor an id that cannot be one is taken', async () => {
    const codeOf = async (userId: string, key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await world.call('GET', `/api/v1/platform/users/${userId}/status`, { headers })).body.code
    }
    expect(await codeOf('user-1', await tokenOf({ sub: 'user-1' }))).toBe('unauthenticated')
    expect(await codeOf('a%0Ab', PLATFORM_KEY)).toBe('validation_failed')
  })
})
