import { createHmac } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { makeCodes, PERCENT } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { signInByIssuer, startIssuer } from '../../../../test/support/issuer.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { sql } from '../../../../test/support/sql.js'
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
const rows = sql('select * from old_secrets order by list, fingerprint')

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
  const seen = async () =>
    (await operatorOf(world, NEW_OPERATOR).get('/health')).body.checks.flatMap(
      ({ subject, verdict, found }: Record<string, string>) =>
        subject === 'secrets' ? [`${verdict} ${found}`] : [],
    )

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

  it('is watched from its first start behind another, and said with the hour of its last use', async () => {
    world = await rotating()
    expect(await seen()).toContain(
      'ok AUTH_JWT_SECRET, 2 of 2: looked for once the service has started with it',
    )
    await world.advance(60)
    const lists = ['AUTH_JWT_SECRET', 'PLATFORM_API_KEYS', 'CODE_KEYS', 'OPERATOR_KEYS (amina)']
    const places = [...lists.map((list) => `ok ${list}, 2 of 2`), 'ok CHARGILY_WEBHOOK_KEYS, 1 of 1']
    const unused = places.map((place) => `${place}: no use was seen since 2026-11-21T12:01:00Z`)
    expect(await seen()).toEqual(unused)
    await world.advance(3_600)
    await statusWith(await tokenOf({ sub: 'user-1' }, JWT_SECRET), '/api/v1/billing/status')
    await statusWith(await tokenOf({ sub: 'user-1' }, NEW_SECRET), '/api/v1/billing/status')
    await statusWith(NEW_KEY, '/api/v1/platform/users/user-1')
    await enterConsole(world, OLD_OPERATOR)
    await webhookWith(OLD_WEBHOOK_KEY, 'evt_1')
    await world.advance(60)
    const used = places.map((place) => `${place}: last used 2026-11-21T13:01:00Z`)
    expect(await seen()).toEqual([used[0], ...unused.slice(1, 3), ...used.slice(3)])
  })

  it('costs one write an hour, and none in a request; a stop writes what is left', async () => {
    world = await rotating()
    /** The job that saves runs each minute. */
    const pass = async (minutes: number) => {
      world.clock.advance(minutes * 60_000)
      await world.service.parts.oldSecrets.save(database(), 'hourly')
    }
    await pass(1)
    const uses = async () => (await database().query(rows, [])).map(({ used_at }) => used_at)
    const use = () => statusWith(OLD_KEY, '/api/v1/platform/users/user-1')
    const written = async () => (await uses()).filter((usedAt) => usedAt !== null).map(Number)
    for (const minutes of [20, 20, 19]) {
      await use()
      await pass(minutes)
      expect(await written()).toEqual([])
    }
    await use()
    const atOne = world.clock.now()
    await pass(1)
    expect(await written()).toEqual([atOne])
    await pass(10)
    await use()
    const last = world.clock.now()
    await pass(1)
    expect(await written()).toEqual([atOne])
    await world.stop()
    expect(await written()).toEqual([last])
    // No row has a secret, nor a piece of one.
    const stored = JSON.stringify(await database().query(rows, []))
    for (const secret of Object.values(ROTATING).flatMap((list) => list.split(',')))
      expect(stored).not.toContain(secret.trim().slice(-12))
    world = await rotating()
    expect(await seen()).toContainEqual(
      `ok PLATFORM_API_KEYS, 2 of 2: last used ${new Date(last).toISOString().slice(0, 19)}Z`,
    )
  })

  it('of codes still reads those that it made, and makes no new ones', async () => {
    world = await createWorld(database(), { env: { ...ROTATING, CODE_KEYS: OLD_CODES }, isNew: true })
    const { code: old } = await makeCodes(operatorOf(world, NEW_OPERATOR), PERCENT)
    await world.stop()
    world = await rotating()
    const { code: fresh } = await makeCodes(operatorOf(world, NEW_OPERATOR), PERCENT)
    await world.advance(3_660)
    const quoted = async (userId: string, code: string) => {
      const token = await tokenOf({ sub: userId }, NEW_SECRET)
      const path = `/api/v1/billing/quote?plan=pro&months=1&code=${encodeURIComponent(code)}`
      return statusWith(token, path)
    }
    expect(await quoted('user-1', fresh)).toBe(200)
    await world.advance(3_660)
    expect(await seen()).toContainEqual(expect.stringContaining('CODE_KEYS, 2 of 2: no use was seen'))
    expect(await quoted('user-2', old)).toBe(200)
    await world.advance(3_660)
    const used = 'ok CODE_KEYS, 2 of 2: last used 2026-11-21T14:02:00Z'
    expect(await seen()).toContainEqual(used)
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
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${world.base}/console/year`])
    await world.service.parts.oldSecrets.save(database(), 'all')
    expect(await seen()).toContainEqual(
      expect.stringContaining('OPERATOR_OIDC_CLIENT_SECRET, 2 of 2: last used'),
    )
  })
})
