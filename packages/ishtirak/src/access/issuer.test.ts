// The sign-in by a real OpenID Connect issuer, out and back. Other answers do not sign in.

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import {
  cookiesFrom,
  goToIssuer,
  signInByIssuer,
  startIssuer,
  type TestIssuer,
} from '../../../../test/support/issuer.js'
import { sql } from '../../../../test/support/sql.js'
import { type Answer, createWorld, type World } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { movableClock } from '../runtime/clock.js'
import { createOperatorAct } from './operator-acts.js'

const MINUTE = 60_000
const DISCOVERY = '/.well-known/openid-configuration'
const selectAudit = sql('select actor, act, after from audit order by id')
const countSessions = sql('select count(*)::int as n from operator_sessions')

describeScenario('the sign-in by an issuer', ({ database }) => {
  let world: World
  let issuer: TestIssuer
  beforeEach(async () => {
    issuer = await startIssuer()
    // The issuer uses the machine's clock. Its address and the service are new in each test.
    const clock = movableClock(Date.now())
    world = await createWorld(database(), { env: issuer.env, clock, isNew: true })
    await issuer.serve(world.config.publicUrl)
  })
  afterEach(async () => {
    await world.stop()
    await issuer[Symbol.asyncDispose]()
  })

  const open = (entered: Answer, path = '/console', at = world) =>
    at.call('GET', path, { headers: { cookie: cookiesFrom(entered.headers).join('; ') } })
  const comeBack = (path: string, cookie = '') =>
    world.call('GET', path, { headers: { cookie, 'accept-language': 'en' } })
  const changed = (path: string, part: Record<string, string>, without = '') => {
    const url = new URL(path, world.url)
    for (const [name, value] of Object.entries(part)) url.searchParams.set(name, value)
    url.searchParams.delete(without)
    return url.pathname + url.search
  }
  const refusals = async () => {
    const rows = await database().query(selectAudit, [])
    return rows.flatMap(({ actor, after }) =>
      Reflect.get(Object(after), 'code') === undefined ? [] : [[actor, Reflect.get(Object(after), 'reason')]],
    )
  }
  const expectRefused = async (answer: Answer, text: string) => {
    expect([answer.status, answer.text.includes(text)]).toEqual([403, true])
    expect(await database().query(countSessions, [])).toEqual([{ n: 0 }])
  }

  it('leads to the page that was asked for and nowhere else, named as the issuer names them', async () => {
    Object.assign(issuer.account, { email: 'lina@host.example', email_verified: true })
    const form = await world.call('GET', '/console/sign-in?to=%2Fconsole%2Fpayments%2Fpay_1')
    const link = `${world.base}/console/sign-in/issuer?to=%2Fconsole%2Fpayments%2Fpay_1`
    expect(form.text).toContain(`href="${link}"`)
    const entered = await signInByIssuer(world, { to: '/console/payments/pay_1' })
    expect(entered.status).toBe(303)
    expect(entered.headers.get('location')).toBe(`${world.base}/console/payments/pay_1`)
    expect(entered.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ishtirak_ticket[\w.]*=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^ishtirak_console.*; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect((await open(entered)).text).toContain('oidc:lina-1 lina@host.example')
    const after = { role: 'owner', by: 'oidc' }
    const signedIn = { actor: 'oidc:lina-1 lina@host.example', act: 'operator.sign_in', after }
    expect(await database().query(selectAudit, [])).toMatchObject([signedIn])
    const { headers } = await signInByIssuer(world, { to: '//evil.example' })
    expect(headers.get('location')).toBe(`${world.base}/console`)
    const answer = await world.call('GET', '/console/sign-in/issuer?to=%2Fconsole%2Fx', {
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    const asksFirst = `${world.base}/console/sign-in?to=%2Fconsole%2Fx`
    expect([answer.status, answer.headers.get('location')]).toEqual([303, asksFirst])
  })

  it('goes out with a challenge, a state and a nonce, and ends with what configured it', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => world.call('GET', '/console/sign-in/issuer')))
    const [asked, again] = [one, other].map((answer) =>
      Object.fromEntries(new URL(answer?.headers.get('location') ?? '').searchParams),
    )
    expect(asked).toMatchObject({
      client_id: 'ishtirak',
      redirect_uri: `${world.url}/console/sign-in/return`,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile groups',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked?.[name]).toMatch(/^[\w-]{43}$/)
      expect(asked?.[name]).not.toBe(again?.[name])
    }
    expect(one?.headers.get('set-cookie')).toMatch(
      /^ishtirak_ticket[\w.]*=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const entered = await signInByIssuer(world)
    const with_ = async (env: Record<string, string>) => {
      const { clock, emulator, url: PUBLIC_URL } = world
      const options = { env: { ...issuer.env, ...env, PUBLIC_URL }, clock, emulator, isNew: true } as const
      await using other = await createWorld(database(), options)
      return (await open(entered, '/console', other)).status
    }
    expect(await with_({})).toBe(200)
    expect(await with_({ OPERATOR_OIDC_ROLE_CLAIM: 'roles' })).toBe(303)
    expect(await with_({ OPERATOR_OIDC_CLIENT_SECRET: 'another' })).toBe(303)
  })

  it('is refused without exactly one role, which the user info of the same subject may have', async () => {
    const lacks = [
      [undefined, 'it sends no claim groups', 'no_role'],
      [['staff', 'Owner'], 'its claim groups names none of viewer', 'unknown_role'],
      [['support', 'accountant'], 'its claim groups must name exactly one of viewer', 'several_roles'],
    ] as const
    for (const [groups, text, reason] of lacks) {
      issuer.account = { sub: 'lina-1', ...(groups && { groups }) }
      await expectRefused(await signInByIssuer(world), text)
      expect(await refusals()).toContainEqual(['oidc:lina-1', reason])
    }
    issuer.account = { sub: 'lina-1', groups: ['owner'] }
    issuer.claimsIn = 'userinfo'
    issuer.broken.set('/me', { status: 200, body: JSON.stringify({ sub: 'amina-1', groups: ['owner'] }) })
    await expectRefused(await signInByIssuer(world), 'did not pass')
    issuer.broken.clear()
    issuer.claimsIn = 'id_token'
    issuer.asked.length = 0
    await signInByIssuer(world)
    expect(issuer.asked).not.toContain('/me')
    issuer.claimsIn = 'userinfo'
    expect((await signInByIssuer(world)).status).toBe(303)
    expect(issuer.asked).toContain('/me')
  })

  it('is refused to an answer for another sign-in: state, nonce, verifier, browser, issuer', async () => {
    const altered = await goToIssuer(world)
    await expectRefused(await comeBack(changed(altered.path, { state: 'x' }), altered.cookie), 'did not pass')
    for (const name of ['nonce', 'code_challenge']) {
      const way = await goToIssuer(world, {
        change: ({ searchParams }) => searchParams.set(name, 'x'.repeat(43)),
      })
      await expectRefused(await comeBack(way.path, way.cookie), 'did not pass')
    }
    const [mine, theirs] = [await goToIssuer(world), await goToIssuer(world)]
    await expectRefused(await comeBack(theirs.path, mine.cookie), 'did not pass')
    await expectRefused(await comeBack(theirs.path), 'was not begun in this browser')
    const reasons = new Set(['(unknown),answer', '(unknown),not_begun'])
    expect(new Set((await refusals()).map(String))).toEqual(reasons)
    const foreign = await goToIssuer(world)
    const forged = changed(foreign.path, { iss: 'https://evil.example' })
    await expectRefused(await comeBack(forged, foreign.cookie), 'did not pass')
    const canceled = await goToIssuer(world)
    const path = changed(canceled.path, { error: 'access_denied' }, 'code')
    await expectRefused(await comeBack(path, canceled.cookie), 'was canceled')
    expect((await signInByIssuer(world)).status).toBe(303)
  })

  it('is refused to an ID token that says something else than it must, or is signed otherwise', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const keys = [{ ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig', kid: 'one' }]
    issuer.broken.set('/jwks', { status: 200, body: JSON.stringify({ keys }) })
    await expectRefused(await signInByIssuer(world), 'did not pass')
    // It claims to support every authentication method.
    const said = await (await fetch(`${issuer.url}${DISCOVERY}`)).json()
    const algorithms = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] }
    issuer.broken.set(DISCOVERY, { status: 200, body: JSON.stringify({ ...said, ...algorithms }) })
    const byKey = (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
    const bySecret = (claims: JWTPayload) => {
      const secret = new TextEncoder().encode(issuer.env.OPERATOR_OIDC_CLIENT_SECRET)
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    }
    const unsigned = async (claims: JWTPayload) => new UnsecuredJWT(claims).encode()
    const comeWith = async (lie: Readonly<Record<string, unknown>>, sign = byKey) => {
      const asked = new URLSearchParams()
      const way = await goToIssuer(world, {
        change: ({ searchParams }) => asked.set('nonce', searchParams.get('nonce') ?? ''),
      })
      const now = Math.floor(world.clock.now() / 1_000)
      const truth = { iss: issuer.url, aud: 'ishtirak', sub: 'lina-1', groups: 'owner' }
      const claims = JSON.stringify({ ...truth, iat: now, exp: now + 60, nonce: asked.get('nonce'), ...lie })
      const id_token = await sign(JSON.parse(claims))
      const body = JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token })
      issuer.broken.set('/token', { status: 200, body })
      world.clock.advance(10_000)
      return comeBack(way.path, way.cookie)
    }
    const now = Math.floor(world.clock.now() / 1_000)
    const lies = [
      ...['https://evil.example', undefined].map((iss) => ({ iss })),
      ...['another', ['ishtirak', 'another']].map((aud) => ({ aud })),
      { aud: ['ishtirak', 'another'], azp: 'another' },
      ...['x', undefined].map((nonce) => ({ nonce })),
      ...[now - 60, undefined].map((exp) => ({ exp })),
      ...[{ nbf: now + 3_600 }, { iat: undefined }],
      ...[undefined, '', 'two words'].map((sub) => ({ sub })),
    ]
    const taken: object[] = []
    for (const lie of lies) if ((await comeWith(lie)).status !== 403) taken.push(lie)
    expect(taken).toEqual([])
    for (const sign of [bySecret, unsigned]) await expectRefused(await comeWith({}, sign), 'did not pass')
    await expectRefused(await comeWith({ groups: { owner: true } }), 'it sends no claim groups')
    const truths = [{}, { azp: 'another' }, { aud: ['ishtirak', 'another'], azp: 'ishtirak' }]
    for (const truth of truths) expect([truth, (await comeWith(truth)).status]).toEqual([truth, 303])
  })

  it('answers 503 while the issuer does not, follows it nowhere, and needs no restart', async () => {
    const { url } = issuer
    const addresses = { authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token` }
    const usable = { issuer: url, ...addresses, jwks_uri: `${url}/jwks` }
    const bodies = [
      { issuer: 'https://evil.example' },
      { ...usable, authorization_endpoint: undefined },
      { ...usable, scopes_supported: 7 },
    ].map((said) => ({ status: 200, body: JSON.stringify(said) }))
    const outages = [{ status: 500, body: '' }, ...bodies]
    for (const broken of outages) {
      issuer.broken.set(DISCOVERY, broken)
      const headers = { 'accept-language': 'en' }
      const answer = await world.call('GET', '/console/sign-in/issuer', { headers })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(answer.text).toContain('does not answer at the moment')
      issuer.broken.clear()
    }
    for (const status of [502, 429]) {
      issuer.broken.set('/token', { status, body: '' })
      expect((await signInByIssuer(world)).status).toBe(503)
    }
    const elsewhere = { status: 307, body: '', location: `${issuer.url}/elsewhere` }
    const endless = { status: 200, body: JSON.stringify({ id_token: 'x'.repeat(300 * 1024) }) }
    for (const broken of [elsewhere, endless]) {
      issuer.broken.set('/token', broken)
      const answer = await signInByIssuer(world)
      expect([answer.status >= 400, await database().query(countSessions, [])]).toEqual([true, [{ n: 0 }]])
    }
    issuer.broken.clear()
    expect((await signInByIssuer(world)).status).toBe(303)
    issuer.broken.set(DISCOVERY, elsewhere)
    expect((await world.call('GET', '/console/sign-in/issuer')).status).toBe(503)
    expect(issuer.asked).not.toContain('/elsewhere')
  })

  it('is slowed after ten refusals, and takes a way back once, for ten minutes', async () => {
    for (let n = 0; n < 10; n++) expect((await comeBack('/console/sign-in/return')).status).toBe(403)
    const slowed = await goToIssuer(world)
    expect((await comeBack(slowed.path, slowed.cookie)).status).toBe(429)
    world.clock.advance(MINUTE)
    expect((await signInByIssuer(world)).status).toBe(303)
    const way = await goToIssuer(world)
    expect((await comeBack(way.path, way.cookie)).status).toBe(303)
    expect((await comeBack(way.path, way.cookie)).text).toContain('did not pass')
    const over = await goToIssuer(world)
    world.clock.advance(5 * MINUTE)
    expect((await comeBack(over.path, over.cookie)).text).toContain('did not pass')
    const late = await goToIssuer(world)
    world.clock.advance(10 * MINUTE)
    const answer = await comeBack(late.path, late.cookie)
    expect([answer.status, answer.text.includes('more than ten minutes ago')]).toEqual([403, true])
  })

  it('lets in who has a role of OPERATOR_ROLES, and by keys once an owner has made an operator', async () => {
    await world.stop()
    const env = { ...issuer.env, OPERATOR_KEYS: '', OPERATOR_ROLES: 'till=cashier+payment.refund' }
    const clock = movableClock(Date.now())
    world = await createWorld(database(), { env, clock, isNew: true })
    await issuer.serve(world.config.publicUrl)
    const form = async () => (await world.call('GET', '/console/sign-in')).text.includes('name="key"')
    expect(await form()).toBe(false)
    const { parts } = world.service
    const made = callBy({ name: 'oidc:lina-1', role: 'owner' }, '', { name: 'nora', role: 'till', why: 'x' })
    const { key } = Object(await doAct(parts, createOperatorAct, made))
    expect(await form()).toBe(true)
    const nora = await enterConsole(world, key)
    expect((await nora.open('/console/operators')).text).toContain('nora')
    Object.assign(issuer.account, { groups: ['staff', 'till'] })
    const entered = await signInByIssuer(world)
    const statuses = async (at = world) => {
      const paths = ['/console/payments', '/console/users/user-1/record', '/console/operators/create']
      return Promise.all(paths.map(async (path) => (await open(entered, path, at)).status))
    }
    expect(await statuses()).toEqual([200, 404, 403])
    Object.assign(issuer.account, { groups: ['till', 'cashier'] })
    expect((await signInByIssuer(world)).status).toBe(403)
    expect(await refusals()).toContainEqual(['oidc:lina-1', 'several_roles'])
    // A session needs its role.
    await world.stop()
    const other = { ...env, OPERATOR_ROLES: 'desk=cashier' }
    world = await createWorld(database(), { env: other, clock, isNew: true })
    expect(await statuses()).toEqual([303, 303, 303])
  })
})
