// Another amount came than was asked for, and an operator takes it: what came is booked, everywhere; what was
// asked stands beside it.
import { insertReceipts } from '../../../../bench/support/receipt-rows.mjs'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { payOtherwise } from '../../../../test/support/other-amount.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { afterOf } from '../../../../test/support/preview.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer } from '../../../../test/support/transfers.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'

const PAYMENTS = '/api/v1/billing/payments'
const changeAmount = sql('update payments set amount = 2000, amount_asked = null where id = $1')
const falsifyReceipt = sql(
  insertReceipts(`select user_id, id, 'X-2026' as series, 1 as number, now() as issued_at, 1500 as amount
                    from payments where id = $1`),
)

describeWorld('another amount than was asked for', { env: { TRANSFER_FILE } }, ({ world, database }) => {
  const user = 'user-1'
  const operator = operatorOf(world)

  /** The net amount, the tax and the total: 19 % of what was paid. */
  const CAME = { ht: 1260.5, tva: 239.5, ttc: 1500, amount_asked: 2000, stamp_duty: 0, total: 1500 }

  it('is what the preview says, and the payment, its receipt and the events', async () => {
    const id = await payOtherwise(world, user, { charged: 1500 })
    const receiptOf = async (act: string) =>
      afterOf((await operator.get(`/payments/${id}/${act}`)).body).receiptWillSay
    expect(await receiptOf('recheck')).toBeNull()
    expect(await receiptOf('accept')).toEqual(CAME)
    const acted = await operator.post(`/payments/${id}/accept`, { why: 'the user was asked' })
    expect(acted.body).toMatchObject({
      payment: { status: 'paid', amount: 1500, amount_asked: 2000 },
      receipt: { stamp_duty: 0, total: 1500 },
      audit: [{ after: { payment: { amount: 1500, amount_asked: 2000 } } }],
    })
    expect(afterOf((await operator.get(`/payments/${id}/refund`)).body)).toMatchObject({ amount: 1500 })
    const own = (await world.as(user).get(`${PAYMENTS}/${id}`)).body
    expect(own).toMatchObject({ amount: 1500, amount_asked: 2000, period_end: '2026-12-21T12:00:00Z' })
    expect((await world.as(user).get(PAYMENTS)).body.data).toMatchObject([
      { amount: 1500, amount_asked: 2000 },
    ])
    const [document] = await documentsOfPayment(database(), { userId: user, id })
    expect(document?.snapshot).toMatchObject({
      amount: 1500,
      asked: 2000,
      split: { netCentimes: 126_050, taxCentimes: 23_950, totalCentimes: 150_000 },
    })
    const told = (await writtenEvents(database())).map(({ type, data: { payment } }) => [
      ...[type, payment?.amount, payment?.amount_asked],
    ])
    expect(told).toEqual([
      ['payment.review', 2000, null],
      ['payment.paid', 1500, 2000],
      ['subscription.activated', 1500, 2000],
    ])
  })

  it('by a transfer prints what came, as the forms of the console say before it is taken', async () => {
    const { id } = await orderTransfer(world, user)
    const visit = await enterConsole(world, OPERATOR_KEY)
    const came = { amount: 1980, received_at: '2026-11-21', payment_method: 'ccp', why: 'on the statement' }
    await operator.post(`/payments/${id}/approve`, came)
    const { path, words, fields } = await visit.ask(`/console/payments/${id}/accept`)
    expect(words).toContain(
      'The receipt will say 1 980 DA paid, 1 663,87 DA without tax and 316,13 DA TVA · ' +
        'Amount asked for 2 000 DA',
    )
    const told = await visit.follow(await visit.submit(path, { ...fields, why: 'fees' }))
    expect(told).toContain('Amount 1 980 DA (2 000 DA asked for)')
    expect(await operator.payment(id)).toMatchObject({
      payment: { status: 'paid', amount: 1980, amount_asked: 2000 },
      transfer: { approvals_needed: 1 },
      receipt: { total: 1980 },
    })
  })

  it('is told to the user, also where the plans stand, to which no link leads meanwhile', async () => {
    await payOtherwise(world, user, { charged: 1500 })
    const { open } = await enterPortal(world, user)
    expect((await open()).text).not.toContain('/portal/plans"')
    expect(wordsOf((await open('/portal/plans')).text)).toContain('We received 1 500 DA')
  })

  it('is not taken where there is no such amount of money', async () => {
    const id = await payOtherwise(world, user, { charged: 0 })
    const preview = await operator.get(`/payments/${id}/accept`)
    expect(afterOf(preview.body).receiptWillSay).toBeNull()
    const refused = await operator.post(`/payments/${id}/accept`, { why: 'x' })
    expect([refused.status, refused.body.payment_status]).toEqual([409, 'review'])
  })

  it('stays as it was booked, and no receipt says another: the database refuses it', async () => {
    const id = await payOtherwise(world, user, { charged: 1500 })
    await operator.post(`/payments/${id}/accept`, { why: 'the user was asked' })
    await expect(database().query(changeAmount, [id])).rejects.toThrow('its amount cannot change')
    const { id: open } = await orderTransfer(world, user)
    await expect(database().query(falsifyReceipt, [open])).rejects.toThrow('has another amount')
  })
})
