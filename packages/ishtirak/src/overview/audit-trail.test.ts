// The audit trail across users: all acts, page by page, and by operator, act, day, user or payment.
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'

const DAY_MS = 86_400_000

interface Entry {
  readonly id: string
  readonly act: string
  readonly actor: string
  readonly user_id: string | null
}

describeWorldOnEach('the audit trail', {}, ({ world }) => {
  const owner = operatorOf(world, ROLE_KEYS.owner)
  const support = operatorOf(world, ROLE_KEYS.support)

  /** Grants by two operators, an act that is refused, a refund and an export on two days. */
  const act = async () => {
    const { paymentId } = await world.as('user-1').buy()
    await world.as('user-2').upgrade()
    await owner.post('/users/user-1/grant', { days: 3, why: 'an outage' })
    world.clock.advance(60_000)
    await support.post('/users/user-2/grant', { days: 1, why: 'a call' })
    await support.post(`/payments/${paymentId}/refund`, { why: 'not mine to do' })
    world.clock.advance(DAY_MS)
    await owner.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await owner.get('/exports/accounts?month=2026-11')
    return paymentId
  }
  const page = async (query = '') => (await owner.get(`/audit${query}`)).body
  const acts = async (query = '') => (await page(query)).data.map((one: Entry) => one.act).sort()

  it('has what was done to every user and to none, newest first, and what is asked for alone', async () => {
    const paymentId = await act()
    const { data, next_cursor } = await page()
    expect(next_cursor).toBeNull()
    expect(data[0].at >= data.at(-1).at).toBe(true)
    const first = { actor: 'owner', act: 'user.grant', user_id: 'user-1', why: 'an outage' }
    expect(data.at(-1)).toMatchObject(first)
    expect(data.find((one: Entry) => one.act === 'operator.refused')).toMatchObject({
      actor: 'support',
      user_id: null,
      after: { code: 'role_not_allowed', act: 'payment.refund' },
    })
    const expected: Readonly<Record<string, readonly string[]>> = {
      '': ['operator.refused', 'payment.refund', 'payments.export', 'user.grant', 'user.grant'],
      '?actor=support': ['operator.refused', 'user.grant'],
      '?act=user.grant': ['user.grant', 'user.grant'],
      '?act=user.grant&actor=owner': ['user.grant'],
      '?day=2026-11-21': ['operator.refused', 'user.grant', 'user.grant'],
      '?day=2026-11-22': ['payment.refund', 'payments.export'],
      '?day=2026-11-20': [],
      '?user_id=user-1': ['payment.refund', 'user.grant'],
      '?user_id=user-1&day=2026-11-22': ['payment.refund'],
      '?user_id=user-1&actor=support': [],
      '?actor=Support': [],
      '?payment_id=pay_nope': [],
      '?q=outage': ['user.grant'],
      '?q=Outage+an': ['user.grant'],
      '?q=outage&actor=support': [],
      '?q=user-2': ['user.grant'],
      '?q=%25_%27': [],
      [`?payment_id=${paymentId}`]: ['payment.refund'],
      [`?payment_id=${paymentId}&act=user.grant`]: [],
    }
    const shown = Object.keys(expected).map(async (query) => [query, await acts(query)])
    expect(Object.fromEntries(await Promise.all(shown))).toEqual(expected)
  })

  it('finds a word of a reason whatever stands around it', async () => {
    const why = 'https://help.dz/ticket/4711?of=12/2026 <late>, amina@example.dz, 3.5 days'
    await world.as('user-1').upgrade()
    for (const one of [why, 'an outage']) await owner.post('/users/user-1/grant', { days: 4, why: one })
    const words = [
      ...['4711', 'help.dz', '2026', '12/2026', 'amina', 'AMINA@example.dz', 'late', 'help ticket', '3.5'],
    ]
    const found = words.map(async (word) => [word, await acts(`?q=${encodeURIComponent(word)}`)])
    expect(await Promise.all(found)).toEqual(words.map((word) => [word, ['user.grant']]))
  })

  it('is read page by page without a gap or a repetition', async () => {
    await act()
    for (const filter of ['', '&actor=owner', '&act=user.grant', '&user_id=user-1', '&day=2026-11-21']) {
      const read: readonly Entry[] = (await owner.pages(`/audit?limit=1${filter}`)).flat()
      expect([filter, read]).toEqual([filter, (await page(`?limit=100${filter}`)).data])
      expect([filter, read.length > 1]).toEqual([filter, true])
    }
  })

  it('is a file of all that is asked for, of whoever may have it, and that stands in it', async () => {
    await act()
    const { text } = await owner.get('/exports/trail?act=user.grant')
    const lines = text.trimEnd().split('\r\n')
    expect(lines[0]).toBe('id,at,actor,act,user_id,payment_id,why,before,after')
    expect(lines).toHaveLength(3)
    expect(lines[2]).toMatch(/,owner,user\.grant,user-1,,an outage,/)
    expect((await support.get('/exports/trail')).body.code).toBe('role_not_allowed')
    expect(await acts('?act=trail.export')).toEqual(['trail.export'])
  })
})
