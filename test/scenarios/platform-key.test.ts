// What a user can do with a token, a server of the platform does with its key, in the address of that user.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CODE_ENV, makeCodes, VOUCHER } from '../support/codes.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { PLATFORM_KEY, platformFor, WITH_PLATFORM } from '../support/platform.js'
import { jpeg } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from '../support/world.js'

const USERS = '/api/v1/platform/users'
const UPGRADE = { plan: 'pro' }
const KEY = { authorization: `Bearer ${PLATFORM_KEY}` }
/** Each route, as an address of `user-1`. */
const ROUTES: readonly [method: 'GET' | 'POST' | 'PUT', path: string, body?: object][] = [
  ['POST', '/upgrade', UPGRADE],
  ['POST', '/payments', UPGRADE],
  ['GET', '/payments'],
  ['GET', '/payments/pay_1'],
  ['GET', '/payments/pay_1/receipt'],
  ['PUT', '/payments/pay_1/proof', {}],
  ['GET', '/quote?plan=pro'],
  ['GET', '/status'],
  ['GET', '/overview'],
  ['GET', '/buyer'],
  ['PUT', '/buyer', { kind: 'person' }],
  ['POST', '/redeem', { code: 'x' }],
  ['GET', '/redemptions'],
  ['GET', '/redemptions/red_1/statement'],
  ['POST', '/portal-sessions', {}],
]

