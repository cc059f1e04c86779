import { makeCodes, PERCENT } from '../../../../test/support/codes.js'
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { aReport } from '../../../../test/support/fixtures.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { SELLING_PLANS } from '../../../../test/support/portal.js'
import { sql } from '../../../../test/support/sql.js'
import { type Answer, checkoutIdOf } from '../../../../test/support/world.js'
import { settlePayment } from '../ledger/settle.js'

const HOUR = 3_600
const WRONG = '0000-0000-0000-0000'
const QUOTE = '/api/v1/billing/quote?plan=pro'

const selectPrices = sql(
  'select amount, discount, status from payments where user_id = $1 order by created_at, id',
)
const countHolders = sql(`select (select sum(used)::int from codes) as used,
          (select count(*)::int from payments where code_hash is not null
              and status in ('requested', 'pending', 'review', 'paid', 'refunded')) as holders`)

describeWorld('a code that takes something off', {}, ({ world, database, beside }) => {
  const operator = operatorOf(world)
  afterEach(async () => {
    const [counts] = await database().query(countHolders)
    expect(counts?.used ?? 0).toBe(counts?.holders)
  })

  const aBatch = (of: object = {}, by = operator) => makeCodes(by, { ...PERCENT, ...of })
  const usesOf = async ({ id }: { id: string }) => {
    const { used, left } = (await operator.get(`/codes/${id}`)).body
    return { used, left }
  }
  const ask = (userId: string, code?: string, in_ = world) =>
    in_.as(userId).post('/api/v1/billing/payments', { plan: 'pro', ...(code !== undefined && { code }) })
  const buy = async (userId: string, code?: string, in_ = world) => {
    const { status, text, body } = await ask(userId, code, in_)
    if (status !== 201) throw new Error(text)
    return { paymentId: body.id, checkoutId: checkoutIdOf(body.checkout_url) }
  }
  const codesOf = (answers: readonly Answer[]) => {
    const counts: Record<string, number> = {}
    for (const { status, body } of answers) {
      const name = status === 201 ? 'bought' : body.code
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  }
  const pricesOf = async (userId: string) => database().query(selectPrices, [userId])

  it('is paid as it was quoted and counts as used; a quote holds no use', async () => {
    const batch = await aBatch({ kind: 'amount', percent: undefined, amount: 300 })
    const quote = async (query = '') => (await world.as('user-1').get(`${QUOTE}${query}`)).body
    const typed = batch.code.toLowerCase().replaceAll('-', '%20')
    expect(await quote()).toMatchObject({ price: 2000, discount: 0, amount: 2000, code: null })
    const quoted = await quote(`&code=${typed}`)
    expect(quoted).toMatchObject({ price: 2000, discount: 300, amount: 1700, code: batch.code })
    expect(await usesOf(batch)).toEqual({ used: 0, left: 1 })
    const { checkoutId } = await buy('user-1', ` ${batch.code.toLowerCase()} `)
    expect(world.emulator.checkouts()).toMatchObject([{ id: checkoutId, amount: 1700 }])
    // Its own open payment does not block the code.
    expect(await quote(`&code=${typed}`)).toEqual(quoted)
    expect((await world.as('user-2').get(`${QUOTE}&code=${typed}`)).body.code).toBe('code_not_valid')
    await world.pay(checkoutId)
    expect(await pricesOf('user-1')).toEqual([{ amount: 1700, discount: 300, status: 'paid' }])
    expect(await usesOf(batch)).toEqual({ used: 1, left: 0 })
  })

  it('is held as often as it has uses, however many users click at once', async () => {
    const batch = await aBatch({ uses: 5, count: 2 })
    const clicks = Array.from({ length: 30 }, (_, n) => ask(`user-${n}`, batch.code))
    expect(codesOf(await Promise.all(clicks))).toEqual({ bought: 5, code_not_valid: 25 })
    expect(await usesOf(batch)).toEqual({ used: 5, left: 5 })
  })

  it('is used by one user as often as that is allowed, and a second click opens nothing new', async () => {
    const batch = await aBatch({ uses: 5, uses_per_user: 2 })
    for (const used of [1, 2]) {
      const { paymentId, checkoutId } = await buy('user-1', batch.code)
      expect((await buy('user-1', batch.code)).paymentId).toBe(paymentId)
      expect(await usesOf(batch)).toMatchObject({ used })
      await world.pay(checkoutId)
    }
    expect((await ask('user-1', batch.code)).body.code).toBe('code_not_valid')
    expect(await usesOf(batch)).toEqual({ used: 2, left: 3 })
  })

  it('comes back when the checkout fails, and when it expires', async () => {
    const batch = await aBatch()
    await world.pay((await buy('user-1', batch.code)).checkoutId, 'failed')
    expect(await usesOf(batch)).toEqual({ used: 0, left: 1 })
    await buy('user-2', batch.code)
    expect((await ask('user-3', batch.code)).body.code).toBe('code_not_valid')
    await world.advance(HOUR)
    expect(await usesOf(batch)).toEqual({ used: 0, left: 1 })
    await buy('user-3', batch.code)
  })

  it('comes back when its user pays without it, and the cheaper page takes no more money', async () => {
    const batch = await aBatch()
    const cheap = await buy('user-1', batch.code)
    const full = await buy('user-1')
    expect(await usesOf(batch)).toEqual({ used: 0, left: 1 })
    const statusOf = (id: string) => world.emulator.checkouts().find((one) => one.id === id)?.status
    expect([statusOf(cheap.checkoutId), statusOf(full.checkoutId)]).toEqual(['expired', 'pending'])
    const again = await buy('user-1', batch.code)
    expect([statusOf(full.checkoutId), statusOf(again.checkoutId)]).toEqual(['expired', 'pending'])
    expect(await usesOf(batch)).toEqual({ used: 1, left: 0 })
  })

  it('comes back when a payment at the desk leaves nothing to buy with it', async () => {
    const batch = await aBatch()
    const { paymentId } = await buy('user-1', batch.code)
    const cheque = { plan: 'pro', method: 'cheque', amount: 2000, reference: 'BNA 1', why: 'taken' }
    await operator.post('/users/user-1/record', cheque)
    expect((await operator.payment(paymentId)).payment.status).toBe('canceled')
    expect(await usesOf(batch)).toEqual({ used: 0, left: 1 })
    await buy('user-2', batch.code)
  })

  it('counts with money that comes after its use was given to another: both are booked', async () => {
    const batch = await aBatch()
    const { checkoutId, paymentId } = await buy('user-1', batch.code)
    world.emulator.setFaults({ drop: {} })
    await world.emulator.pay(checkoutId, 'failed')
    world.emulator.setFaults({})
    await world.advance(HOUR)
    await world.pay((await buy('user-2', batch.code)).checkoutId)
    // The bank had the money after all, and the provider corrects its report.
    const report = aReport({ checkoutId, paymentId, amount: 1700, createdAt: null })
    await settlePayment(world.service.parts, { event: null, source: 'sweep', report })
    expect(await pricesOf('user-1')).toMatchObject([{ amount: 1700, status: 'paid' }])
    expect(await usesOf(batch)).toEqual({ used: 2, left: 0 })
  })

  it('is known from its checkout after an older backup: what was paid is booked, and is a use', async () => {
    const batch = await aBatch()
    await buy('user-1', batch.code).then(({ checkoutId }) => world.pay(checkoutId))
    await database().script('truncate users, outbox cascade; update codes set used = 0')
    world.clock.advance(2 * HOUR * 1_000)
    const asked = { since: '2026-11-01', unknown: 'book' }
    const { discrepancies } = (await operator.post('/reconciliations/start', asked)).body
    expect(discrepancies).toMatchObject([{ outcome: 'booked', user_id: 'user-1' }])
    expect(await pricesOf('user-1')).toEqual([{ amount: 1700, discount: 300, status: 'paid' }])
    expect(await usesOf(batch)).toEqual({ used: 1, left: 0 })
  })

  it('that is revoked as it is bought with buys nothing', async () => {
    const { id, code } = await aBatch()
    let isRevoked = false
    const watched = databaseWith(database, {
      query: async (asked, ...rest) => {
        const rows = await database().query(asked, ...rest)
        if (asked.name !== 'codes.find' || isRevoked) return rows
        isRevoked = true
        await operator.post(`/codes/${id}/revoke`, { why: 'leaked' })
        return rows
      },
    })
    const overtaken = await beside({}, watched)
    expect((await ask('user-1', code, overtaken)).body.code).toBe('code_not_valid')
  })

  it('is not given back by a refund, neither to all nor to its user', async () => {
    const batch = await aBatch({ uses: 2 })
    const { paymentId, checkoutId } = await buy('user-1', batch.code)
    await world.pay(checkoutId)
    await operator.post(`/payments/${paymentId}/refund`, { why: 'asked for it' })
    expect(await usesOf(batch)).toEqual({ used: 1, left: 1 })
    expect((await ask('user-1', batch.code)).body.code).toBe('code_not_valid')
  })

  it('that does not count is refused after the same statements, whatever the reason', async () => {
    const used = await aBatch()
    await world.pay((await buy('user-9', used.code)).checkoutId)
    const revoked = await aBatch()
    await operator.post(`/codes/${revoked.id}/revoke`, { why: 'leaked' })
    const names: string[] = []
    const recording = databaseWith(database, {
      query: (asked, ...rest) => {
        names.push(asked.name)
        return database().query(asked, ...rest)
      },
    })
    const watched = await beside({ env: { PLANS_FILE: SELLING_PLANS } }, recording)
    const reasons = {
      wrong: WRONG,
      malformed: 'no code',
      used: used.code,
      revoked: revoked.code,
      expired: (await aBatch({ until: '2026-11-21T13:00:00Z' })).code,
      early: (await aBatch({ from: '2026-12-20' })).code,
      term: (await aBatch({ months: 12 }, operatorOf(watched))).code,
      voucher: (await aBatch({ kind: 'months', percent: undefined, plan: 'pro', months: 1 })).code,
    }
    world.clock.advance(HOUR * 1_000)
    const told = ({ status, text }: Answer) => ({
      ...{ status, text: text.replace(/"request_id":"[^"]+"/, ''), names: names.splice(0) },
    })
    const seen: [reason: string, quoted: object, bought: object][] = []
    for (const [reason, code] of Object.entries(reasons)) {
      const user = watched.as(`user-of-${reason}`)
      names.length = 0
      const quoted = told(await user.get(`${QUOTE}&code=${encodeURIComponent(code)}`))
      seen.push([reason, quoted, told(await ask(`user-of-${reason}`, code, watched))])
    }
    const [, quoted, bought] = seen[0] ?? []
    const refused = (text: string, load: string) =>
      expect.objectContaining({
        ...{ status: 422, text: expect.stringMatching(text) },
        names: ['code_tries.begin', load, 'codes.find'],
      })
    expect([quoted, bought]).toEqual([
      // No answer repeats the code in the address.
      refused('"instance":"[^"?]*/quote","code":"code_not_valid"', 'users.with_open_payment'),
      refused('"code":"code_not_valid"', 'upgrades.load'),
    ])
    expect(seen).toEqual(Object.keys(reasons).map((reason) => [reason, quoted, bought]))
  })

  it('may be wrong ten times an hour for each user, also at once and on two processes', async () => {
    const batch = await aBatch({ uses: 20, uses_per_user: 20 })
    const guess = (n: number) => `${WRONG.slice(0, -2)}${String(n).padStart(2, '0')}`
    for (let right = 0; right < 12; right++) await world.as('user-1').get(`${QUOTE}&code=${batch.code}`)
    await buy('user-1', batch.code)
    const other = await beside()
    const guesses = Array.from({ length: 50 }, (_, n) => ask('user-1', guess(n), n % 2 ? world : other))
    const refused = await Promise.all(guesses)
    expect(codesOf(refused)).toEqual({ code_not_valid: 10, too_many_wrong_codes: 40 })
    const last = refused.find(({ status }) => status === 429)
    expect(last?.headers.get('retry-after')).toBe(String(HOUR))
    expect((await ask('user-1', batch.code)).body.code).toBe('too_many_wrong_codes')
    expect((await ask('user-2', guess(1))).body.code).toBe('code_not_valid')
    world.clock.advance(HOUR * 1_000)
    await buy('user-1', batch.code)
  })

  it('is not tried where something else stands in the way, however often', async () => {
    const batch = await aBatch()
    const quote = (months: number) => world.as('user-1').get(`${QUOTE}&months=${months}&code=${batch.code}`)
    for (let tries = 0; tries < 11; tries++) expect((await quote(7)).body.code).toBe('unknown_term')
    expect((await quote(1)).status).toBe(200)
  })
})
