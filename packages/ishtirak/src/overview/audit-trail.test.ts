// The audit trail across users: all acts, page by page, and by operator, act, day, user or payment.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'

const DAY_MS = 86_400_000

describeScenario('the audit trail', ({ database }) => {
  let world: World
  let owner: OperatorCaller
  let support: OperatorCaller
  let paymentId: string
  beforeEach(async () => {
    world = await createWorld(database(), { env: ROLES_ENV, isNew: true })
    owner = operatorOf(world, ROLE_KEYS.owner)
    support = operatorOf(world, ROLE_KEYS.support)
    paymentId = (await world.as('user-1').buy()).paymentId
    await world.as('user-2').buy()
    await owner.post('/users/user-1/grant', { days: 3, why: 'an outage' })
    world.clock.advance(60_000)
    await support.post('/users/user-2/grant', { days: 1, why: 'a call' })
    await support.post(`/payments/${paymentId}/refund`, { why: 'not mine to do' })
    world.clock.advance(DAY_MS)
    await owner.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await owner.get('/exports/accounts?month=2026-11')
  })
  afterEach(() => world.stop())

  interface Entry {
    readonly id: string
    readonly act: string
    readonly actor: string
    readonly user_id: string | null
  }
  const page = async (query = '') => (await owner.get(`/audit${query}`)).body
  const acts = async (query = '') => (await page(query)).data.map(({ act }: Entry) => act).sort()
  const ALL = ['operator.refused', 'payment.refund', 'payments.export', 'user.grant', 'user.grant']

  it('has what was done to every user and to none, newest first', async () => {
    const { data, next_cursor } = await page()
    expect(next_cursor).toBeNull()
    expect(await acts()).toEqual(ALL)
    expect(data[0].at >= data.at(-1).at).toBe(true)
    expect(data.at(-1)).toMatchObject({
      actor: 'owner',
      act: 'user.grant',
      user_id: 'user-1',
      why: 'an outage',
    })
    expect(data.find(({ act }: Entry) => act === 'operator.refused')).toMatchObject({
      actor: 'support',
      user_id: null,
      after: { code: 'role_not_allowed', act: 'payment.refund' },
    })
  })

  it.each([
    ['?actor=support', ['operator.refused', 'user.grant']],
    ['?act=user.grant', ['user.grant', 'user.grant']],
    ['?act=user.grant&actor=owner', ['user.grant']],
    ['?day=2026-11-21', ['operator.refused', 'user.grant', 'user.grant']],
    ['?day=2026-11-22', ['payment.refund', 'payments.export']],
    ['?day=2026-11-20', []],
    ['?user_id=user-1', ['payment.refund', 'user.grant']],
    ['?user_id=user-1&day=2026-11-22', ['payment.refund']],
    ['?user_id=user-1&actor=support', []],
    ['?actor=Support', []],
    ['?payment_id=pay_nope', []],
    ['?q=outage', ['user.grant']],
    ['?q=Outage+an', ['user.grant']],
    ['?q=outage&actor=support', []],
    ['?q=user-2', ['user.grant']],
    ['?q=%25_%27', []],
  ])('shows what is asked for alone: %s', async (query, expected) => {
    expect(await acts(query)).toEqual(expected)
  })

  it.each(['4711', 'help.dz', '2026', '12/2026', 'amina', 'AMINA@example.dz', 'late', 'help ticket', '3.5'])(
    'finds a word of a reason whatever stands around it: %s',
    async (word) => {
      const why = 'https://help.dz/ticket/4711?of=12/2026 <late>, amina@example.dz, 3.5 days'
      await owner.post('/users/user-2/grant', { days: 4, why })
      expect(await acts(`?q=${encodeURIComponent(word)}`)).toEqual(['user.grant'])
    },
  )

  it('shows what was done to one payment', async () => {
    expect(await acts(`?payment_id=${paymentId}`)).toEqual(['payment.refund'])
    expect(await acts(`?payment_id=${paymentId}&act=user.grant`)).toEqual([])
  })

  it.each(['', '&actor=owner', '&act=user.grant', '&user_id=user-1', '&day=2026-11-21'])(
    'is read page by page without a gap or a repetition (%s)',
    async (filter) => {
      const read: Entry[] = []
      for (let cursor = ''; ; ) {
        const { data, next_cursor } = await page(`?limit=1${filter}${cursor}`)
        read.push(...data)
        if (!next_cursor) break
        cursor = `&cursor=${next_cursor}`
      }
      expect(read).toEqual((await page(`?limit=100${filter}`)).data)
      expect(read.length).toBeGreaterThan(1)
    },
  )

  it('is a file of all that is asked for, of whoever may have it, and that stands in it', async () => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
    const file = await world.call('GET', '/api/v1/operator/exports/trail?act=user.grant', { headers })
    const lines = file.text.trimEnd().split('\r\n')
    expect(lines[0]).toBe('id,at,actor,act,user_id,payment_id,why,before,after')
    expect(lines).toHaveLength(3)
    expect(lines[2]).toMatch(/,owner,user\.grant,user-1,,an outage,/)
    expect((await support.get('/exports/trail')).body.code).toBe('role_not_allowed')
    expect(await acts('?act=trail.export')).toEqual(['trail.export'])
  })

  it('refuses a day that there is not, and a cursor that is not its own', async () => {
    const refused = await owner.get('/audit?day=2026-02-31')
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer: '/day' }]])
    expect((await owner.get('/audit?day=today')).status).toBe(422)
    expect((await owner.get('/audit?cursor=x')).body.code).toBe('invalid_cursor')
  })
})
