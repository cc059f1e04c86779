// The platform's day with the limits: it asks on every deploy, the day turns, the user pays in the middle of
// it, the plan ends. Everything through HTTP.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { instantOf } from '../../../../test/support/fixtures.js'
import { platformFor, WITH_PLATFORM } from '../../../../test/support/platform.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { movableClock } from '../runtime/clock.js'

const DEPLOYS = 'deploys_per_day'
const HOURS = 3_600
const DAYS = 24 * HOURS

describeScenario('limits', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: WITH_PLATFORM })
  })
  afterEach(() => world.stop())

  const platform = () => platformFor(world, 'user-1')
  const deploy = async (id: string) => (await platform().consume(DEPLOYS, { operation_id: id })).body
  const deployTimes = async (count: number, prefix = 'deploy') => {
    for (let n = 1; n <= count; n++) await deploy(`${prefix}-${n}`)
  }

  it('answers yes with the figures after the operation, exactly six fields', async () => {
    const { status, text } = await platform().consume(DEPLOYS, { operation_id: 'deploy-1' })
    // Noon UTC is 13:00 in Algiers: the day ends at 23:00 UTC.
    expect([status, text]).toEqual([
      200,
      '{"allowed":true,"limit":10,"used":1,"remaining":9,"resets_at":"2026-11-21T23:00:00Z","reason":null}',
    ])
  })

  it('answers no as an answer: 200, with the reason', async () => {
    await deployTimes(10)
    const { status, text } = await platform().consume(DEPLOYS, { operation_id: 'deploy-11' })
    expect([status, text]).toEqual([
      200,
      '{"allowed":false,"limit":10,"used":10,"remaining":0,"resets_at":"2026-11-21T23:00:00Z",' +
        '"reason":"limit_reached"}',
    ])
  })

  it('lets exactly 10 of 200 parallel calls through', async () => {
    const calls = Array.from({ length: 200 }, (_, n) => deploy(`deploy-${n}`))
    const allowed = (await Promise.all(calls)).filter((answer) => answer.allowed)
    expect(allowed).toHaveLength(10)
  })

  it('answers a repeated operation with the identical body, also on the next day', async () => {
    const first = await platform().consume(DEPLOYS, { operation_id: 'deploy-1', amount: 3 })
    await deployTimes(2, 'other')
    await world.advance(12 * HOURS)
    const again = await platform().consume(DEPLOYS, { operation_id: 'deploy-1', amount: 3 })
    expect(again.text).toBe(first.text)
    expect((await platform().read()).body.usage.deploys_per_day).toBe(0)
  })

  it('forgets an operation after 48 hours, not earlier', async () => {
    await deploy('deploy-1')
    await world.advance(48 * HOURS)
    expect((await deploy('deploy-1')).resets_at).toBe('2026-11-21T23:00:00Z')
    await world.advance(1)
    expect((await deploy('deploy-1')).resets_at).toBe('2026-11-23T23:00:00Z')
  })

  it('refuses an operation id that stands for another amount or another limit: 409', async () => {
    await deploy('deploy-1')
    const other = await platform().consume(DEPLOYS, { operation_id: 'deploy-1', amount: 2 })
    const elsewhere = await platform().consume('projects', { operation_id: 'deploy-1' })
    expect([other.status, other.body.code, elsewhere.status]).toEqual([409, 'conflict', 409])
    // Another user's operations are other operations.
    const theirs = await platformFor(world, 'user-2').consume(DEPLOYS, {
      operation_id: 'deploy-1',
      amount: 2,
    })
    expect(theirs.body.used).toBe(2)
  })

  it('does not remember a no: after the upgrade the same operation is let through', async () => {
    await deployTimes(10)
    expect((await deploy('deploy-11')).allowed).toBe(false)
    await world.as('user-1').buy()
    expect(await deploy('deploy-11')).toMatchObject({ allowed: true, limit: 50, used: 11, remaining: 39 })
  })

  it(
    'knows the new limit from the first question after the webhook’s 200, and keeps what was ' + 'used',
    async () => {
      await deployTimes(10)
      const { checkoutId } = await world.as('user-1').upgrade()
      // The service has just looked at the user, and believes what it saw.
      expect((await deploy('before')).limit).toBe(10)
      await world.emulator.pay(checkoutId, 'paid', 'cib')
      await world.emulator.settled()
      expect(await deploy('after')).toMatchObject({ allowed: true, limit: 50, used: 11 })
    },
  )

  it('gives back, and never below zero', async () => {
    await deployTimes(2)
    const release = (id: string) => platform().release(DEPLOYS, { operation_id: id })
    expect((await release('r-1')).body).toMatchObject({ allowed: true, used: 1, remaining: 9, reason: null })
    expect((await release('r-1')).body.used).toBe(1)
    expect((await release('r-2')).body.used).toBe(0)
    expect((await release('r-3')).body.used).toBe(0)
  })

  it('gives back what an operation consumed, once, when its id is named', async () => {
    await platform().consume('storage_mb', { operation_id: 'upload-1', amount: 300 })
    await platform().consume('storage_mb', { operation_id: 'upload-2', amount: 100 })
    const undo = (body: object) => platform().release('storage_mb', body)
    expect((await undo({ operation_id: 'upload-1', amount: 50 })).body.used).toBe(350)
    expect((await undo({ operation_id: 'undo', consume_operation_id: 'upload-1' })).body.used).toBe(100)
    expect((await undo({ operation_id: 'again', consume_operation_id: 'upload-1' })).body.used).toBe(100)
  })

  it('does not free a place of today for a deploy of yesterday', async () => {
    await world.advance(10 * HOURS + 3_500)
    await deploy('late')
    await world.advance(200)
    await deployTimes(3, 'today')
    const released = await platform().release(DEPLOYS, { operation_id: 'late' })
    expect(released.body).toMatchObject({ used: 3, resets_at: '2026-11-22T23:00:00Z' })
  })

  it('counts domains for each project, and wants the project named there and nowhere else', async () => {
    const add = (body: object) => platform().consume('domains_per_project', body)
    expect((await add({ operation_id: 'd-1', project_id: 'shop' })).body.allowed).toBe(true)
    expect((await add({ operation_id: 'd-2', project_id: 'shop' })).body.allowed).toBe(false)
    expect((await add({ operation_id: 'd-3', project_id: 'blog' })).body.allowed).toBe(true)
    const missing = await add({ operation_id: 'd-4' })
    expect([missing.status, missing.body.errors[0].pointer]).toEqual([422, '/project_id'])
    const extra = await platform().consume('projects', { operation_id: 'p-1', project_id: 'shop' })
    expect([extra.status, extra.body.errors[0].code]).toEqual([422, 'not_allowed'])
    expect((await platform().read()).body.usage.domains_per_project).toEqual({ shop: 1, blog: 1 })
    // The project is gone: the platform reports 0, and nothing is left of it.
    await platform().report('domains_per_project', { used: 0, project_id: 'shop' })
    expect((await platform().read()).body.usage.domains_per_project).toEqual({ blog: 1 })
  })

  it('takes the platform’s own count as it is, above the limit too', async () => {
    const answer = await platform().report('storage_mb', { used: 700 })
    expect(answer.body).toMatchObject({ limit: 500, used: 700, remaining: 0, resets_at: null })
    const more = await platform().consume('storage_mb', { operation_id: 'upload' })
    expect(more.body).toMatchObject({ allowed: false, used: 700, reason: 'over_limit' })
    expect((await platform().report('storage_mb', { used: 499 })).body.remaining).toBe(1)
  })

  it('deletes nothing when the plan ends, refuses to create, and says by how much', async () => {
    await world.as('user-1').buy()
    await platform().report('projects', { used: 7 })
    await platform().report('domains_per_project', { used: 5, project_id: 'shop' })
    // Bought on 21 November: 30 days of plan, 3 days of grace.
    await world.advance(33 * DAYS - 1)
    expect((await platform().read()).body).toMatchObject({ plan: 'pro', status: 'past_due', over_limit: [] })
    await world.advance(1)
    const { body } = await platform().read()
    expect(body).toMatchObject({ plan: 'free', status: 'expired', usage: { projects: 7 } })
    expect(body.over_limit).toEqual([
      { limit: 'projects', used: 7, max: 3 },
      { limit: 'domains_per_project', project_id: 'shop', used: 5, max: 1 },
    ])
    const created = await platform().consume('projects', { operation_id: 'p-8' })
    expect(created.body).toMatchObject({ allowed: false, limit: 3, used: 7, reason: 'over_limit' })
  })

  it('shows what a renewal would buy, and when it can be bought', async () => {
    const renewal = async () => (await platform().read()).body.renewal
    expect(await renewal()).toEqual({
      allowed: true,
      plan: 'pro',
      amount: 2000,
      currency: 'DZD',
      would_start: '2026-11-21T12:00:00Z',
      would_end: '2026-12-21T12:00:00Z',
      renewable_from: null,
    })
    await world.as('user-1').buy()
    const next = { would_start: '2026-12-21T12:00:00Z', would_end: '2027-01-21T12:00:00Z' }
    const from = { renewable_from: '2026-12-14T12:00:00Z' }
    expect(await renewal()).toMatchObject({ allowed: false, ...next, ...from })
    await world.advance(23 * DAYS)
    expect(await renewal()).toMatchObject({ allowed: true, ...next, ...from })
  })

  it('keeps the profile that the platform sets: absent stays, null clears', async () => {
    await platform().update({ email: 'a@example.dz', name: 'أمين', locale: 'ar' })
    const { body } = await platform().update({ name: null })
    expect(body).toMatchObject({ user_id: 'user-1', email: 'a@example.dz', name: null, locale: 'ar' })
    expect((await platform().update({})).text).toBe((await platform().read()).text)
  })

  it('shows the user the same as the platform, with their open checkout', async () => {
    await deployTimes(2)
    const overview = async () => (await world.as('user-1').get('/api/v1/billing/overview')).body
    const { pending_payment: none, time, ...same } = await overview()
    expect([none, time, same]).toEqual([null, [], (await platform().read()).body])
    const { paymentId, checkoutUrl } = await world.as('user-1').upgrade()
    expect((await overview()).pending_payment).toMatchObject({ id: paymentId, checkout_url: checkoutUrl })
    await world.advance(30 * 60)
    expect((await overview()).pending_payment).toBe(null)
  })
})

