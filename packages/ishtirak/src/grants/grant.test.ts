import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { sql } from '../../../../test/support/sql.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { BillingError } from '../core/error.js'
import type { Role } from '../core/role.js'
import { grantDays } from './grant.js'

const DAY = 86_400

const selectTypes = sql('select type from outbox where user_id = $1 order by sequence')
const selectStored = sql(
  'select run_months, anchor_at = paid_until as begins, periods from users where user_id = $1',
)

const selectSize = sql(`select jsonb_array_length(periods) as periods, length(periods::text) as bytes,
          (select count(*)::int from grants g where g.user_id = u.user_id) as grants,
          (select count(*)::int from audit a where a.user_id = u.user_id and act = 'user.grant') as audit,
          (select count(*)::int from outbox o where o.user_id = u.user_id
            and type = 'subscription.granted') as events
     from users u where user_id = $1`)
const moveToTheEnd =
  sql(`update users set anchor_at = '9999-12-01T12:00:00Z', paid_until = '9999-12-01T12:00:00Z',
          periods = jsonb_set(
            periods, '{0,end}', (extract(epoch from timestamptz '9999-12-01T12:00:00Z') * 1000)::text::jsonb)
    where user_id = $1`)

describeWorldOnEach('days that the operator grants', {}, ({ world, database }) => {
  const operator = operatorOf(world)

  const why = 'outage of 21 November'
  const grant = (userId: string, body: object) => operator.post(`/users/${userId}/grant`, { why, ...body })
  const statusOf = async (userId: string) => (await world.as(userId).get('/api/v1/billing/status')).body
  const typesOf = async (userId: string) =>
    (await database().query(selectTypes, [userId])).map(({ type }) => type)

  it('move the end, and leave a line, a row, an event and what was paid', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const { status, body } = await grant('user-1', { days: 14 })
    expect([status, body.plan, body.status]).toEqual([200, 'pro', 'active'])
    const end = '2027-01-04T12:00:00Z'
    expect(await statusOf('user-1')).toMatchObject({ plan: 'pro', current_period_end: end })
    const granted = {
      ...{ source: 'operator', plan: 'pro', months: 0, days: 14 },
      ...{ period_start: '2026-12-21T12:00:00Z', period_end: end },
    }
    expect(body.grants).toMatchObject([{ ...granted, granted_by: 'amina', why, operation_id: null }])
    expect(body.audit).toMatchObject([
      {
        ...{ act: 'user.grant', actor: 'amina', why },
        before: { subscription: { paid_until: '2026-12-21T12:00:00Z', months: 1 } },
        after: { subscription: { paid_until: end, anchor_at: end, months: 0 }, grant: granted },
      },
    ])
    const types = ['payment.paid', 'subscription.activated', 'subscription.granted']
    expect(await typesOf('user-1')).toEqual(types)
    const told = (await writtenEvents(database(), 'user-1')).at(-1)
    const subscription = { plan: 'pro', status: 'active', current_period_end: end }
    expect(told).toMatchObject({ data: { sequence: 3, subscription, grant: granted } })
    const { data } = (await world.as('user-1').get('/api/v1/billing/payments')).body
    expect(data).toMatchObject([{ id: paymentId, period_end: '2026-12-21T12:00:00Z' }])
  })

  it('are before what an open checkout buys, which stays payable', async () => {
    const { checkoutId } = await world.as('user-2').upgrade()
    await grant('user-2', { days: 14 })
    await world.pay(checkoutId)
    expect(await statusOf('user-2')).toMatchObject({ current_period_end: '2027-01-05T12:00:00Z' })
    const { data } = (await world.as('user-2').get('/api/v1/billing/payments')).body
    expect(data).toMatchObject([{ status: 'paid', period_start: '2026-12-05T12:00:00Z' }])
  })

  it('all count, sixty at once, and a status reads no more than after one', async () => {
    await world.as('user-1').buy()
    await grant('user-1', { days: 1 })
    const [first] = await database().query(selectSize, ['user-1'])
    // Without HTTP, by which calls hardly overlap: all read before the first one is saved.
    const call = callBy(ownerNamed('amina'), 'user-1', { days: 3, why })
    const calls = Array.from({ length: 60 }, () => doAct(world.service.parts, grantDays, call))
    await Promise.all(calls)
    expect((await statusOf('user-1')).current_period_end).toBe('2027-06-20T12:00:00Z')
    expect((await typesOf('user-1')).filter((type) => type === 'subscription.granted')).toHaveLength(61)
    const [last] = await database().query(selectSize, ['user-1'])
    expect([first?.periods, last?.periods, last?.grants, last?.audit, last?.events]).toEqual([
      ...[2, 2, 61, 61, 61],
    ])
    expect(Number(last?.bytes) - Number(first?.bytes)).toBeLessThan(10)
  })

  it('count once under one operation_id, however often it is sent', async () => {
    await world.as('user-1').buy()
    const once = { days: 3, operation_id: 'ticket-4711' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => grant('user-1', once)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await grant('user-1', once)).body.grants).toHaveLength(1)
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-24T12:00:00Z')
    const other = await grant('user-1', { ...once, days: 4 })
    expect([other.status, other.body]).toMatchObject([409, { code: 'conflict', asked: { days: 3 } }])
    // Operation ids are per user.
    await world.as('user-2').buy()
    expect((await grant('user-2', once)).body.grants).toHaveLength(1)
  })

  it('are 30 by all of support for one user in 30 days, two at once too, and more by an owner', async () => {
    await world.as('user-1').buy()
    const grantBy = (name: string, role: Role, userId: string, asked: object) =>
      doAct(world.service.parts, grantDays, callBy({ name, role }, userId, { why, ...asked })).then(
        () => 200,
        (error: unknown) => {
          if (!(error instanceof BillingError)) throw error
          return [error.code, error.extra.act, error.extra.days_left]
        },
      )
    const bySupport = (days: number, more = {}) =>
      grantBy('support-1', 'support', 'user-1', { days, ...more })
    const refused = (left: number) => ['role_not_allowed', 'user.grant_long', left]
    const atOnce = Array.from({ length: 8 }, (_, n) =>
      grantBy(`support-${n}`, 'support', 'user-1', { days: 10 }),
    )
    const answers = await Promise.all(atOnce)
    expect(answers.filter((answer) => answer === 200)).toHaveLength(3)
    expect(answers.filter((answer) => answer !== 200)).toEqual(Array(5).fill(refused(0)))
    expect(await grantBy('amina', 'owner', 'user-1', { days: 40 })).toBe(200)
    expect((await statusOf('user-1')).current_period_end).toBe('2027-03-01T12:00:00Z')
    // Earlier grants do not affect another user, and leave the limit after 30 days.
    await world.as('user-2').buy()
    expect(await grantBy('support-1', 'support', 'user-2', { days: 30 })).toBe(200)
    await world.emulator.advance(30 * DAY - 1)
    expect(await bySupport(1)).toEqual(refused(0))
    await world.emulator.advance(1)
    // An owner's grants do not count for it.
    expect(await grantBy('amina', 'owner', 'user-1', { days: 40 })).toBe(200)
    const named = { operation_id: 'ticket-1' }
    expect(await bySupport(29, named)).toBe(200)
    expect(await bySupport(2)).toEqual(refused(1))
    expect(await bySupport(29, named)).toBe(200)
  })

  it('move together, each on its own days, when a payment before them is refunded', async () => {
    const { paymentId } = await world.as('user-1').buy()
    for (const days of [3, 5, 7]) await grant('user-1', { days })
    await world.advance(DAY)
    await operator.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const { grants, audit, current_period_end } = (await operator.get('/users/user-1')).body
    const placed = grants.map((one: Record<string, string>) => [one.days, one.period_start, one.period_end])
    expect([current_period_end, placed.sort()]).toEqual([
      '2026-12-07T12:00:00Z',
      [
        [3, '2026-11-22T12:00:00Z', '2026-11-25T12:00:00Z'],
        [5, '2026-11-25T12:00:00Z', '2026-11-30T12:00:00Z'],
        [7, '2026-11-30T12:00:00Z', '2026-12-07T12:00:00Z'],
      ],
    ])
    const { id } = grants.find(({ days }: { days: number }) => days === 3)
    const moved = { id, period_start: '2026-11-22T12:00:00Z', period_end: '2026-12-07T12:00:00Z' }
    expect(audit[0]).toMatchObject({
      before: { moved_periods: [{ id, period_start: '2026-12-21T12:00:00Z' }] },
      after: { moved_periods: [moved] },
    })
  })

  it('end in the year 9999 at the latest: past it the days are named as too many', async () => {
    await setProfile(world, 'user-1', { name: 'Amina' })
    await grant('user-1', { days: 1 })
    await database().query(moveToTheEnd, ['user-1'])
    const { status, body } = await grant('user-1', { days: 31 })
    expect([status, body.code, body.errors]).toEqual([
      ...[422, 'validation_failed'],
      [expect.objectContaining({ pointer: '/days', code: 'too_large' })],
    ])
    expect((await grant('user-1', { days: 30 })).body.current_period_end).toBe('9999-12-31T12:00:00Z')
  })

  it('are of the plan that the user has or had, and what follows counts from their end', async () => {
    await world.as('user-1').buy()
    await setProfile(world, 'new', { name: 'Amina' })
    const refused = async (userId: string, body: object) => {
      const { status, body: problem } = await grant(userId, body)
      return [status, problem.code]
    }
    expect(await refused('unknown', { days: 1 })).toEqual([404, 'not_found'])
    expect(await refused('user-1', { days: 1, plan: 'team' })).toEqual([409, 'conflict'])
    expect(await refused('new', { days: 1, plan: 'team' })).toEqual([422, 'unknown_plan'])
    expect(await refused('new', { days: 1, plan: 'free' })).toEqual([422, 'plan_not_purchasable'])
    for (const days of [0, 367]) expect(await refused('new', { days })).toEqual([422, 'validation_failed'])
    expect((await grant('new', { days: 1, plan: 'pro' })).body.plan).toBe('pro')
    expect((await grant('user-1', { days: 366, plan: 'pro' })).status).toBe(200)
    const [stored] = await database().query(selectStored, ['new'])
    // It counts the months of a purchase from `anchor_at`, after `run_months`, and finds the plan by the end.
    const period = { months: 0, plan: { id: 'pro' }, end: Date.parse('2026-11-22T12:00:00Z') }
    expect(stored).toMatchObject({ run_months: 0, begins: true, periods: [period] })
  })
})
