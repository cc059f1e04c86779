// What waits for a person: every kind of it, in order, with what comes next; and what was dealt with waits no
// more.

import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { payElsewhere } from '../../../../test/support/foreign-checkout.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { payUnderReview } from '../../../../test/support/other-amount.js'
import { setProfile } from '../../../../test/support/profile.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer, sendProof } from '../../../../test/support/transfers.js'

const PAYMENTS = '/api/v1/billing/payments'

const failMail = sql(`update mails set outcome = $2, due_at = null, attempts = $3::int
   where user_id = $1 and kind = 'receipt' returning kind`)
const failMails = sql('update mails set outcome = $1, due_at = null')
const sendGranted = sql(`update mails set outcome = 'sent' where kind = 'granted'`)
const setEndpoint =
  sql(`insert into event_endpoint (url, deliver_from, failing_since, disabled_at, disabled_because)
   values ('https://host.example', '2026-01-01', $1::timestamptz, $2::timestamptz, $3)
       on conflict (one) do update
      set failing_since = excluded.failing_since, disabled_at = excluded.disabled_at,
          disabled_because = excluded.disabled_because`)
const failEvents = sql(
  `update outbox set attempts = $2::int, failure = 'answered 422' where user_id = $1 and sequence = 1`,
)
const approveOnce = sql(`update transfers set approvals = $2::jsonb where payment_id = $1`)

const unkeep = sql('update payments set kept_at = null')

const compared =
  sql(`insert into reconciliations (id, since_at, started_at, books_unknown, method, started_by,
     next_round_at, finished_at)
   select 'rcn_1', t, t, false, 'chargily', 'schedule', t, t
     from (select timestamptz '2026-11-21T11:00Z') n(t)`)
const found =
  sql(`insert into discrepancies (id, user_id, method, checkout_id, kind, outcome, details, reconciliation_id,
     found_at, seen_at)
   select $1, $2, 'chargily', $3, 'unknown_paid', 'reported', '{}', 'rcn_1', t, t
     from (select timestamptz '2026-11-21T11:00Z') n(t)`)

interface Waiting {
  readonly id: string
  readonly payment_id: string
}