describeScenario('by the platform’s key', ({ database }) => {
  let world: World
  beforeEach(async () => {
    const env = { ...WITH_PLATFORM, ...OPERATOR_ENV, ...CODE_ENV, TRANSFER_FILE }
    world = await createWorld(database(), { env })
  })
  afterEach(() => world.stop())
  const pay = async (checkoutUrl: string) => {
    await world.emulator.pay(checkoutIdOf(checkoutUrl), 'paid')
    await world.emulator.settled()
  }
  /** An address that was given out, as the test calls it. */
  const pathOf = (address: string) => address.slice(world.url.length)

  it('a month of pro is quoted, bought, paid and receipted, and the portal opened', async () => {
    const platform = platformFor(world, 'a/b?c#d%')
    await platform.update({ email: 'amina@example.dz', name: 'Amina', locale: 'fr' })
    const quote = await platform.get('/quote?plan=pro')
    expect([quote.status, quote.body.amount]).toEqual([200, 2000])
    const opened = await platform.post('/upgrade', UPGRADE)
    expect([opened.status, Object.keys(opened.body)]).toEqual([200, ['checkout_url', 'payment_id']])
    expect((await platform.post('/payments', UPGRADE)).body.id).toBe(opened.body.payment_id)
    expect((await platform.get('/overview')).body.pending_payment.id).toBe(opened.body.payment_id)
    await pay(opened.body.checkout_url)
    expect((await platform.get('/status')).body).toEqual({
      plan: 'pro',
      status: 'active',
      current_period_end: '2026-12-21T12:00:00Z',
      payment_method: 'edahabia',
    })
    const [payment] = (await platform.get('/payments?status=paid')).body.data
    expect(payment.id).toBe(opened.body.payment_id)
    expect((await platform.get(`/payments/${payment.id}`)).body).toEqual(payment)
    // The address is one that the key opens.
    const receipt = await world.call('GET', pathOf(payment.receipt_url), { headers: KEY })
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(receipt.text).toMatch(/^%PDF-/)

    const link = await platform.post('/portal-sessions', { return_path: '/settings' })
    expect([link.status, Object.keys(link.body)]).toEqual([201, ['url', 'expires_at']])
    const entered = await world.call('GET', pathOf(link.body.url))
    const cookie = /^[^;]+/.exec(entered.headers.get('set-cookie') ?? '')?.[0] ?? ''
    const page = await world.call('GET', '/portal', { headers: { cookie } })
    expect(page.text).toContain('<html lang="fr"')
    expect(page.text).toContain('http://platform.localhost/settings')
  })

  it('a payment is created at the address of the user, and is theirs by token as well', async () => {
    const created = await platformFor(world, 'user-1').post('/payments', UPGRADE)
    expect([created.status, created.body.status]).toEqual([201, 'pending'])
    const location = created.headers.get('location') ?? ''
    expect(pathOf(location)).toBe(`${USERS}/user-1/payments/${created.body.id}`)
    expect((await world.call('GET', pathOf(location), { headers: KEY })).body.id).toBe(created.body.id)
    const own = await world.as('user-1').get(`/api/v1/billing/payments/${created.body.id}`)
    expect(own.body).toEqual(created.body)
  })

  it('a transfer is asked for and its proof sent to the address that is given', async () => {
    const platform = platformFor(world, 'user-1')
    const { body } = await platform.post('/payments', { plan: 'pro', method: 'transfer' })
    const proof = await world.call('PUT', pathOf(body.transfer.proof_url), { headers: KEY, body: jpeg() })
    expect([proof.status, proof.body.n, proof.body.type]).toEqual([200, 1, 'image/jpeg'])
    const toOther = await platformFor(world, 'user-2').put(`/payments/${body.id}/proof`, jpeg())
    expect([toOther.status, toOther.body.code]).toEqual([404, 'not_found'])
  })

  it('at most ten proofs of a user are taken in an hour, whoever sends them', async () => {
    const send = () => platformFor(world, 'many-proofs').put('/payments/pay_1/proof', jpeg())
    for (let sent = 0; sent < 10; sent++) expect((await send()).status).toBe(404)
    const { status, body } = await send()
    expect([status, body.code]).toEqual([429, 'rate_limited'])
  })

  it('a code is redeemed and its statement read', async () => {
    const platform = platformFor(world, 'user-1')
    const { code } = await makeCodes(operatorOf(world), VOUCHER)
    const redeemed = await platform.post('/redeem', { code })
    expect([redeemed.status, redeemed.body.months]).toEqual([200, 1])
    const [one] = (await platform.get('/redemptions')).body.data
    const statement = await world.call('GET', pathOf(one.statement_url), { headers: KEY })
    expect([statement.status, statement.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect((await platformFor(world, 'user-2').get(`/redemptions/${one.id}/statement`)).status).toBe(404)
  })

  it('another user’s payment is none, whatever is asked of it', async () => {
    const { paymentId } = await world.as('user-1').buy()
    for (const path of [`/payments/${paymentId}`, `/payments/${paymentId}/receipt`]) {
      const { status, body } = await platformFor(world, 'user-2').get(path)
      expect([path, status, body.code]).toEqual([path, 404, 'not_found'])
    }
  })

  it('ten new checkouts of a user in an hour are the bound, counted with those by token', async () => {
    const platform = platformFor(world, 'user-1')
    for (let made = 0; made < 10; made++) {
      const { body } = await (made % 2 === 0
        ? platform.post('/upgrade', UPGRADE)
        : world.as('user-1').post('/api/v1/billing/upgrade', UPGRADE))
      await world.emulator.pay(checkoutIdOf(body.checkout_url), 'canceled')
      await world.emulator.settled()
    }
    const refused = await platform.post('/upgrade', UPGRADE)
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_checkouts'])
    expect((await platformFor(world, 'user-2').post('/upgrade', UPGRADE)).status).toBe(200)
  })

  it('no quota is counted, where that of a token is used up', async () => {
    await using own = await createWorld(database(), { env: { ...WITH_PLATFORM, RATE_LIMIT_PER_MINUTE: '1' } })
    const byToken = async () => (await own.as('user-1').get('/api/v1/billing/status')).status
    expect([await byToken(), await byToken()]).toEqual([200, 429])
    const byKey = async () => (await platformFor(own, 'user-1').get('/status')).status
    expect([await byKey(), await byKey()]).toEqual([200, 200])
  })

  it('the provider’s page is in the language of the profile, else of the request, else Arabic', async () => {
    for (const [userId, profile, language, locale] of [
      ['of-the-profile', { locale: 'en' }, 'fr', 'en'],
      ['of-the-request', {}, 'fr', 'fr'],
      // What the `fetch` of Node sends.
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

  it('a portal leads back to a path of the platform only', async () => {
    const link = { return_path: '//evil.example' }
    const { status, body } = await platformFor(world, 'user-1').post('/portal-sessions', link)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
  })

  it('each route needs the key, is of no user’s token, and looks at the id of the user', async () => {
    const token = await tokenOf({ sub: 'user-1' })
    const found = []
    for (const [method, path, body] of ROUTES) {
      const refusal = async (userId: string, key?: string) => {
        const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
        const answer = await world.call(method, `${USERS}/${userId}${path}`, { headers, body })
        return `${answer.status} ${answer.body.code}`
      }
      const answers = [await refusal('user-1'), await refusal('user-1', 'another key')]
      found.push([path, ...answers, await refusal('user-1', token), await refusal('a%0Ab', PLATFORM_KEY)])
    }
    const noKey = '401 unauthenticated'
    expect(found).toEqual(ROUTES.map(([, path]) => [path, noKey, noKey, noKey, '422 validation_failed']))
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('without a key that is configured, the whole part answers 404', async () => {
    await using without = await createWorld(database(), { env: {} })
    for (const [method, path, body] of ROUTES) {
      const answer = await without.call(method, `${USERS}/user-1${path}`, { headers: KEY, body })
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'not_found'])
    }
  })
})
