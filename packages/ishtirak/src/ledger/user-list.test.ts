import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'

const DAY = 86_400

const OPTIONS = { env: { PLANS_FILE: SELLING_PLANS, BALANCE_MAX: '50000' } }

describeWorldOnEach('the list of users', OPTIONS, ({ world }) => {
  const owner = operatorOf(world, ROLE_KEYS.owner)

  const ids = async (query: string) => {
    const { status, body } = await owner.get(`/users?${query}`)
    expect([query, status]).toEqual([query, 200])
    return body.data.map(({ user_id }: { user_id: string }) => user_id)
  }
  const act = async (path: string, fields: object = {}) => {
    expect((await owner.post(path, { why: 'asked', ...fields })).status).toBe(200)
  }

  /** On 21 November all four buy a month. On 23 December, where time stands, `lapsed` is past its grace. */
  async function shop(): Promise<void> {
    await setProfile(world, 'never', { email: 'never@example.dz', name: '=1+1' })
    for (const userId of ['lapsed', 'ended']) await world.as(userId).buy()
    const { paymentId } = await world.as('refunded').buy()
    await world.advance(DAY)
    await act(`/payments/${paymentId}/refund`)
    await world.advance(DAY)
    await act('/users/ended/end')
    await world.as('graced').buy()
    await world.advance(30 * DAY)
    await setProfile(world, 'granted', { name: 'Given' })
    await act('/users/granted/grant', { days: 3, plan: 'pro' })
    await world.as('active').buyWanted({ plan: 'business', months: 1 })
    await act('/users/active/correct', { amount: 500 })
    await world.advance(2 * DAY)
  }

  async function expectLists(): Promise<void> {
    expect(await ids('')).toEqual(['graced', 'granted', 'active', 'lapsed', 'refunded', 'ended', 'never'])
    for (const [query, users] of Object.entries({
      'state=active': ['granted', 'active'],
      'state=grace': ['graced'],
      'state=expired': ['lapsed'],
      'state=ended': ['refunded', 'ended'],
      'state=never_paid': ['never'],
      'plan=business': ['active'],
      'method=card': ['graced', 'active', 'lapsed', 'refunded', 'ended'],
      'balance=open': ['active'],
      'balance=open&state=grace': [],
      'ends_from=2026-12-21&ends_until=2026-12-21': ['lapsed'],
      'active_from=2026-11-22T11:00:00Z&active_until=2026-11-22T11:00:01Z': ['lapsed', 'refunded', 'ended'],
      // Spans are half open: time that ends when the span begins is outside.
      'active_from=2026-11-22T12:00:00Z&active_until=2026-11-22T12:00:01Z': ['lapsed', 'ended'],
      'active_from=2026-12-22&active_until=2026-12-22': ['graced'],
      'active_from=2026-12-24': ['granted', 'active'],
    }))
      expect.soft(await ids(query), query).toEqual(users)
    for (const query of [
      'active_from=2026-12-22&active_until=2026-12-22',
      'paid_from=2026-11-23&paid_until=2026-11-23&plan=pro',
    ]) {
      const { data } = (await owner.get(`/payments?${query}`)).body
      expect.soft(data.map((payment: { user_id: string }) => payment.user_id)).toEqual(['graced'])
    }
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await owner.get(`/users?method=card&limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map(({ user_id }: { user_id: string }) => user_id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual(await ids('method=card'))
  }

  it('has each user in one state, who ends soonest first, by pages, as a file and on a page', async () => {
    await shop()
    await expectLists()
    const headers = { authorization: `Bearer ${ROLE_KEYS.accountant}` }
    const file = await world.call('GET', '/api/v1/operator/exports/users?state=never_paid', { headers })
    expect(file.text.split('\r\n')).toEqual([
      'user_id,email,name,state,plan,ended_plan,current_period_end,balance,created_at',
      "never,never@example.dz,'=1+1,never_paid,free,,,0,2026-11-21T12:00:00Z",
      '',
    ])
    expect((await operatorOf(world, ROLE_KEYS.viewer).get('/exports/users')).status).toBe(403)
    expect((await owner.get('/audit?act=users.export')).body.data).toHaveLength(1)
    const refunded = await world.call('GET', '/api/v1/operator/exports/payments?status=refunded', { headers })
    expect(refunded.text.split('\r\n')[1]).toMatch(/^pay_\w+,refunded,purchase,pro,1,2400,DZD,refunded,card,/)
    const visit = await enterConsole(world, ROLE_KEYS.accountant)
    const page = wordsOf((await visit.open('/console/users?state=ended&plan=pro')).text)
    expect(page).toMatch(/refunded .*ended by an operator/)
    expect(page).not.toMatch(/\blapsed\b/)
    expect((await visit.open('/console/users.csv?state=ended')).text.split('\r\n')).toHaveLength(4)
  })

  it('of what makes no sense is refused', async () => {
    const console = await enterConsole(world, ROLE_KEYS.viewer)
    for (const [query, code] of [
      ['state=nobody', 'validation_failed'],
      ['active_from=2026-02-31', 'validation_failed'],
      ['active_from=2026-11-22&active_until=2026-11-21', 'validation_failed'],
      ['cursor=x', 'invalid_cursor'],
    ] as const) {
      const { status, body } = await owner.get(`/users?${query}`)
      expect([query, status, body.code]).toEqual([query, 422, code])
      expect([query, (await console.open(`/console/users?${query}`)).status]).toEqual([query, 422])
    }
  })
})
