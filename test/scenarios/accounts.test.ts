// An account with persons: the token, the platform and the portal say who acts, and a reader orders nothing.

import { enterConsole } from '../support/console.js'
import { describeWorld } from '../support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { PLATFORM_KEY, platformFor } from '../support/platform.js'
import { enterPortal, wordsOf } from '../support/portal.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { sql } from '../support/sql.js'
import type { Caller } from '../support/world.js'
import { writtenEvents } from '../support/written-events.js'

const BILLING = '/api/v1/billing'
const ACCOUNT = 'acme'
const PERSON = 'lina «ب»'

const selectProfile = sql('select email, name from users where user_id = $1')

const env = { TRANSFER_FILE, BALANCE_MAX: '100000' }

describeWorld('an account with persons', { env }, ({ database, world }) => {
  const see = async (role: string, path?: string) =>
    (await (await enterPortal(world, person(role))).open(path)).text
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
    const told = await writtenEvents(database())
    expect(told.map(({ data }) => data.payment?.bought_by)).toEqual([PERSON, PERSON])
    const found = (await operatorOf(world).get(`/payments/${paymentId}`)).body
    expect(found.payment).toMatchObject({ user_id: ACCOUNT, bought_by: PERSON })
    const visit = await enterConsole(world, OPERATOR_KEY)
    expect(wordsOf((await visit.open(`/console/payments/${paymentId}`)).text)).toContain(
      `Ordered by ${PERSON}`,
    )
  })

  it('names no one where the account itself buys, and takes null claims for absent ones', async () => {
    for (const [index, claims] of [{ account: 'own-0' }, { account: null, billing_role: null }].entries()) {
      const user = world.as(`own-${index}`, claims)
      const { paymentId } = await user.buy()
      expect((await user.get(`${BILLING}/payments/${paymentId}`)).body.bought_by).toBeNull()
    }
  })

  it('refuses a token whose account or role cannot be one', async () => {
    const roles = ['admin', ['owner']].map((billing_role) => ({ account: ACCOUNT, billing_role }))
    for (const claims of [{ account: '' }, { account: 7 }, ...roles])
      expect([claims, (await world.as(PERSON, claims).get(`${BILLING}/status`)).status]).toEqual([
        claims,
        401,
      ])
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
    const upgrade = (headers: Record<string, string>) =>
      platformFor(world, ACCOUNT).post('/upgrade', { plan: 'pro' }, headers)
    const { payment_id } = (await upgrade(platform(PERSON, 'payer'))).body
    expect((await platformFor(world, ACCOUNT).get(`/payments/${payment_id}`)).body.bought_by).toBe(PERSON)
    for (const headers of [platform(PERSON, 'admin'), { 'ishtirak-person': '%' }, { 'ishtirak-person': '' }])
      expect((await upgrade(headers)).status).toBe(422)
  })

  it('shows a reader the portal without a form that orders, and refuses one that was kept open', async () => {
    await world.as(ACCOUNT).buy()
    await world.advance(25 * 86_400)
    const reader = await enterPortal(world, person('reader'))
    expect(await see('payer')).toMatch(/action="[^"]*\/portal\/(upgrade|choice)"/)
    const { text } = await reader.open()
    expect(text.match(/action="([^"]+)"/g)).toEqual([`action="${world.base}/portal/leave"`])
    expect(wordsOf(text)).toContain(`${PERSON} sees the documents of this account and cannot order.`)
    const forms = ['upgrade', 'choice', 'transfer', 'code', 'redeem', 'balance/top-up', 'balance/renewal']
    for (const form of [...forms, 'balance/buy', 'buyer'])
      expect([form, (await reader.submit(`/portal/${form}`, { plan: 'pro' })).status]).toEqual([form, 403])
    expect((await reader.open('/portal/payments')).text).toContain('receipt')
    expect((await reader.submit('/portal/leave', {})).status).toBe(303)
  })

  it('buys in the portal for the person who entered it, and names who ordered a payment', async () => {
    const portal = await enterPortal(world, person('payer'))
    await portal.submit('/portal/transfer', { plan: 'pro', months: '1' })
    const [payment] = (await world.as(ACCOUNT).get(`${BILLING}/payments`)).body.data
    expect(payment).toMatchObject({ bought_by: PERSON, method: 'transfer' })
    await person('payer').buy()
    const own = await (await enterPortal(world, ACCOUNT)).open('/portal/payments')
    expect(wordsOf(own.text)).toContain(`ordered by ${PERSON}`)
  })

  it('asks before a session of another person of the account takes the place of theirs', async () => {
    const portal = await enterPortal(world, person('reader'))
    const follow = async (of: Caller) => {
      const { body } = await of.post(`${BILLING}/portal-sessions`, {})
      return world.call('GET', body.url.slice(world.url.length), { headers: portal.headers })
    }
    expect((await follow(person('reader'))).status).toBe(303)
    const words = wordsOf((await follow(world.as('omar', { account: ACCOUNT }))).text)
    for (const name of [PERSON, 'omar']) expect(words).toContain(`${ACCOUNT} · ${name}`)
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
