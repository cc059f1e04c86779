import { makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { SELLING_PLANS } from '../../../../test/support/portal.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { BillingError, ERRORS } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { redeem as redeemWithout } from './redeem.js'

const BILLING = '/api/v1/billing'

const selectTraces = sql(`select
   (select json_agg(kind) from mails where user_id = $1) as mails,
   (select count(*)::int from documents) as receipts, (select count(*)::int from grants) as grants,
   (select sum(used)::int from codes) as used`)

const env = { TRANSFER_FILE, BALANCE_MAX: '9000' }

describeWorldOnEach('a code of months', { env }, ({ world, database }) => {
  const operator = operatorOf(world)

  const aBatch = (of: object = {}) => makeCodes(operator, { ...VOUCHER, ...of })
  const redeem = (userId: string, code = '') => world.as(userId).post(`${BILLING}/redeem`, { code })
  /** Without HTTP, by which calls hardly overlap: all read before the first one writes. */
  const redeemAtOnce = async (userId: string, code = '') => {
    try {
      await redeemWithout(world.service.parts, { userId }, { typed: code }, 'at-once')
      return { status: 200 }
    } catch (error) {
      if (error instanceof BillingError) return { status: ERRORS[error.code] }
      throw error
    }
  }
  const tracesOf = async (userId: string) => (await database().query(selectTraces, [userId]))[0]
  const countsOf = (answers: readonly { readonly status: number }[]) => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  it('gives them to a user who never paid, from now on, with an event, a mail and no receipt', async () => {
    const { codes } = await aBatch({ months: 3 })
    const redeemed = await redeem('user-1', codes[0]?.toLowerCase())
    expect(redeemed.text).toBe('{"plan":"pro","months":3,"current_period_end":"2027-02-21T12:00:00Z"}')
    const status = {
      plan: 'pro',
      status: 'active',
      current_period_end: '2027-02-21T12:00:00Z',
      payment_method: null,
    }
    expect((await world.as('user-1').get(`${BILLING}/status`)).body).toEqual(status)
    const { data } = (await world.as('user-1').get(`${BILLING}/redemptions`)).body
    const period = { period_start: '2026-11-21T12:00:00Z', period_end: '2027-02-21T12:00:00Z' }
    const id = expect.stringMatching(/^red_/)
    expect(data).toEqual([{ id, plan: 'pro', months: 3, redeemed_at: '2026-11-21T12:00:00Z', ...period }])
    const grant = { id: data[0].id, source: 'code', plan: 'pro', months: 3, days: 0, ...period }
    expect(await writtenEvents(database(), 'user-1')).toMatchObject([{ data: { grant } }])
    expect(await tracesOf('user-1')).toMatchObject({ mails: ['granted'], receipts: 0, grants: 1, used: 1 })
    expect((await world.as('user-2').get(`${BILLING}/redemptions`)).body).toEqual({ data: [] })
  })

  it('gives the plan as it was when the batch was made, also where it is not sold any more', async () => {
    const { codes } = await aBatch()
    await database().script(
      `update code_batches set plan = jsonb_set(plan, '{id}', '"old"'), plan_id = 'old'`,
    )
    expect((await redeem('user-1', codes[0])).body).toMatchObject({ plan: 'old' })
  })

  it('is redeemed as often as it has uses by 50 users at once', async () => {
    const { id, codes } = await aBatch({ uses: 3 })
    const tries = Array.from({ length: 50 }, (_, n) => redeemAtOnce(`user-${n}`, codes[0]))
    expect(countsOf(await Promise.all(tries))).toEqual({ 200: 3, 422: 47 })
    expect(await tracesOf('')).toMatchObject({ grants: 3, used: 3 })
    expect((await operator.get(`/codes/${id}`)).body).toMatchObject({ used: 3, left: 0 })
  })

  it('is redeemed once by one user in 50 tries at once', async () => {
    const { codes } = await aBatch({ uses: 100 })
    const tries = Array.from({ length: 50 }, () => redeemAtOnce('user-1', codes[0]))
    const { 200: redeemed = 0, 429: bounded = 0 } = countsOf(await Promise.all(tries))
    expect([redeemed > 0, redeemed + bounded]).toEqual([true, 50])
    expect(await tracesOf('user-1')).toMatchObject({ grants: 1, used: 1 })
  })

  it('answers a repetition as the first time, also once the code is revoked or has expired', async () => {
    const batches = { used: {}, revoked: { uses: 9 }, expired: { until: '2026-11-22' } }
    for (const [userId, batch] of Object.entries(batches)) {
      const { id, code } = await aBatch(batch)
      const { text } = await redeem(userId, code)
      await redeem(userId, (await aBatch()).code)
      if (userId === 'revoked') await operator.post(`/codes/${id}/revoke`, { why: 'leaked' })
      if (userId === 'expired') world.clock.advance(2 * DAY)
      for (let repeated = 0; repeated < 11; repeated++)
        expect(await redeem(userId, code?.toLowerCase()), userId).toMatchObject({ status: 200, text })
      expect((await redeem('another', code)).body.code).toBe('code_not_valid')
    }
    expect(await tracesOf('used')).toMatchObject({ mails: ['granted', 'granted'], grants: 6, used: 6 })
  })

  it('that leaves nothing to pay gives the term without a payment, whatever the method', async () => {
    const off = { kind: 'percent', plan: undefined, months: undefined }
    const { code, id } = await aBatch({ ...off, percent: 98 })
    const user = world.as('user-1')
    expect((await user.get(`${BILLING}/quote?plan=pro&code=${code}`)).body).toMatchObject({ amount: 0 })
    for (const method of ['card', 'transfer', 'balance']) {
      const { body } = await user.post(`${BILLING}/payments`, { plan: 'pro', method, code })
      expect([method, body.code]).toEqual([method, 'nothing_to_pay'])
    }
    expect((await redeem('user-1', code)).body.code).toBe('code_not_valid')
    const named = (of: object) => user.post(`${BILLING}/redeem`, { code, ...of })
    const { code: half } = await aBatch({ ...off, percent: 50 })
    expect((await named({ plan: 'pro', code: half })).body.code).toBe('code_not_valid')
    expect((await named({ plan: 'pro', months: 5 })).body.code).toBe('unknown_term')
    const redeemed = await named({ plan: 'pro' })
    expect(redeemed.text).toBe('{"plan":"pro","months":1,"current_period_end":"2026-12-21T12:00:00Z"}')
    expect(await named({ plan: 'pro' })).toMatchObject({ status: 200, text: redeemed.text })
    expect((await named({ plan: 'pro', months: 2 })).body.code).toBe('code_not_valid')
    expect(await tracesOf('user-1')).toMatchObject({ mails: ['granted'], receipts: 0, grants: 1, used: 1 })
    expect((await operator.get(`/codes/${id}/uses`)).body.data).toMatchObject([
      { state: 'redeemed', plan: 'pro' },
    ])
  })

  it('that leaves nothing to pay takes the place of what the user was about to pay with it', async () => {
    const { code } = await aBatch({ kind: 'amount', amount: 2000, plan: undefined, months: undefined })
    await using selling = await createWorld(database(), { env: { ...env, PLANS_FILE: SELLING_PLANS } })
    const user = selling.as('user-1')
    const { body: opened } = await user.post(`${BILLING}/payments`, { plan: 'pro', months: 12, code })
    const named = (of: object) => user.post(`${BILLING}/redeem`, { code, plan: 'starter', ...of })
    const open = async () => (await user.get(`${BILLING}/payments/${opened.id}`)).body.status
    expect([(await named({ plan: 'pro' })).body.code, await open()]).toEqual(['code_not_valid', 'pending'])
    expect((await user.get(`${BILLING}/quote?plan=starter&code=${code}`)).body.amount).toBe(0)
    expect([(await named({})).body, await open()]).toMatchObject([{ plan: 'starter', months: 1 }, 'expired'])
    expect(await tracesOf('user-1')).toMatchObject({ grants: 1, used: 1 })
  })

  it('is answered again whatever plan is named beside a code of months', async () => {
    const { code } = await aBatch({ months: 3 })
    const named = () => world.as('user-1').post(`${BILLING}/redeem`, { code, plan: 'pro' })
    const { text } = await named()
    expect(await named()).toMatchObject({ status: 200, text })
  })

  it('gives its months as often as one user may redeem it, and then the last answer again', async () => {
    const { code } = await aBatch({ uses: 9, uses_per_user: 2 })
    const ends = []
    for (let n = 0; n < 3; n++) ends.push((await redeem('user-1', code)).body.current_period_end)
    expect(ends).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z', '2027-01-21T12:00:00Z'])
  })

  it('that is revoked, or used by another, as it is used, is refused', async () => {
    // An unknown user's code is read twice.
    await world.as('user-1').buy()
    const { parts } = world.service
    for (const how of ['revoked', 'by another']) {
      const { id, code } = await aBatch()
      const overtaken = databaseWith(database, {
        query: async (asked, ...rest) => {
          const rows = await database().query(asked, ...rest)
          if (asked.name !== 'codes.find') return rows
          if (how === 'by another') await redeem('user-2', code)
          else await operator.post(`/codes/${id}/revoke`, { why: 'leaked' })
          return rows
        },
      })
      const deps = { ...parts, database: overtaken }
      const redeemed = redeemWithout(deps, { userId: 'user-1' }, { typed: code }, 'overtaken')
      await expect(redeemed, how).rejects.toMatchObject({ code: 'code_not_valid' })
    }
    // The other user got the grant and the use.
    expect(await tracesOf('user-1')).toMatchObject({ grants: 1, used: 1 })
  })

  it('is redeemed one after the other: each gives its months, however often they come at once', async () => {
    const { codes } = await aBatch({ count: 5 })
    expect(countsOf(await Promise.all(codes.map((code) => redeem('user-1', code))))).toEqual({ 200: 5 })
    const { body } = await world.as('user-1').get(`${BILLING}/status`)
    expect(body.current_period_end).toBe('2027-04-21T12:00:00Z')
  })

  it('that does not count is refused alike: used, revoked, a discount, unknown', async () => {
    const [used = ''] = (await aBatch()).codes
    await redeem('user-2', used)
    const revoked = await aBatch()
    await operator.post(`/codes/${revoked.id}/revoke`, { why: 'leaked' })
    const discount = await aBatch({ kind: 'percent', plan: undefined, months: undefined, percent: 50 })
    const answers = []
    for (const code of [used, revoked.code, discount.code, '0000-0000-0000-0000', 'x']) {
      const { status, text } = await redeem('user-1', code)
      answers.push([status, text.replace(/"request_id":"[^"]+"/, '')])
    }
    expect(answers[0]).toEqual([422, expect.stringContaining('"code":"code_not_valid"')])
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    for (let wrong = answers.length; wrong < 10; wrong++) await redeem('user-1', used)
    const bounded = await redeem('user-1', (await aBatch()).codes[0])
    expect([bounded.status, bounded.body.code]).toEqual([429, 'too_many_wrong_codes'])
  })
})
