import { makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE, TRIAL_PLANS } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { writtenEvents } from '../../../../test/support/written-events.js'

const DAY = 86_400
const ENV = { PLANS_FILE: TRIAL_PLANS, TRANSFER_FILE, BALANCE_MAX: '50000' }
const END = '2026-12-01T12:00:00Z'

const selectMails = sql(
  'select kind, left(about, 4) as about from mails where user_id = $1 order by queued_at',
)

describeWorldOnEach('a trial', { env: ENV }, ({ world, database }) => {
  const start = (userId: string, body: object = { plan: 'pro' }) =>
    platformFor(world, userId).post('/trial', body)
  const startAnswer = async (...given: Parameters<typeof start>) => {
    const { status, body } = await start(...given)
    return [status, body.code ?? body.status]
  }
  const statusOf = async (userId: string) => (await world.as(userId).get('/api/v1/billing/status')).body
  const ofState = async (state: string) => {
    const { body } = await operatorOf(world).get(`/users?state=${state}`)
    return body.data.map(({ user_id }: { user_id: string }) => user_id)
  }
  const typesOf = async (userId: string) =>
    (await writtenEvents(database(), userId)).map(({ type }: { type: string }) => type)

  it('is given once, also where it is asked for twice at once, with an event and a mail', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => start('user-1')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const trial = { plan: 'pro', status: 'active', current_period_end: END, payment_method: null }
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(trial)
    expect(await statusOf('user-1')).toEqual(trial)
    const { time } = (await operatorOf(world).get('/users/user-1')).body
    expect(time).toMatchObject([{ given_by: 'trial', plan: 'pro', end: END }])
    const { open } = await enterPortal(world, 'user-1')
    expect(wordsOf((await open()).text)).toContain('Pro Trial')
    for (const path of ['/portal', '/portal/plans'])
      expect(wordsOf((await open(path)).text)).toMatch(/^(?!.*Renew).*Subscribe to Pro/)
    const visit = await enterConsole(world, ROLE_KEYS.viewer)
    expect(wordsOf((await visit.open('/console/users/user-1')).text)).toContain('where the trial ends')
    const [event, ...others] = await writtenEvents(database(), 'user-1')
    expect(others).toEqual([])
    expect(event).toMatchObject({
      type: 'subscription.granted',
      data: {
        subscription: { plan: 'pro', payment_method: null },
        grant: { source: 'trial', plan: 'pro', months: 0, days: 10, period_end: END },
      },
    })
    expect(await database().query(selectMails, ['user-1'])).toEqual([{ kind: 'granted', about: 'tri_' }])
    await world.advance(40 * DAY)
    expect(await startAnswer('user-1')).toEqual([409, 'conflict'])
  })

  it('is for users who never had paid time; days that an operator granted are none', async () => {
    const operator = operatorOf(world)
    const { paymentId } = await world.as('bought').buy()
    await operator.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const { code } = await makeCodes(operator, VOUCHER)
    await world.as('redeemed').post('/api/v1/billing/redeem', { code })
    for (const userId of ['bought', 'redeemed'])
      expect([userId, ...(await startAnswer(userId))]).toEqual([userId, 409, 'conflict'])
    await setProfile(world, 'granted', { name: 'Amina' })
    await operator.post('/users/granted/grant', { days: 2, plan: 'team', why: 'an outage' })
    expect((await start('granted')).body).toMatchObject({
      plan: 'team',
      current_period_end: '2026-12-03T12:00:00Z',
    })
  })

  it('is given by the platform alone, of a plan that has one', async () => {
    expect(await startAnswer('user-1', { plan: 'gold' })).toEqual([422, 'unknown_plan'])
    for (const plan of ['team', 'free', undefined]) {
      const { status, body } = await start('user-1', { plan })
      expect([plan, status, body.errors]).toMatchObject([plan, 422, [{ pointer: '/plan' }]])
    }
    expect((await world.as('user-1').post('/api/v1/billing/trial', { plan: 'pro' })).status).toBe(404)
    expect((await statusOf('user-1')).plan).toBe('free')
  })

  it('does not stand in the way of any purchase, which starts at its end', async () => {
    const bought = (userId: string, order: object) =>
      world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', ...order })
    for (const userId of ['card', 'dearer', 'transfer', 'balance']) await start(userId)
    await world.advance(DAY)
    await world.as('card').buy()
    await world.as('dearer').buyWanted({ plan: 'team' })
    const ordered = await bought('transfer', { method: 'transfer', months: 12 })
    await operatorOf(world).post(`/payments/${ordered.body.id}/approve`, {
      ...{ amount: 20_000, received_at: '2026-11-22', payment_method: 'ccp', why: 'it came' },
    })
    await operatorOf(world).post('/users/balance/correct', { why: 'a gift', amount: 2_000 })
    expect((await bought('balance', { method: 'balance' })).status).toBe(201)
    for (const userId of ['card', 'dearer', 'transfer', 'balance']) {
      const [payment] = (await world.as(userId).get('/api/v1/billing/payments')).body.data
      expect([userId, payment.status, payment.period_start]).toEqual([userId, 'paid', END])
      const { open } = await enterPortal(world, userId)
      // More of the same plan is paid: its end is no longer that of the trial.
      const badge = userId === 'dearer' ? 'Pro Trial' : 'Pro Active'
      expect([userId, wordsOf((await open()).text)]).toEqual([userId, expect.stringContaining(badge)])
    }
    expect(await statusOf('dearer')).toMatchObject({
      plan: 'pro',
      current_period_end: '2027-01-01T12:00:00Z',
    })
    await world.advance(9 * DAY)
    expect((await statusOf('dearer')).plan).toBe('team')
  })

  it('leaves no grace: the user is free and expired; a later purchase starts at its payment', async () => {
    await start('user-1')
    for (const days of [3, 4, 2, 1]) await world.advance(days * DAY)
    const over = { plan: 'free', status: 'expired', current_period_end: END, payment_method: null }
    expect(await statusOf('user-1')).toEqual(over)
    expect(await Promise.all(['grace', 'expired', 'active'].map(ofState))).toEqual([[], ['user-1'], []])
    expect(await typesOf('user-1')).toEqual([
      'subscription.granted',
      ...Array(3).fill('subscription.expiring'),
      'subscription.expired',
    ])
    await world.advance(DAY)
    await world.as('user-1').buy()
    expect((await statusOf('user-1')).current_period_end).toBe('2027-01-02T12:00:00Z')
  })
})
