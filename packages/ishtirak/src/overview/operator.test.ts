// The operator's hand: everything can be seen, what is odd can be settled, and every act leaves a line that
// stays.

import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { payOtherwise, payUnderReview } from '../../../../test/support/other-amount.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { accept } from '../checkout/accept.js'

type Entry = { act: string }

const STATUS = '/api/v1/billing/status'
const DAY = 86_400

const changeAudit = sql(`update audit set actor = 'changed'`)
const deleteAudit = sql('delete from audit')
const unpay = sql(`update payments set status = 'expired' where status = 'paid'`)

describeWorld('the operator', {}, ({ world, database }) => {
  const operator = operatorOf(world)

  it('is refused without a key, and told that it is one of operators; 404 where none is set', async () => {
    const path = '/api/v1/operator/payments'
    expect((await world.call('GET', path)).status).toBe(401)
    const authorization = 'Bearer some-other-key-of-20-characters'
    const refused = await world.call('GET', path, { headers: { authorization, 'accept-language': 'en' } })
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_operator_key'])
    expect(refused.body.detail).toContain('The operator key')
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    await using closed = await createWorld(database(), { env: { OPERATOR_KEYS: '' } })
    expect((await operatorOf(closed).get('/payments')).status).toBe(404)
  })

  it('reads the payments of all users page by page, newest first, by status and by user', async () => {
    const { paymentId: paid } = await world.as('user-0').buy()
    const begun: string[] = []
    for (const user of ['user-1', 'user-2', 'user-3', 'user-4', 'user-5']) {
      world.clock.advance(1_000)
      begun.unshift((await world.as(user).upgrade()).paymentId)
    }
    const all = [...begun, paid]
    const ids = async (query: string) =>
      (await operator.get(`/payments${query}`)).body.data.map((payment: { id: string }) => payment.id)
    for (const [wanted, expected] of [
      ['', all],
      ['&status=pending', begun],
    ] as const) {
      const read: readonly { id: string }[][] = await operator.pages(`/payments?limit=2${wanted}`)
      const pages = read.map((page) => page.map(({ id }) => id))
      expect(pages).toEqual([expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)])
    }
    expect(await ids('')).toEqual(all)
    expect(await ids('?status=paid')).toEqual([paid])
    expect(await ids('?user_id=user-0')).toEqual([paid])
    expect(await ids('?status=review')).toEqual([])
    // What can still be paid is pending, and nothing else.
    world.clock.advance(DAY * 1_000)
    expect(await ids('?status=pending')).toEqual([])
  })

  it('sees everything known of one payment, and of the user who made it', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').buy()
    const file = await operator.payment(paymentId)
    const known = { id: paymentId, user_id: 'user-1', checkout_id: checkoutId, status: 'paid' }
    expect(file.payment).toMatchObject(known)
    expect(file.received).toMatchObject([{ type: 'checkout.paid', outcome: 'booked' }])
    expect(file.receipt).toEqual({
      ...{ number: expect.stringMatching(/2026-000001$/), issued_at: '2026-11-21T12:00:00Z', stamp_duty: 0 },
      total: 2000,
    })
    const expected = ['payment.paid', 'subscription.activated']
    expect(file.sent.map((event: { type: string }) => event.type)).toEqual(expected)
    expect(file.audit).toEqual([])
    const { body } = await operator.get('/users/user-1')
    const user = { user_id: 'user-1', plan: 'pro', paid_until: '2026-12-21T12:00:00Z', audit: [] }
    expect(body).toMatchObject(user)
    expect(body.payments).toMatchObject([{ id: paymentId, status: 'paid' }])
    // A paid payment stays paid, whatever a program tries.
    await expect(database().query(unpay)).rejects.toMatchObject({ name: 'ConstraintViolation' })
  })

  it('asks the provider about a payment now, and books what it says', async () => {
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    const acted = await operator.post(`/payments/${paymentId}/recheck`)
    expect([acted.status, acted.body.payment.status]).toEqual([200, 'paid'])
    expect(acted.body.receipt.number).toMatch(/2026-000001$/)
    expect(acted.body.audit).toMatchObject([
      {
        ...{ actor: 'amina', act: 'payment.recheck', at: '2026-11-21T12:00:00Z' },
        before: { payment: { status: 'pending' }, subscription: { paid_until: null } },
        after: { payment: { status: 'paid' }, subscription: { paid_until: '2026-12-21T12:00:00Z' } },
      },
    ])
  })

  it('leaves a line when the asking changed nothing, and none when the provider did not answer', async () => {
    const { paymentId } = await world.as('user-1').upgrade()
    const why = 'the user says that they paid'
    await operator.post(`/payments/${paymentId}/recheck`, { why })
    world.emulator.setFaults({ api_5xx: {} })
    expect((await operator.post(`/payments/${paymentId}/recheck`)).status).toBe(503)
    const { audit } = await operator.payment(paymentId)
    expect(audit).toMatchObject([{ act: 'payment.recheck', why, before: audit[0].after }])
  })

  it('accepts what is under review after a fresh look, with a reason', async () => {
    const paymentId = await payUnderReview(world, 'user-1')
    expect((await world.as('user-1').get(STATUS)).body.plan).toBe('free')
    expect((await operator.get('/payments?status=review')).body.data[0].review).toMatchObject({
      differences: ['amount: ours is 2000, the provider says 50'],
      provider_status: 'paid',
      amount: 50,
    })
    expect((await operator.post(`/payments/${paymentId}/accept`)).status).toBe(422)
    // The last one is a letter, and nothing is seen of it.
    for (const why of ['  ', '…', '\u200b\u2060\ufeff', '\u3164'])
      expect([why, (await operator.post(`/payments/${paymentId}/accept`, { why })).status]).toEqual([
        why,
        422,
      ])
    const acted = await operator.post(`/payments/${paymentId}/accept`, { why: 'the list says 2000' })
    expect(acted.body.payment).toMatchObject({ status: 'paid', paid_at: '2026-11-21T12:00:00Z' })
    expect(acted.body.receipt.number).toMatch(/2026-000001$/)
    expect(acted.body.audit).toMatchObject([
      { act: 'payment.accept', why: 'the list says 2000', before: { payment: { status: 'review' } } },
    ])
    expect((await world.as('user-1').get(STATUS)).body.plan).toBe('pro')
    const refusal = { status: 409, body: { code: 'conflict', payment_status: 'paid' } }
    expect(await operator.get(`/payments/${paymentId}/accept`)).toMatchObject(refusal)
    expect(await operator.post(`/payments/${paymentId}/accept`, { why: 'again' })).toMatchObject(refusal)
  })

  it('accepts a payment once; the others at the same instant are refused, and in the trail', async () => {
    const paymentId = await payUnderReview(world, 'user-1')
    const accept = () => operator.post(`/payments/${paymentId}/accept`, { why: 'seen' })
    const answers = await Promise.all([accept(), accept(), accept(), accept()])
    const refusal = { code: 'conflict', payment_status: 'paid' }
    const late = answers.filter(({ status }) => status !== 200).map(({ body }) => body)
    expect(late).toMatchObject([refusal, refusal, refusal])
    const { audit } = await operator.payment(paymentId)
    const lines = audit.toSorted((a: Entry, b: Entry) => a.act.localeCompare(b.act))
    const line = { act: 'operator.refused', why: 'seen', after: { ...refusal, act: 'payment.accept' } }
    expect(lines).toMatchObject([line, line, line, { act: 'payment.accept' }])
  })

  it('does not accept what another has accepted and refunded, however close they are', async () => {
    const paymentId = await payUnderReview(world, 'user-1')
    const { settlements } = world.service.parts
    const call = callBy(ownerNamed('late'), paymentId, { why: 'seen' })
    // Between the reading of the payment and the settlement.
    const load: typeof settlements.load = async (...asked) => {
      await operator.post(`/payments/${paymentId}/accept`, { why: 'first' })
      await operator.post(`/payments/${paymentId}/refund`, { why: 'given back' })
      return settlements.load(...asked)
    }
    const late = { ...world.service.parts, settlements: { ...settlements, load } }
    await expect(doAct(late, accept, call)).rejects.toMatchObject({ code: 'already_refunded' })
    const { audit } = await operator.payment(paymentId)
    // All at one instant.
    expect(audit.map(({ actor, act }: { actor: string; act: string }) => [actor, act]).sort()).toEqual([
      ['amina', 'payment.accept'],
      ['amina', 'payment.refund'],
      ['late', 'operator.refused'],
    ])
  })

  it('accepts no amount that the provider names only now: it is under review then', async () => {
    const paymentId = await payOtherwise(world, 'user-1', { charged: 1500, told: 1800 })
    const accept = () => operator.post(`/payments/${paymentId}/accept`, { why: 'the user was asked' })
    expect((await operator.payment(paymentId)).payment.review.amount).toBe(1800)
    const refusal = { code: 'conflict', payment_status: 'review' }
    expect(await accept()).toMatchObject({ status: 409, body: refusal })
    const { payment, audit } = await operator.payment(paymentId)
    expect(payment).toMatchObject({ status: 'review', review: { amount: 1500 } })
    expect(audit).toMatchObject([{ act: 'operator.refused', after: { ...refusal, act: 'payment.accept' } }])
    expect((await accept()).body.payment.status).toBe('paid')
  })

  it('accepts what was said then, when the provider is out of reach', async () => {
    const paymentId = await payUnderReview(world, 'user-1')
    world.emulator.setFaults({ api_5xx: {} })
    const acted = await operator.post(`/payments/${paymentId}/accept`, { why: 'seen in the dashboard' })
    expect(acted.body.payment.status).toBe('paid')
    expect(acted.body.receipt.number).toMatch(/2026-000001$/)
  })

  it('sees what each report said, by which way it came, and which settled the payment', async () => {
    const paymentId = await payUnderReview(world, 'user-1')
    const before = await operator.payment(paymentId)
    expect([before.payment.status, before.settled_by]).toEqual(['review', null])
    await world.advance(60) // the sweep's first look: the provider's own list says 2000
    const after = await operator.payment(paymentId)
    expect([after.payment.status, after.settled_by]).toEqual(['paid', 'sweep'])
    expect(after.reports).toMatchObject([
      { source: 'webhook', outcome: 'review', status: 'paid', amount: 50, at: '2026-11-21T12:00:00Z' },
      { source: 'sweep', outcome: 'booked', status: 'paid', amount: 2000, at: '2026-11-21T12:01:00Z' },
    ])
    expect(after.reports[0].event_id).toBe(after.received[0].id)
    expect(after.received).toMatchObject([{ type: 'checkout.paid', outcome: 'review', amount: 50 }])
    expect(after.payment.review.differences).toEqual(['amount: ours is 2000, the provider says 50'])
  })

  it('records a refund that ends access, with its events; another says since when it is', async () => {
    const { paymentId } = await world.as('user-1').buy()
    world.clock.advance(DAY * 1_000)
    const acted = await operator.post(`/payments/${paymentId}/refund`, { why: 'asked for it' })
    expect(acted.body.payment).toMatchObject({ status: 'refunded', period_end: '2026-12-21T12:00:00Z' })
    const expected = { plan: 'free', status: 'canceled', current_period_end: '2026-11-22T12:00:00Z' }
    expect((await world.as('user-1').get(STATUS)).body).toMatchObject(expected)
    expect(await writtenEvents(database())).toMatchObject([
      { type: 'payment.paid', data: { sequence: 1 } },
      { type: 'subscription.activated', data: { sequence: 2 } },
      { type: 'payment.refunded', data: { sequence: 3, subscription: { status: 'canceled' } } },
      { type: 'subscription.canceled', data: { sequence: 4 } },
    ])
    world.clock.advance(DAY * 1_000)
    for (const act of ['refund', 'accept']) {
      const again = await operator.post(`/payments/${paymentId}/${act}`, { why: 'once more' })
      expect(again.body).toMatchObject({
        ...{ status: 409, code: 'already_refunded' },
        ...{ payment_status: 'refunded', refunded_at: '2026-11-22T12:00:00Z' },
      })
    }
  })

  it('records a refund at once once, which a report of the provider does not undo', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const path = `/payments/${paymentId}/refund`
    const answers = await Promise.all([1, 2, 3, 4].map(() => operator.post(path, { why: 'double click' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const { audit } = await operator.payment(paymentId)
    expect(audit.map(({ act }: { act: string }) => act).sort()).toEqual([
      ...['operator.refused', 'operator.refused', 'operator.refused', 'payment.refund'],
    ])
    await operator.post(`/payments/${paymentId}/recheck`)
    for (const delivery of world.emulator.deliveries()) await world.emulator.resend(delivery.id)
    expect((await operator.payment(paymentId)).payment.status).toBe('refunded')
    expect((await world.as('user-1').get(STATUS)).body.status).toBe('canceled')
  })

  it('ends access now, in a trail that cannot be changed; the next payment starts a new run', async () => {
    const user = world.as('user-1')
    await user.buy()
    await world.advance(DAY)
    expect((await operator.post('/users/user-1/end')).status).toBe(422)
    const ended = await operator.post('/users/user-1/end', { why: 'a stolen card' })
    expect(ended.body).toMatchObject({
      ...{ plan: 'free', status: 'canceled', ended_at: '2026-11-22T12:00:00Z' },
      audit: [{ actor: 'amina', act: 'user.end', why: 'a stolen card' }],
    })
    expect((await operator.post('/users/user-1/end', { why: 'again' })).status).toBe(409)
    for (const change of [changeAudit, deleteAudit])
      await expect(database().query(change)).rejects.toMatchObject({ name: 'ConstraintViolation' })
    await world.advance(DAY)
    await user.buy()
    const expected = { status: 'active', current_period_end: '2026-12-23T12:00:00Z' }
    expect((await user.get(STATUS)).body).toMatchObject(expected)
  })
})
