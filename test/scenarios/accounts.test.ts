// An account with persons: the token, the platform and the portal say who acts, and a reader orders nothing.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../packages/client/src/index.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { CODE_ENV } from '../support/codes.js'
import { enterConsole } from '../support/console.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { PLATFORM_KEY, platformFor, WITH_PLATFORM } from '../support/platform.js'
import { enterPortal, wordsOf } from '../support/portal.js'
import { png } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { createWorld, type World } from '../support/world.js'

const BILLING = '/api/v1/billing'
const ACCOUNT = 'acme'
const PERSON = 'lina «ب»'

const selectPaid = statement(
  'test.accounts.paid',
  "select payload#>>'{data,payment,bought_by}' as bought_by from outbox where type = 'payment.paid'",
)
const selectProfile = statement('test.accounts.profile', 'select email, name from users where user_id = $1')

describeScenario('an account with persons', ({ database }) => {
  let world: World
  beforeEach(async () => {
    const env = { ...OPERATOR_ENV, ...WITH_PLATFORM, TRANSFER_FILE, ...CODE_ENV, BALANCE_MAX: '100000' }
    world = await createWorld(database(), { env })
  })
  afterEach(() => world.stop())

  const person = (role?: unknown) => world.as(PERSON, { account: ACCOUNT, billing_role: role })
  const platform = (person: string, role: string) => ({
    'ishtirak-person': encodeURIComponent(person),
    'ishtirak-billing-role': role,
  })

  it('bills the account, and names the person who bought, in payment, event and console', async () => {
    const { paymentId } = await person('payer').buy()
    expect((await world.as(ACCOUNT).get(`${BILLING}/status`)).body.plan).toBe('pro')
    expect((await world.as(PERSON).get(`${BILLING}/status`)).body.plan).toBe('free')
    const paid = (await world.as(ACCOUNT).get(`${BILLING}/payments/${paymentId}`)).body
    expect(paid.bought_by).toBe(PERSON)
    expect(await database().query(selectPaid, [])).toEqual([{ bought_by: PERSON }])
    const found = (await operatorOf(world).get(`/payments/${paymentId}`)).body
    expect(found.payment).toMatchObject({ user_id: ACCOUNT, bought_by: PERSON })
    const visit = await enterConsole(world, OPERATOR_KEY)
    expect(wordsOf((await visit.open(`/console/payments/${paymentId}`)).text)).toContain(
      `Ordered by ${PERSON}`,
    )
  })

  it('names no one where the account itself buys: tokens without these claims work as ever', async () => {
    const { paymentId } = await world.as(ACCOUNT, { account: ACCOUNT }).buy()
    expect((await world.as(ACCOUNT).get(`${BILLING}/payments/${paymentId}`)).body.bought_by).toBeNull()
  })

  it('refuses a token whose account or role cannot be one', async () => {
    for (const [_what, claims] of [
      ['an account that cannot be one', { account: '' }],
      ['an account that is no text', { account: 7 }],
      ['a role that is none', { account: ACCOUNT, billing_role: 'admin' }],
      ['a role that is no text', { account: ACCOUNT, billing_role: ['owner'] }],
    ] as const) {
      expect.soft((await world.as(PERSON, claims).get(`${BILLING}/status`)).status, String(_what)).toBe(401)
    }
  })

  it('takes claims that are null for absent ones', async () => {
    const { paymentId } = await world.as(ACCOUNT, { account: null, billing_role: null }).buy()
    expect((await world.as(ACCOUNT).get(`${BILLING}/payments/${paymentId}`)).body.bought_by).toBeNull()
  })

  it('lets a reader see all and order nothing, by the API and for the platform', async () => {
    const { paymentId } = await person('payer').buy()
    for (const path of ['status', 'payments', 'balance', 'buyer', `payments/${paymentId}`, 'quote?plan=pro'])
      expect([path, (await person('reader').get(`${BILLING}/${path}`)).status]).toEqual([path, 200])
    const orders = [
      ['POST', 'upgrade', { plan: 'pro' }],
      ['POST', 'payments', { plan: 'pro', months: 1 }],
      ['POST', 'balance/top-ups', { amount: 1_000 }],
      ['PUT', 'balance/renewal', { plan: 'pro' }],
      ['DELETE', 'balance/renewal', undefined],
      ['PUT', 'buyer', { kind: 'person' }],
    ] as const
    const token = { authorization: `Bearer ${PLATFORM_KEY}`, ...platform(PERSON, 'reader') }
    for (const [method, path, body] of orders) {
      const own = method === 'POST' ? await person('reader').post(`${BILLING}/${path}`, body) : null
      expect([path, own?.body.code ?? 'forbidden']).toEqual([path, 'forbidden'])
      const url = `/api/v1/platform/users/${ACCOUNT}/${path}`
      const answer = await world.call(method, url, { headers: token, ...(body && { body }) })
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'forbidden'])
    }
  })

  it('is told by the platform who acts, and refuses a header that cannot be', async () => {
    const opened = await platformFor(world, ACCOUNT).post(
      '/upgrade',
      { plan: 'pro' },
      platform(PERSON, 'payer'),
    )
    const { payment_id } = opened.body
    expect((await platformFor(world, ACCOUNT).get(`/payments/${payment_id}`)).body.bought_by).toBe(PERSON)
    for (const headers of [platform(PERSON, 'admin'), { 'ishtirak-person': '%' }, { 'ishtirak-person': '' }])
      expect((await platformFor(world, ACCOUNT).post('/upgrade', { plan: 'pro' }, headers)).status).toBe(422)
  })

  it('has a client that acts for a person', async () => {
    const client = createClient({ url: world.url, apiKey: PLATFORM_KEY, whenUnreachable: 'closed' })
    const { payment_id } = await client.as({ id: PERSON, role: 'payer' }).upgrade(ACCOUNT, 'pro')
    expect(await client.payment(ACCOUNT, payment_id)).toMatchObject({ bought_by: PERSON })
    await expect(client.as({ id: PERSON, role: 'reader' }).upgrade(ACCOUNT, 'pro')).rejects.toMatchObject({
      // Not of the key: no operator is woken for it.
      ...{ name: 'BillingApiError', message: expect.stringMatching(/^billing refused: 403 forbidden/) },
      code: 'forbidden',
    })
  })

  it('shows a reader the portal without a form that orders, and refuses one that was kept open', async () => {
    await world.as(ACCOUNT).buy()
    await world.advance(25 * 86_400)
    const [payer, reader] = [
      await enterPortal(world, person('payer')),
      await enterPortal(world, person('reader')),
    ]
    expect((await payer.open()).text).toMatch(/action="[^"]*\/portal\/(upgrade|choice)"/)
    const { text } = await reader.open()
    expect([...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action)).toEqual([
      `${world.base}/portal/leave`,
    ])
    expect(wordsOf(text)).toContain(`${PERSON} sees the papers of this account and cannot order.`)
    const forms = ['upgrade', 'choice', 'transfer', 'code', 'redeem', 'balance/top-up', 'balance/renewal']
    for (const form of [...forms, 'balance/buy', 'buyer'])
      expect([form, (await reader.submit(`/portal/${form}`, { plan: 'pro' })).status]).toEqual([form, 403])
    expect((await reader.open('/portal?payments=all')).text).toContain('receipt')
    expect((await reader.submit('/portal/leave', {})).status).toBe(303)
  })

  it('shows a reader nothing that opens to nothing, and asks them for no slip and no money', async () => {
    const invites = /<summary>|href="[^"]*#balance"|slip from this page|Send it below|send us the slip/
    const page = async () => (await (await enterPortal(world, person('reader'))).open()).text
    expect(await page()).not.toMatch(invites)
    const wanted = { plan: 'pro', method: 'transfer' }
    const { id } = (await person('payer').post(`${BILLING}/payments`, wanted)).body
    const asked = await page()
    expect(asked).not.toMatch(invites)
    expect(wordsOf(asked)).toContain('The amount is awaited on one of these accounts by')
    await (await enterPortal(world, person('payer'))).upload(`/portal/payments/${id}/proof`, png())
    expect((await page()).match(/<summary>[^<]*/g)).toEqual(['<summary>Show the accounts again'])
    await world.advance(40 * 86_400)
    expect(await page()).not.toMatch(invites)
  })

  it('offers a reader no way to pay what is open, over or late', async () => {
    const paying = /late-transfer|\/checkouts\/|Try again/g
    const see = async (role: string, path: string) =>
      (await (await enterPortal(world, person(role))).open(path)).text.match(paying)
    const { body } = await person('payer').post(`${BILLING}/upgrade`, { plan: 'pro' })
    const returned = `/billing/return/${body.payment_id}`
    expect([await see('payer', returned), await see('reader', returned)]).toEqual([['/checkouts/'], null])
    await world.advance(86_400)
    expect([await see('payer', returned), await see('reader', returned)]).toEqual([['Try again'], null])
    await person('payer').post(`${BILLING}/payments`, { plan: 'pro', method: 'transfer' })
    await world.advance(40 * 86_400)
    const all = '/portal?payments=all'
    expect([await see('payer', all), await see('reader', all)]).toEqual([['late-transfer'], null])
  })

  it('says to a reader what a renewal lacks, without a way to pay it', async () => {
    await person('payer').buy()
    const client = createClient({ url: world.url, apiKey: PLATFORM_KEY, whenUnreachable: 'open' })
    await client.setRenewal(ACCOUNT, { plan: 'pro' })
    const { text } = await (await enterPortal(world, person('reader'))).open()
    expect(wordsOf(text)).toContain('2 000 DA')
    expect(text).not.toContain('#balance')
  })

  it('names in the portal who ordered a payment', async () => {
    await person('payer').buy()
    const portal = await enterPortal(world, ACCOUNT)
    expect(wordsOf((await portal.open('/portal?payments=all')).text)).toContain(`ordered by ${PERSON}`)
  })

  it('buys in the portal for the person who entered it', async () => {
    const portal = await enterPortal(world, person('payer'))
    await portal.submit('/portal/transfer', { plan: 'pro', months: '1' })
    const [payment] = (await world.as(ACCOUNT).get(`${BILLING}/payments`)).body.data
    expect(payment).toMatchObject({ bought_by: PERSON, method: 'transfer' })
  })

  it('asks before a session of another person of the account takes the place of theirs', async () => {
    const portal = await enterPortal(world, person('reader'))
    const link = (await person('reader').post(`${BILLING}/portal-sessions`, {})).body.url.slice(
      world.url.length,
    )
    const own = await world.call('GET', link, { headers: portal.headers })
    expect(own.status).toBe(303)
    const other = (await world.as('omar', { account: ACCOUNT }).post(`${BILLING}/portal-sessions`, {})).body
      .url
    const asked = await world.call('GET', other.slice(world.url.length), { headers: portal.headers })
    const words = wordsOf(asked.text)
    for (const name of [`${ACCOUNT} · ${PERSON}`, `${ACCOUNT} · omar`])
      expect([name, words.includes(name)]).toEqual([name, true])
  })

  it('keeps the address of an owner for the account, and of no one else', async () => {
    const of = (id: string, billing_role: string) =>
      world.as(id, { account: ACCOUNT, billing_role, email: `${id}@example.dz`, name: id })
    const stored = async () => (await database().query(selectProfile, [ACCOUNT]))[0]
    for (const role of ['reader', 'payer']) await of(role, role).post(`${BILLING}/portal-sessions`, {})
    expect(await stored()).toEqual({ email: null, name: null })
    await of('owner', 'owner').post(`${BILLING}/portal-sessions`, {})
    expect(await stored()).toEqual({ email: 'owner@example.dz', name: 'owner' })
  })
})
