import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { DAY, HOUR } from '../core/instant.js'

const DEPLOYS = 'deploys_per_day'
const HOURS = 3_600
const DAYS = 24 * HOURS

describeWorldOnEach('limits', {}, ({ world, restart }) => {
  const platform = () => platformFor(world, 'user-1')
  const deploy = async (id: string) => (await platform().consume(DEPLOYS, { operation_id: id })).body
  const deployTimes = async (count: number, prefix = 'deploy') => {
    for (let n = 1; n <= count; n++) await deploy(`${prefix}-${n}`)
  }

  it('answers yes and no with the figures after the operation, exactly six fields', async () => {
    await deployTimes(9)
    const answer = async (id: string) => (await platform().consume(DEPLOYS, { operation_id: id })).text
    // Noon UTC is 13:00 in Algiers: the day ends at 23:00 UTC.
    const day = '"resets_at":"2026-11-21T23:00:00Z"'
    const full = `"limit":10,"used":10,"remaining":0,${day}`
    expect(await answer('deploy-10')).toBe(`{"allowed":true,${full},"reason":null}`)
    expect(await answer('deploy-11')).toBe(`{"allowed":false,${full},"reason":"limit_reached"}`)
  })

  it('forgets an operation after 48 hours, not earlier', async () => {
    await deploy('deploy-1')
    await world.advance(48 * HOURS)
    expect((await deploy('deploy-1')).resets_at).toBe('2026-11-21T23:00:00Z')
    await world.advance(1)
    expect((await deploy('deploy-1')).resets_at).toBe('2026-11-23T23:00:00Z')
  })

  it('refuses a release’s id that gave back another operation: 409, and nothing is lost', async () => {
    for (const id of ['deploy-1', 'deploy-2']) await deploy(id)
    const back = (of: string) =>
      platform().release(DEPLOYS, { operation_id: 'back', consume_operation_id: of })
    expect((await back('deploy-1')).body.used).toBe(1)
    expect((await back('deploy-1')).body.used).toBe(1)
    expect((await back('deploy-2')).body.code).toBe('conflict')
  })

  it('lets a refused operation through from the first question after the webhook’s 200', async () => {
    await deployTimes(10)
    const { checkoutId } = await world.as('user-1').upgrade()
    // The service has just read the user, and relies on that.
    expect(await deploy('deploy-11')).toMatchObject({ allowed: false, limit: 10 })
    await world.pay(checkoutId, 'paid', 'cib')
    expect(await deploy('deploy-11')).toMatchObject({ allowed: true, limit: 50, used: 11, remaining: 39 })
  })

  it('deletes nothing when the plan ends, refuses to create, and says by how much', async () => {
    const reported = await platform().report('projects', { used: 7 })
    expect(reported.body).toMatchObject({ limit: 3, used: 7, remaining: 0, resets_at: null })
    await world.as('user-1').buy()
    await platform().report('domains_per_project', { used: 5, project_id: 'shop' })
    // Bought on 21 November: 30 days of plan, 3 days of grace.
    world.clock.advance((33 * DAYS - 1) * 1_000)
    expect((await platform().read()).body).toMatchObject({ plan: 'pro', status: 'past_due', over_limit: [] })
    world.clock.advance(1_000)
    const { body } = await platform().read()
    expect(body).toMatchObject({ plan: 'free', status: 'expired', usage: { projects: 7 } })
    expect(body.over_limit).toEqual([
      { limit: 'projects', used: 7, max: 3 },
      { limit: 'domains_per_project', project_id: 'shop', used: 5, max: 1 },
    ])
    const created = await platform().consume('projects', { operation_id: 'p-8' })
    expect(created.body).toMatchObject({ allowed: false, limit: 3, used: 7, reason: 'over_limit' })
  })

  it('keeps the profile that the platform sets: absent stays, null clears', async () => {
    await platform().update({ email: 'a@example.dz', name: 'أمين', locale: 'ar' })
    const { body } = await platform().update({ name: null })
    expect(body).toMatchObject({ user_id: 'user-1', email: 'a@example.dz', name: null, locale: 'ar' })
    expect((await platform().update({})).text).toBe((await platform().read()).text)
  })

  it('shows the user the same as the platform: the next renewal, and their open checkout', async () => {
    await deployTimes(2)
    const overview = async () => (await world.as('user-1').get('/api/v1/billing/overview')).body
    const { pending_payment: none, time, ...same } = await overview()
    expect([none, time, same]).toEqual([null, [], (await platform().read()).body])
    expect(same.renewal).toEqual({
      ...{ allowed: true, plan: 'pro', amount: 2000, currency: 'DZD', renewable_from: null },
      ...{ would_start: '2026-11-21T12:00:00Z', would_end: '2026-12-21T12:00:00Z' },
    })
    const { paymentId, checkoutUrl } = await world.as('user-1').upgrade()
    expect((await overview()).pending_payment).toMatchObject({ id: paymentId, checkout_url: checkoutUrl })
    await world.emulator.advance(30 * 60)
    expect((await overview()).pending_payment).toBe(null)
  })

  it('are asked for by the platform without a quota of calls', async () => {
    await restart({ env: { RATE_LIMIT_PER_MINUTE: '1' } })
    for (let calls = 0; calls < 3; calls++) expect((await platform().read()).status).toBe(200)
  })
})

describeWorldOnEach('the history of limits', {}, ({ world }) => {
  let operations = 0
  const consume = async (user: string, amount: number, operation_id = `op-${operations++}`) =>
    (await platformFor(world, user).consume('deploys_per_day', { amount, operation_id })).body
  const history = async (user: string, query = '') =>
    (await operatorOf(world, ROLE_KEYS.viewer).get(`/users/${user}/limits/history${query}`)).body

  it('has an hour for each in which something was refused, with how often and how much', async () => {
    await world.as('user-1').buy()
    const { limit: most } = await consume('user-1', 1)
    await consume('user-1', most - 1)
    expect((await history('user-1')).data).toEqual([])
    expect((await consume('user-1', 2)).allowed).toBe(false)
    world.clock.advance(60_000)
    await Promise.all([1, 1, 1].map((amount) => consume('user-1', amount)))
    const full = { limit: 'deploys_per_day', scope: '', used: most, maximum: most }
    const first = { ...full, refused: 4, asked: 5, first_at: '2026-11-21T12:00:00Z' }
    expect((await history('user-1')).data).toEqual([{ ...first, last_at: '2026-11-21T12:01:00Z' }])
    world.clock.advance(HOUR)
    await consume('user-1', 1)
    const page = await history('user-1', '?limit=1')
    expect(page.data).toMatchObject([{ ...full, refused: 1, first_at: '2026-11-21T13:01:00Z' }])
    expect((await history('user-1', `?limit=1&cursor=${page.next_cursor}`)).data).toMatchObject([first])
    const visit = await enterConsole(world, ROLE_KEYS.viewer)
    expect(wordsOf((await visit.open('/console/users/user-1')).text)).toContain(`${most} / ${most}`)
    expect((await history('user-2')).code).toBe('not_found')
    await world.advance((30 * DAY) / 1_000 + 7_200)
    expect((await history('user-1')).data).toEqual([])
  })
})
