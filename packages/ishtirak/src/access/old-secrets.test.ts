import { createHmac } from 'node:crypto'
import { makeCodes, PERCENT } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { captureLog } from '../../../../test/support/example-app.js'
import { signInByIssuer, startIssuer } from '../../../../test/support/issuer.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { CHARGILY_KEY, createWorld, JWT_SECRET, tokenOf, type World } from '../../../../test/support/world.js'
import { movableClock } from '../runtime/clock.js'

const NEW_SECRET = 'the secret that takes the place of that of the tests'
const [OLD_KEY, NEW_KEY] = ['the-old-key-of-the-tests-of-secrets', 'the-new-key-of-the-tests-of-secrets']
const [OLD_OPERATOR, NEW_OPERATOR] = ['the-old-key-of-an-operator', 'the-new-key-of-an-operator']
const codesKey = (age: string) => `the-${age}-key-of-the-codes-of-the-tests`
const [OLD_CODES, NEW_CODES] = [codesKey('old'), codesKey('new')]
const OLD_WEBHOOK_KEY = 'test_sk_old0000000000000000000000000000000'
const ROTATING = {
  AUTH_JWT_SECRET: `${NEW_SECRET}, ${JWT_SECRET}`,
  PLATFORM_API_KEYS: `${NEW_KEY},${OLD_KEY}`,
  OPERATOR_KEYS: `amina:${NEW_OPERATOR},yacine:${OLD_OPERATOR}-2,amina:${OLD_OPERATOR}`,
  CODE_KEYS: `${NEW_CODES},${OLD_CODES}`,
  CHARGILY_WEBHOOK_KEYS: OLD_WEBHOOK_KEY,
}

