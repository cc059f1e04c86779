// Money without a card: asked for over the API, approved or refused by operators, on both databases with a
// moved clock.
import { transferFile } from '../../../../test/support/config-files.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { type OperatorCaller, operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { afterOf } from '../../../../test/support/preview.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer } from '../../../../test/support/transfers.js'
import type { Answer } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { verbOf } from '../acts/act.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { auditEntry } from '../acts/audit.sql.js'
import { askProvider } from '../checkout/ask-provider.js'
import { findPayment } from '../ledger/payments.sql.js'
import { approve as approveAct, refuse as refuseAct } from './decide.js'
import { decideApproval, decideRefusal } from './decide-transfer.js'
import { findTransfer, insertTransfer, saveDecision } from './transfers.sql.js'

const PAYMENTS = '/api/v1/billing/payments'
const DAY = 86_400
const KEYS = { amina: 'amina-key-of-20-characters', karim: 'karim-key-of-20-characters' }
const CCP = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
const BARIDIMOB = { kind: 'baridimob', holder: 'Atlas', number: '00799999002345678941' }
const ONE = transferFile()
const BARIDIMOB_ALONE = transferFile({ accounts: [BARIDIMOB] })
const TWO = transferFile({ accounts: [CCP, BARIDIMOB], second_approval_from: 2_000 })
const envWith = (TRANSFER_FILE: string) => ({
  OPERATOR_KEYS: `amina:${KEYS.amina},karim:${KEYS.karim}`,
  TRANSFER_FILE,
})

// Without what was refused.
const selectActs = sql(`select actor, act, reason from audit where act <> 'operator.refused' order by id`)
const selectReceipts = sql('select payment_id from documents where place = 0 order by number')
const selectCompared = sql('select distinct method from reconciliations')
const setProof = sql('update transfers set proof_at = $2::timestamptz where payment_id = $1')