describeWorld('the inbox', { env: { TRANSFER_FILE } }, ({ world, database }) => {
  const operator = operatorOf(world)

  const inbox = async (query = '') => (await operator.get(`/inbox${query}`)).body
  const entries = async (query = '') => (await inbox(query)).data
  const kinds = async () => (await entries()).map(({ kind }: { kind: string }) => kind)

  const askForTransfer = async (userId: string): Promise<string> => (await orderTransfer(world, userId)).id
  const compare = () => operator.post('/reconciliations/start', { since: '2026-11-01' })
  it('is empty where all is well, and has each kind in a place of its own', async () => {
    const places = world.service.parts.inbox.kinds.map(({ place }) => place)
    expect(new Set(places).size).toBe(places.length)
    await world.as('user-1').buy()
    expect(await inbox()).toEqual({
      counts: Object.fromEntries(world.service.parts.inbox.kinds.map(({ name }) => [name, 0])),
      data: [],
      next_cursor: null,
    })
  })

  it('has a payment under review with what differs, until it is accepted', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', name: 'Amina' })
    const id = await payUnderReview(world, 'user-1')
    expect(await entries()).toEqual([
      {
        ...{ kind: 'payment_review', urgency: 'now', waits_since: '2026-11-21T12:00:00Z', id },
        ...{ user_id: 'user-1', email: 'amina@example.dz', name: 'Amina', payment_id: id, amount: 2000 },
        ...{ detail: 'amount: ours is 2000, the provider says 50', other_payment_id: null, count: 1 },
        next_act: 'payment.accept',
      },
    ])
    await operator.post(`/payments/${id}/accept`, { why: 'seen' })
    expect(await entries()).toEqual([])
  })

  it('has a transfer once it has a proof or needs a second operator, until it is decided', async () => {
    const [proved, half] = [await askForTransfer('user-1'), await askForTransfer('user-2')]
    await world.advance(3_600)
    await sendProof(world, 'user-1', proved)
    const approval = { by: 'amina', at: world.clock.now(), amount: 2000, receivedAt: 0, instrument: 'ccp' }
    await database().query(approveOnce, [half, JSON.stringify([approval])])
    const waits_since = '2026-11-21T13:00:00Z'
    expect(await entries()).toMatchObject([
      {
        ...{ kind: 'transfer_approval', waits_since, payment_id: half, detail: 'amina' },
        next_act: 'payment.approve',
      },
      { kind: 'transfer_proof', waits_since, payment_id: proved, detail: null, next_act: 'payment.approve' },
    ])
    await operator.post(`/payments/${proved}/refuse`, { why: 'nothing came' })
    expect(await kinds()).toEqual(['transfer_approval'])
  })

  it('has a transfer without a proof from its fourth day on, behind all else, until its end', async () => {
    const id = await askForTransfer('user-1')
    world.clock.advance(3 * 86_400_000 - 1_000)
    expect(await kinds()).toEqual([])
    world.clock.advance(1_000)
    const { transfer } = (await world.as('user-1').get(`${PAYMENTS}/${id}`)).body
    const reviewed = await payUnderReview(world, 'user-2')
    expect(await entries()).toMatchObject([
      { kind: 'payment_review', id: reviewed },
      {
        ...{ kind: 'transfer_open', urgency: 'later', waits_since: '2026-11-21T12:00:00Z', payment_id: id },
        ...{ amount: 2000, detail: transfer.reference.replaceAll('-', ''), next_act: 'payment.approve' },
      },
    ])
    // It is not said twice.
    await sendProof(world, 'user-1', id)
    expect(await kinds()).toEqual(['payment_review', 'transfer_proof'])
    const other = await askForTransfer('user-3')
    world.clock.advance(3 * 86_400_000)
    expect(await entries('?kind=transfer_open')).toMatchObject([{ payment_id: other }])
    // Before any job has looked.
    world.clock.advance(4 * 86_400_000)
    expect(await entries('?kind=transfer_open')).toEqual([])
  })

  it('has a second payment until it is refunded, or an operator says that it stays', async () => {
    const { paymentId } = await world.as('user-2').buy()
    await payElsewhere(world, { payment_id: paymentId, user_id: 'user-2' })
    await compare()
    const { data } = (await operator.get('/payments?user_id=user-2')).body
    const second = data.find((one: { second_of: string | null }) => one.second_of === paymentId)
    expect(await entries()).toMatchObject([
      {
        ...{ kind: 'second_payment', payment_id: second.id, detail: second.second_of },
        ...{ other_payment_id: second.second_of, next_act: 'payment.refund' },
      },
    ])
    const kept = await operator.post(`/payments/${second.id}/keep`, { why: 'wants a year' })
    expect(kept.body.audit).toMatchObject([{ act: 'payment.keep', actor: 'amina', why: 'wants a year' }])
    expect(await entries()).toEqual([])
    const again = await operator.post(`/payments/${second.id}/keep`, { why: 'wants a year' })
    expect([again.status, again.body.payment_status]).toEqual([409, 'paid'])
    expect((await operator.post(`/payments/${second.second_of}/keep`, { why: 'x' })).status).toBe(409)
    await database().query(unkeep)
    expect(await kinds()).toEqual(['second_payment'])
    await operator.post(`/payments/${second.id}/refund`, { why: 'given back' })
    expect(await entries()).toEqual([])
  })

  it('has what the last reconciliation found, without a payment that there is not', async () => {
    await payElsewhere(world, { payment_id: 'pay_of_another_shop', user_id: 'user-of-another-shop' })
    await compare()
    const discrepancy = {
      kind: 'discrepancy',
      detail: 'unknown_paid',
      payment_id: null,
      user_id: null,
      amount: 2000,
    }
    expect(await entries()).toMatchObject([{ ...discrepancy, next_act: 'reconciliation.start' }])
    await world.advance(60)
    await operator.post('/reconciliations/start', { since: '2026-11-21T12:00:30Z' })
    expect(await entries()).toEqual([])
  })

  it('leads to what was found, and lets it be closed, also where it is not known whose it is', async () => {
    await database().query(compared, [])
    await database().query(found, ['dsc_1', null, 'two words'])
    await database().query(found, ['dsc_2', 'a b ', '100% a%20b'])
    const { open, ask, submit } = await enterConsole(world, OPERATOR_KEY)
    const waiting: Waiting[] = await entries('?kind=discrepancy')
    expect(waiting).toHaveLength(2)
    for (const { id } of waiting) {
      const path = `/console/discrepancies/${id}/close`
      expect((await open('/console')).text).toContain(`/console/health#${id}"`)
      expect((await open('/console/health')).text).toContain(path)
      const { fields } = await ask(path)
      expect((await submit(path, { ...fields, why: 'seen' })).status).toBe(303)
    }
    expect(await entries('?kind=discrepancy')).toEqual([])
  })

  it('has events that are switched off, an address that fails, and an event never taken', async () => {
    await world.as('user-1').buy()
    const at = new Date(world.clock.now()).toISOString()
    await database().query(failEvents, ['user-1', 5])
    await database().query(setEndpoint, [at, null, null])
    expect(await entries()).toEqual([])
    await world.advance(3_600)
    const off = { kind: 'events_off', user_id: null, next_act: 'event.resend_waiting' }
    expect(await entries()).toMatchObject([
      { ...off, waits_since: '2026-11-21T12:00:00Z', detail: 'failing' },
    ])
    await database().query(setEndpoint, [at, at, 'gone'])
    expect(await entries()).toMatchObject([{ ...off, detail: 'gone' }])
    await database().query(setEndpoint, [null, null, null])
    const [stuck] = (await operator.get('/events?state=waiting')).body.data
    const event = { kind: 'event_stuck', id: stuck.id, user_id: 'user-1', next_act: 'event.resend' }
    expect(await entries()).toMatchObject([{ ...event, detail: 'answered 422' }])
    await database().query(failEvents, ['user-1', 4])
    expect(await entries()).toEqual([])
  })

  it('has mail that was refused, or fails again and again, for two weeks', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await database().query(failMail, ['user-1', 'failed: no answer', 4])
    expect(await entries()).toEqual([])
    await database().query(failMail, ['user-1', 'failed: no answer', 5])
    expect(await kinds()).toEqual(['mail_failed'])
    await database().query(failMail, ['user-1', 'refused: no such mailbox', 1])
    const refused = { payment_id: paymentId, detail: 'receipt: refused: no such mailbox' }
    expect(await entries()).toMatchObject([{ ...refused, next_act: 'user.correct_address' }])
    await world.advance(14 * 86_400)
    expect(await entries()).toEqual([])
  })

  it('has one entry for all mail of a user that fails, with the newest', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await world.as('user-2').buy()
    await world.advance(60)
    await operator.post('/users/user-1/grant', { days: 3, why: 'x' })
    await database().query(failMails, ['refused: no such mailbox'])
    expect((await inbox()).counts.mail_failed).toBe(2)
    expect(await entries()).toMatchObject([
      {
        ...{ id: 'user-1', waits_since: '2026-11-21T12:00:00Z', payment_id: null },
        ...{ detail: 'granted: refused: no such mailbox', count: 2 },
      },
      { id: 'user-2', detail: 'receipt: refused: no such mailbox', count: 1 },
    ])
    // What was sent since does not stand for what was not.
    await database().query(sendGranted, [])
    const expected = [
      { id: 'user-1', payment_id: paymentId, count: 1 },
      { id: 'user-2', count: 1 },
    ]
    expect(await entries()).toMatchObject(expected)
  })

  it('is read page by page, what is urgent first and then what waits longest, and by kind', async () => {
    const { paymentId } = await world.as('user-4').buy()
    await database().query(failMail, ['user-4', 'refused: no such mailbox', 1])
    const first = await payUnderReview(world, 'user-1')
    world.clock.advance(60_000)
    const proved = await askForTransfer('user-3')
    await sendProof(world, 'user-3', proved)
    world.clock.advance(60_000)
    const second = await payUnderReview(world, 'user-2')
    const counts = { payment_review: 2, transfer_proof: 1, mail_failed: 1, discrepancy: 0 }
    expect((await inbox('?limit=1')).counts).toMatchObject(counts)
    const pages: readonly Waiting[][] = await operator.pages('/inbox?limit=1')
    const ids = pages.map((page) => page.map((one) => one.payment_id))
    expect(ids).toEqual([[first], [proved], [second], [paymentId]])
    expect(await entries('?kind=transfer_proof')).toMatchObject([{ payment_id: proved }])
    const odd = Buffer.from('["1",2]').toString('base64url')
    for (const cursor of ['x', odd]) {
      expect((await operator.get(`/inbox?cursor=${cursor}`)).body.code).toBe('invalid_cursor')
    }
  })
})