describeScenario('a secret that is rotated', ({ database }) => {
  let world: World
  afterEach(() => world.stop())
  const rotating = () => createWorld(database(), { env: ROTATING, isNew: true })

  const statusWith = async (authorization: string, path: string) =>
    (await world.call('GET', path, { headers: { authorization: `Bearer ${authorization}` } })).status
  const webhookWith = (key: string, id: string) => {
    const body = JSON.stringify({ id, entity: 'event', type: 'other', data: {} })
    const signature = createHmac('sha256', key).update(body).digest('hex')
    return world.call('POST', '/api/v1/billing/webhook', {
      body,
      headers: { signature, 'content-type': 'application/json' },
    })
  }
  /** Returns `list holder place` and the last use, for this process. */
  const uses = () =>
    world.service.parts.oldSecrets
      .uses()
      .map(({ list, holder, place, usedAt }) => [[list, holder, place].join(' '), usedAt] as const)
  const lastUse = (name: string) => uses().find(([one]) => one === name)?.[1]

  it('lets in with the new and the old one: users, platform, operators, webhooks', async () => {
    world = await rotating()
    const token = (secret: string) => tokenOf({ sub: 'user-1' }, secret)
    const GIVEN = {
      '/api/v1/billing/status': [await token(NEW_SECRET), await token(JWT_SECRET)],
      '/api/v1/platform/users/user-1': [NEW_KEY, OLD_KEY],
      '/api/v1/operator/payments': [NEW_OPERATOR, OLD_OPERATOR],
    }
    for (const [path, secrets] of Object.entries(GIVEN))
      for (const given of secrets) expect([given, await statusWith(given, path)]).toEqual([given, 200])
    for (const secret of [ROTATING.AUTH_JWT_SECRET, `${JWT_SECRET} `, 'another secret'.repeat(3)])
      expect(await statusWith(await token(secret), '/api/v1/billing/status')).toBe(401)
    for (const [index, key] of [CHARGILY_KEY, OLD_WEBHOOK_KEY].entries())
      expect((await webhookWith(key, `evt_${index}`)).status).toBe(200)
    expect((await webhookWith('test_sk_other', 'evt_other')).status).toBe(401)
  })

  it('stands in the log and in a metric when it is used: once an hour, and never itself', async () => {
    const { log, lines } = captureLog()
    world = await createWorld(database(), { env: ROTATING, log, isNew: true })
    const [JWT, PLATFORM, CODES] = ['AUTH_JWT_SECRET  2', 'PLATFORM_API_KEYS  2', 'CODE_KEYS  2']
    const [AMINA, WEBHOOK] = ['OPERATOR_KEYS amina 2', 'CHARGILY_WEBHOOK_KEYS  1']
    expect(uses()).toEqual([JWT, PLATFORM, CODES, AMINA, WEBHOOK].map((name) => [name, null]))
    const use = () => statusWith(OLD_KEY, '/api/v1/platform/users/user-1')
    const logged = () => lines.filter((line) => line.includes('an old secret was used'))
    for (const minutes of [0, 59, 1, 59]) {
      world.clock.advance(minutes * 60_000)
      await use()
    }
    expect(logged()).toHaveLength(2)
    expect(logged()[0]).toContain('"list":"PLATFORM_API_KEYS","holder":null,"place":2,"of":2')
    await statusWith(await tokenOf({ sub: 'user-1' }, JWT_SECRET), '/api/v1/billing/status')
    await statusWith(await tokenOf({ sub: 'user-1' }, NEW_SECRET), '/api/v1/billing/status')
    await statusWith(NEW_KEY, '/api/v1/platform/users/user-1')
    await enterConsole(world, OLD_OPERATOR)
    await webhookWith(OLD_WEBHOOK_KEY, 'evt_1')
    const now = world.clock.now()
    expect(uses()).toEqual([
      ...[[JWT, now] as const, [PLATFORM, now] as const, [CODES, null] as const],
      ...[[AMINA, now] as const, [WEBHOOK, now] as const],
    ])
    const { text } = await world.service.metrics.render()
    const name = 'ishtirak_old_secret_last_use_timestamp_seconds'
    expect(text).toContain(`${name}{list="PLATFORM_API_KEYS",holder="",place="2"} ${now / 1_000}`)
    for (const secret of Object.values(ROTATING).flatMap((list) => list.split(',')))
      expect(`${lines.join('')}${text}`).not.toContain(secret.trim().slice(-12))
  })

  it('of codes still reads those that it made, and makes no new ones', async () => {
    world = await createWorld(database(), { env: { ...ROTATING, CODE_KEYS: OLD_CODES }, isNew: true })
    const { code: old } = await makeCodes(operatorOf(world, NEW_OPERATOR), PERCENT)
    await world.stop()
    world = await rotating()
    const { code: fresh } = await makeCodes(operatorOf(world, NEW_OPERATOR), PERCENT)
    const quoted = async (userId: string, code: string) => {
      const token = await tokenOf({ sub: userId }, NEW_SECRET)
      const path = `/api/v1/billing/quote?plan=pro&months=1&code=${encodeURIComponent(code)}`
      return statusWith(token, path)
    }
    expect(await quoted('user-1', fresh)).toBe(200)
    expect(lastUse('CODE_KEYS  2')).toBeNull()
    expect(await quoted('user-2', old)).toBe(200)
    expect(lastUse('CODE_KEYS  2')).toBe(world.clock.now())
    await world.stop()
    world = await createWorld(database(), { env: { ...ROTATING, CODE_KEYS: NEW_CODES }, isNew: true })
    expect(await quoted('user-1', fresh)).toBe(200)
    expect(await quoted('user-2', old)).not.toBe(200)
  })

  it('of the issuer is sent where it does not know the new one yet', async () => {
    await using issuer = await startIssuer()
    const secret = issuer.env.OPERATOR_OIDC_CLIENT_SECRET
    const clock = movableClock(Date.now())
    const env = { ...ROTATING, ...issuer.env, OPERATOR_OIDC_CLIENT_SECRET: `the next one, ${secret}` }
    world = await createWorld(database(), { env, clock })
    await issuer.serve(world.config.publicUrl)
    const entered = await signInByIssuer(world)
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${world.base}/console`])
    expect(lastUse('OPERATOR_OIDC_CLIENT_SECRET  2')).not.toBeNull()
  })
})