describeWorldOnEach('a transfer', { env: envWith(ONE) }, ({ database, world, restart, beside }) => {
  const amina = operatorOf(world, KEYS.amina)
  const karim = operatorOf(world, KEYS.karim)
  const reopen = (file: string) => restart({ env: envWith(file) })

  const ask = (userId = 'user-1') => orderTransfer(world, userId)
  const today = () => new Date(world.clock.now()).toISOString().slice(0, 10)
  const received = () => ({ amount: 2000, received_at: today() })
  const approve = (id: string, changes: object = {}, operator = amina) =>
    operator.post(`/payments/${id}/approve`, { ...received(), why: 'on the statement', ...changes })
  const refuse = (id: string, why = 'nothing came') => amina.post(`/payments/${id}/refuse`, { why })
  const payment = async (id: string, userId = 'user-1') =>
    (await world.as(userId).get(`${PAYMENTS}/${id}`)).body
  const status = async (userId = 'user-1') => {
    const { plan, status, current_period_end } = (await world.as(userId).get('/api/v1/billing/status')).body
    return [plan, status, current_period_end]
  }
  const events = async () => (await writtenEvents(database())).map(({ type }) => type)
  const receipts = async () => (await database().query(selectReceipts)).map(({ payment_id }) => payment_id)
  const codeOf = ({ status, body }: Answer) => [status, body.code]
  const storedOf = async (id: string) => {
    const stored = await findTransfer(database(), { userId: 'user-1', paymentId: id })
    if (!stored) throw new Error('there is no transfer')
    return stored
  }
  /** Writes a decision down as a process does that then dies: nothing is settled. */
  const writeDown = (
    stored: Awaited<ReturnType<typeof storedOf>>,
    act: 'payment.approve' | 'payment.refuse',
    amount = 2000,
  ) => {
    const now = world.clock.now()
    const { transfer, payment: of } = stored
    const approval = { by: 'karim', at: now, amount, receivedAt: now, instrument: 'ccp' as const }
    const decision =
      act === 'payment.approve'
        ? decideApproval(transfer, of, approval, null)
        : decideRefusal(transfer, of, 'the money goes back')
    if (decision.kind !== 'changed') throw new Error('nothing is decided')
    const whole = { operator: ownerNamed('karim'), act, reason: 'seen' }
    const paymentId = of.id
    const audit = auditEntry(world.service.parts.ids, whole, { paymentId, before: {}, after: {}, now })
    return saveDecision(database(), stored, decision.transfer, { audit, now })
  }

  it('has a reference, the accounts and seven days, and grants nothing', async () => {
    const asked = await ask()
    expect(asked).toMatchObject({
      status: 'pending',
      method: 'transfer',
      checkout_url: null,
      payment_method: 'ccp',
      expires_at: '2026-11-28T12:00:00Z',
      transfer: {
        reference: expect.stringMatching(/^([2-9FJKMRW]{4}-){2}[2-9FJKMRW]{4}$/),
        accounts: [{ ...CCP, rip: BARIDIMOB.number, bank: null, iban: null }],
      },
    })
    expect(await ask()).toEqual(asked)
    expect(await payment(asked.id)).toEqual(asked)
    expect((await world.as('user-1').get('/api/v1/billing/overview')).body.pending_payment).toEqual(asked)
    expect(await status()).toEqual(['free', 'active', null])
    expect(await events()).toEqual(['payment.requested'])
  })

  it('has a reference of its own: that of another user is not given again', async () => {
    const { id, transfer } = await ask()
    const reference = transfer.reference.replaceAll('-', '')
    const { paymentId } = await world.as('user-2').upgrade()
    const of = { userId: 'user-2', paymentId }
    await insertTransfer(database(), { ...of, reference })
    expect(await findTransfer(database(), of)).toBeNull()
    const [found] = (await amina.get(`/search?q=${reference}`)).body.payments
    expect(found).toMatchObject({ id })
  })

  it('is refused where no account is configured', async () => {
    const without = await beside()
    const answer = await without.as('user-1').post(PAYMENTS, { plan: 'pro', method: 'transfer' })
    expect(codeOf(answer)).toEqual([422, 'unknown_method'])
  })

  it('that is approved is paid, with a receipt, from the approval on', async () => {
    const { id } = await ask()
    await world.advance(2 * DAY)
    const { status: answered, body } = await approve(id, { received_at: '2026-11-22' })
    expect(answered).toBe(200)
    expect(body).toMatchObject({
      payment: {
        status: 'paid',
        payment_method: 'ccp',
        paid_at: '2026-11-23T12:00:00Z',
        transfer: { accounts: [] },
      },
      transfer: {
        state: 'approved',
        approvals: [
          { by: 'amina', amount: 2000, received_at: '2026-11-21T23:00:00Z', payment_method: 'ccp' },
        ],
        approvals_needed: 1,
      },
      settled_by: 'operator',
    })
    expect(await status()).toEqual(['pro', 'active', '2026-12-23T12:00:00Z'])
    expect(await receipts()).toEqual([id])
    expect(await events()).toEqual(['payment.requested', 'payment.paid', 'subscription.activated'])
    expect(await database().query(selectActs)).toEqual([
      { actor: 'amina', act: 'payment.approve' as const, reason: 'on the statement' },
    ])
  })

  it('is looked at beforehand, which says what a decision would do and changes nothing', async () => {
    const { id } = await ask()
    const look = async (query: string) => afterOf((await amina.get(`/payments/${id}/${query}`)).body)
    const came = (amount: number) =>
      look(`approve?amount=${amount}&received_at=2026-11-21&payment_method=ccp`)
    const free = { plan: 'free', status: 'active', current_period_end: null }
    expect(await came(2000)).toMatchObject({
      ...{ status: 'paid', amountAsked: 2000, amountCame: 2000 },
      access: { plan: 'pro', status: 'active', current_period_end: '2026-12-21T12:00:00Z' },
      receiptWillSay: { ht: 1680.67, tva: 319.33, ttc: 2000, amount_asked: null, total: 2000 },
    })
    expect(await came(1500)).toMatchObject({ status: 'review', access: free, receiptWillSay: null })
    expect(await look('refuse')).toMatchObject({ status: 'canceled', access: free, receiptWillSay: null })
    expect(await amina.payment(id)).toMatchObject({ payment: { status: 'pending' }, audit: [] })
  })

  it('that ten approve at once is booked once', async () => {
    const { id } = await ask()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => approve(id, {}, n % 2 ? amina : karim)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
    expect(await receipts()).toEqual([id])
    expect(await database().query(selectActs)).toHaveLength(1)
  })

  it('of which two must have seen the money is booked by the second, never by one alone', async () => {
    await reopen(TWO)
    const { id } = await ask()
    expect((await approve(id)).body.errors).toMatchObject([{ pointer: '/payment_method', code: 'required' }])
    const first = await approve(id, { payment_method: 'baridimob' })
    expect(first.body).toMatchObject({
      payment: { status: 'pending' },
      transfer: { state: 'open', approvals: [{ by: 'amina' }], approvals_needed: 2 },
    })
    const again = await Promise.all([1, 2, 3].map(() => approve(id, { payment_method: 'baridimob' })))
    expect(again.map(codeOf)).toEqual(Array(3).fill([409, 'second_operator_needed']))
    const other = await approve(id, { payment_method: 'baridimob', amount: 1999 }, karim)
    expect([...codeOf(other), other.body.approved_amount]).toEqual([409, 'conflict', 2000])
    expect(await status()).toEqual(['free', 'active', null])
    const second = await approve(id, { payment_method: 'baridimob' }, karim)
    expect(second.body.payment).toMatchObject({ status: 'paid', payment_method: 'baridimob' })
    expect(await receipts()).toEqual([id])
    // Two calls of two operators are two, also under one operation id: as by the line of a statement.
    const line = { operation_id: 'line 17', payment_method: 'ccp' }
    const { id: named } = await ask('user-2')
    for (const [by, became] of [
      [amina, 'pending'],
      [amina, 'pending'],
      [karim, 'paid'],
      [karim, 'paid'],
    ] as const)
      expect((await approve(named, line, by)).body.payment.status).toBe(became)
    expect((await amina.payment(named)).audit).toHaveLength(2)
  })

  it('is settled by a repetition before it answers, also while the first call still settles', async () => {
    const { parts } = world.service
    for (const [act, user, became] of [
      [approveAct, 'user-1', 'paid'],
      [refuseAct, 'user-2', 'canceled'],
    ] as const) {
      const { id } = await ask(user)
      const sent = { why: 'seen', operation_id: 'op', ...(act === approveAct && received()) }
      const repeated: Answer[] = []
      const save: typeof parts.settlements.save = async (...asked) => {
        repeated.push(await amina.post(`/payments/${id}/${verbOf(act)}`, sent))
        return parts.settlements.save(...asked)
      }
      const deps = { ...parts, settlements: { ...parts.settlements, save } }
      await doAct(deps, act, callBy(ownerNamed('amina'), id, sent))
      expect(repeated.map(({ body }) => body.payment.status)).toEqual([became])
    }
    expect(await receipts()).toHaveLength(1)
  })

  it('of another amount goes to review, and is taken as it is or approved as it should be', async () => {
    const [less, mistyped] = [await ask('user-1'), await ask('user-2')]
    // What was said last counts.
    for (const { id } of [less, mistyped])
      for (const amount of [50, 1500])
        expect((await approve(id, { amount })).body.payment).toMatchObject({
          status: 'review',
          review: {
            amount,
            provider_status: 'paid',
            differences: [`amount: ours is 2000, the operator says ${amount}`],
          },
        })
    expect([await status('user-1'), await receipts()]).toEqual([['free', 'active', null], []])
    await amina.post(`/payments/${less.id}/accept`, { why: 'a good customer' })
    await approve(mistyped.id, { why: 'mistyped' })
    for (const userId of ['user-1', 'user-2']) expect((await status(userId))[0]).toBe('pro')
    expect(await receipts()).toEqual([less.id, mistyped.id])
  })

  it('put right by one operator is not taken before the second has, also past its end', async () => {
    await reopen(TWO)
    const { id } = await ask()
    const say = (amount: number, by: OperatorCaller) => approve(id, { amount, payment_method: 'ccp' }, by)
    for (const by of [amina, karim]) await say(1500, by)
    await say(2000, amina)
    await world.advance(8 * DAY)
    const taken = await amina.post(`/payments/${id}/accept`, { why: 'put right' })
    expect(codeOf(taken)).toEqual([409, 'conflict'])
    expect((await amina.payment(id)).payment.status).toBe('review')
    expect((await say(2000, karim)).body.payment.status).toBe('paid')
  })

  it('waits where TRANSFER_FILE is gone, and is approved as what it is under another one', async () => {
    const { id } = await ask()
    await reopen('')
    for (const answer of [await approve(id, { payment_method: 'ccp' }), await refuse(id)])
      expect(codeOf(answer)).toEqual([409, 'conflict'])
    expect(await database().query(selectActs)).toEqual([])
    await reopen(BARIDIMOB_ALONE)
    const { body } = await approve(id, { payment_method: 'ccp' })
    expect(body.payment).toMatchObject({ status: 'paid', payment_method: 'ccp' })
  })

  it('refused, also after its end, tells why, and is approved if the money comes after all', async () => {
    const [{ id }, { id: over }] = [await ask(), await ask('user-2')]
    expect((await refuse(id)).body).toMatchObject({
      payment: { status: 'canceled' },
      transfer: { state: 'refused', refusal: 'nothing came' },
    })
    expect(codeOf(await refuse(id))).toEqual([409, 'conflict'])
    await world.advance(3 * DAY)
    expect((await approve(id)).body.payment.status).toBe('paid')
    expect(await status()).toEqual(['pro', 'active', '2026-12-24T12:00:00Z'])
    const late = await refuse(id)
    expect([...codeOf(late), late.body.payment_status]).toEqual([409, 'conflict', 'paid'])
    await world.advance(5 * DAY)
    expect((await payment(over, 'user-2')).status).toBe('expired')
    expect((await refuse(over)).body.payment.status).toBe('canceled')
    const told = (await writtenEvents(database())).filter(({ type }) => type === 'payment.refused')
    expect(told.map(({ data }) => data.reason)).toEqual(['nothing came', 'nothing came'])
  })

  it('that has expired leaves room for another, and both count if both are paid', async () => {
    const first = await ask()
    await world.advance(7 * DAY)
    expect((await payment(first.id)).status).toBe('expired')
    const second = await ask()
    expect(second.transfer.reference).not.toBe(first.transfer.reference)
    await approve(second.id)
    expect((await approve(first.id)).body.payment.status).toBe('paid')
    expect(await status()).toEqual(['pro', 'active', '2027-01-28T12:00:00Z'])
  })

  it('stays open beside a card payment, is not withdrawn by it, and both count, stacked', async () => {
    const { id } = await ask()
    const { paymentId } = await world.as('user-1').buy()
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
    expect((await payment(id)).status).toBe('pending')
    const returned = async () =>
      wordsOf((await world.call('GET', `/portal/return/${paymentId}?lang=en`)).text)
    expect(await returned()).toContain('A transfer is open as well. If you have sent it, it counts too')
    await approve(id)
    expect(await returned()).not.toContain('A transfer is open')
    expect(await status()).toEqual(['pro', 'active', '2027-01-21T12:00:00Z'])
    expect(await receipts()).toHaveLength(2)
    await world.advance(DAY)
    // A transfer is compared with no provider.
    expect(await database().query(selectCompared)).toEqual([{ method: 'chargily' }])
  })

  it('gives way to a card’s page where one payment is shown, until that is closed', async () => {
    const { id } = await ask()
    const { paymentId } = await world.as('user-1').upgrade()
    const shown = async () =>
      (await world.as('user-1').get('/api/v1/billing/overview')).body.pending_payment.id
    expect(await shown()).toBe(paymentId)
    await world.advance(3_600)
    expect(await shown()).toBe(id)
  })

  it('goes on with a run in grace, or proved in grace while its time lasts; else begins anew', async () => {
    // Paid on 21 November: the end is 21 December, grace ends on the 24th. By user, the day of the
    // approval, that of the proof, and what is expected: the payment, the start of its time and the end.
    const users = [
      ['in grace', 32, null, '2026-12-23', '2026-12-21', '2027-01-21'],
      ['after grace', 34, null, '2026-12-25', '2026-12-25', '2027-01-25'],
      ['proved after grace', 40, 34, '2026-12-31', '2026-12-31', '2027-01-31'],
      ['proved in grace', 50, 32, '2027-01-10', '2026-12-21', '2027-01-21'],
      ['proved in grace, all over', 61, 32, '2027-01-21', '2027-01-21', '2027-02-21'],
    ] as const
    for (const [userId] of users) await world.as(userId).buy()
    await world.advance(29 * DAY)
    const asked = new Map<string, string>()
    for (const [userId, , proved] of users) {
      const { id } = await ask(userId)
      asked.set(userId, id)
      const at = new Date(world.clock.now() + ((proved ?? 0) - 29) * DAY * 1000).toISOString()
      if (proved !== null) await database().query(setProof, [id, at])
    }
    let day = 29
    for (const [userId, approvedOn, , ...expected] of users) {
      await world.advance((approvedOn - day) * DAY)
      day = approvedOn
      const { body } = await approve(asked.get(userId) ?? '')
      const found = [body.payment.paid_at, body.payment.period_start, (await status(userId))[2]]
      expect([userId, ...found]).toEqual([userId, ...expected.map((one) => `${one}T12:00:00Z`)])
    }
  })

  it('whose approval was written down by a process that then died is booked by the sweep', async () => {
    const { id } = await ask()
    const stored = await storedOf(id)
    for (const saved of ['saved', 'stale']) expect(await writeDown(stored, 'payment.approve')).toBe(saved)
    expect(await status()).toEqual(['free', 'active', null])
    await world.advance(10)
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
    expect(await receipts()).toEqual([id])
  })

  it('that is booked while it is refused is not refused', async () => {
    const { id } = await ask()
    await approve(id, { amount: 1999 })
    const stored = await storedOf(id)
    await amina.post(`/payments/${id}/accept`, { why: 'a good customer' })
    expect(await writeDown(stored, 'payment.refuse')).toBe('stale')
    // They have one instant, so their order is undefined.
    expect((await database().query(selectActs)).map((row) => row.act).sort()).toEqual([
      'payment.accept',
      'payment.approve',
    ])
  })

  describe('decided while a settlement of it is on its way', () => {
    /**
     * The settlement of what is known now; `between` happens when it has been decided and is not saved yet.
     */
    const settleAround = async (id: string, between: () => Promise<unknown>) => {
      const { parts } = world.service
      let isFirst = true
      const save: typeof parts.settlements.save = async (change, giveUpAt) => {
        if (isFirst) {
          isFirst = false
          await between()
        }
        return parts.settlements.save(change, giveUpAt)
      }
      const payment = await findPayment(database(), 'user-1', id)
      if (!payment) throw new Error('there is no payment')
      const deps = { ...parts, settlements: { ...parts.settlements, save } }
      await askProvider(deps, payment, { source: 'operator' })
      expect(isFirst).toBe(false)
    }
    const stateOf = async (id: string) => {
      const stored = await storedOf(id)
      return [stored.transfer.state, stored.payment.status]
    }

    const approveAndDie = async (id: string, amount?: number) =>
      expect(await writeDown(await storedOf(id), 'payment.approve', amount)).toBe('saved')

    it('is refused, not booked as well', async () => {
      const { id } = await ask()
      await approve(id, { amount: 1999 })
      await approveAndDie(id)
      await settleAround(id, () => refuse(id))
      expect(await stateOf(id)).toEqual(['refused', 'canceled'])
      expect(await receipts()).toEqual([])
    })

    it('is not accepted with a figure that was put right meanwhile, but under review with it', async () => {
      const { id } = await ask()
      await approve(id, { amount: 1999 })
      await approveAndDie(id, 50)
      const accept = () => amina.post(`/payments/${id}/accept`, { why: 'a good customer' })
      const refused = await accept()
      expect([...codeOf(refused), refused.body.payment_status]).toEqual([409, 'conflict', 'review'])
      expect((await amina.payment(id)).payment.review).toMatchObject({ amount: 50 })
      expect(await receipts()).toEqual([])
      expect((await accept()).body.payment.status).toBe('paid')
    })

    it('is not ended once it is approved: its user may choose something else meanwhile', async () => {
      const { id, transfer } = await ask()
      await approveAndDie(id)
      const reference = transfer.reference.replaceAll('-', '')
      const answer = await world.service.parts.methods.of('transfer').expireCheckout(reference)
      expect(answer).toMatchObject({ ok: true, value: { status: 'paid' } })
      expect(await stateOf(id)).toEqual(['approved', 'pending'])
    })

    it('is booked by the settlement that was about to close it, though the approver died', async () => {
      const { id } = await ask()
      world.clock.advance(8 * DAY * 1_000)
      await settleAround(id, () => approveAndDie(id))
      expect(await stateOf(id)).toEqual(['approved', 'paid'])
      expect(await receipts()).toEqual([id])
    })
  })

  it('that is not paid has its state in the portal, where its page after paying leads', async () => {
    const { id } = await ask()
    const ahead = async () => {
      const { status, headers } = await world.call('GET', `/portal/return/${id}`)
      return [status, headers.get('location')]
    }
    const portal = [303, `${world.base}/portal`]
    expect(await ahead()).toEqual(portal)
    await refuse(id)
    expect(await ahead()).toEqual(portal)
    await approve(id)
    expect(await ahead()).toEqual([200, null])
  })

  it('alone is approved or refused: a card’s payment is not', async () => {
    const { paymentId } = await world.as('user-1').upgrade()
    for (const answer of [await approve(paymentId), await refuse(paymentId)])
      expect([...codeOf(answer), answer.body.payment_status]).toEqual([409, 'conflict', 'pending'])
    expect(codeOf(await approve('pay_nope'))).toEqual([404, 'not_found'])
  })

  it('is listed by method, and exported with its day', async () => {
    const { id } = await ask()
    await world.as('user-2').buy()
    await world.advance(DAY)
    await approve(id, { received_at: '2026-11-21' })
    const listed = async (query: string) =>
      (await amina.get(`/payments?${query}`)).body.data.map((one: { id: string }) => one.id)
    expect(await listed('method=transfer')).toEqual([id])
    expect(await listed('method=transfer&status=pending')).toEqual([])
    const { text } = await amina.get('/exports/accounts?month=2026-11')
    expect(text).toMatch(new RegExp(`,${id},.*,transfer,.*,2026-11-22T12:00:00Z,.*,2026-11-21 00:00:00,`))
  })

  it('says on the page after paying and in the history how it was paid', async () => {
    const { id, transfer } = await ask()
    await approve(id)
    const portal = await enterPortal(world, 'user-1')
    const returned = wordsOf((await portal.open(`/portal/return/${id}`)).text)
    for (const words of ['Payment method CCP payment', ` ${transfer.reference} `])
      expect(returned).toContain(words)
    expect(wordsOf((await portal.open('/portal/payments')).text)).toContain(' · CCP payment')
  })
})