describeScenario('the day of a limit', ({ database }) => {
  /** What three deploys that take all of a day are answered: two at `now`, and one after `seconds`. */
  const deploysAt = async (now: string, seconds: number, zone?: string) => {
    await using world = await createWorld(database(), {
      clock: movableClock(instantOf(now)),
      env: { ...WITH_PLATFORM, ...(zone ? { QUOTA_TIMEZONE: zone } : {}) },
    })
    const deploy = async (id: string) => {
      const asked = { operation_id: id, amount: 10 }
      const { body } = await platformFor(world, `at-${now}`).consume(DEPLOYS, asked)
      return [body.allowed, body.resets_at]
    }
    const first = await deploy('one')
    world.clock.advance((seconds - 1) * 1_000)
    const second = await deploy('two')
    world.clock.advance(1_000)
    return [first, second, (await deploy('three'))[0]]
  }

  it('ends at midnight in Algiers, and in a zone with summer time after 23 or 25 hours', async () => {
    for (const [now, end, seconds, isNewDay, zone] of [
      ['2026-11-21T22:59:59Z', '2026-11-21T23:00:00Z', 1, true, undefined],
      // Midnight UTC turns nothing.
      ['2026-11-21T23:59:59Z', '2026-11-22T23:00:00Z', 1, false, undefined],
      ['2026-12-31T22:59:59Z', '2026-12-31T23:00:00Z', 1, true, undefined],
      ['2028-02-28T22:59:59Z', '2028-02-28T23:00:00Z', 1, true, undefined],
      // The night of 29 March 2026 has no 02:00 in Paris: from 23:00 UTC to 22:00 UTC.
      ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 23 * HOURS, true, 'Europe/Paris'],
      // The night of 25 October 2026 has 02:00 twice: from 22:00 UTC to 23:00 UTC.
      ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 25 * HOURS, true, 'Europe/Paris'],
    ] as const)
      expect([now, ...(await deploysAt(now, seconds, zone))]).toEqual([
        now,
        [true, end],
        [false, end],
        isNewDay,
      ])
  })
})

describeScenario('the platform’s key', ({ database }) => {
  it('opens the door; without any the whole part is 404', async () => {
    await using world = await createWorld(database())
    const platform = platformFor(world, 'user-1')
    const answers = await Promise.all([
      platform.read(),
      platform.consume(DEPLOYS, { operation_id: 'a' }),
      platform.consume(DEPLOYS, 'not even JSON'),
    ])
    for (const { status, body } of answers) expect([status, body.code]).toEqual([404, 'not_found'])
  })

  it('answers 401 to a user’s token and to a wrong key, before anything is read', async () => {
    await using world = await createWorld(database(), { env: WITH_PLATFORM })
    const mine = await world.as('user-1').get('/api/v1/platform/users/user-1')
    const wrong = await world.call('POST', '/api/v1/platform/users/user-1/limits/x/consume', {
      body: 'not even JSON',
      headers: { authorization: 'Bearer another_key_of_the_same_length' },
    })
    expect([mine.status, wrong.status]).toEqual([401, 401])
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  it('has no quota on calls: 400 in a minute are answered', async () => {
    await using world = await createWorld(database(), { env: WITH_PLATFORM })
    const calls = Array.from({ length: 400 }, () => platformFor(world, 'user-1').read())
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true)
  })
})
