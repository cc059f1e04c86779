import { aPayment, NOON, PRO } from '../../../../test/support/fixtures.js'
import { DAY, HOUR, MINUTE } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import {
  decideApproval,
  decideProof,
  decideRefusal,
  receivedWithin,
  reportOfTransfer,
} from './decide-transfer.js'
import type { Approval, Transfer } from './transfers.sql.js'

const OPEN: Transfer = { state: 'open', approvals: [], refusal: null, proofAt: null }
const PRICE = { amount: PRO.price, currency: 'DZD' }
const by = (operator: string, changes: Partial<Approval> = {}): Approval => ({
  by: operator,
  at: NOON,
  amount: 2000,
  receivedAt: NOON - DAY,
  instrument: 'ccp',
  ...changes,
})
const approve = (
  transfer: Transfer,
  approval: Approval,
  { status = 'pending', secondFrom = null }: { status?: Payment['status']; secondFrom?: number | null } = {},
) => {
  const decision = decideApproval(transfer, { status, amountAsked: null, price: PRICE }, approval, secondFrom)
  if (decision.kind === 'refused') return decision.because
  return decision.kind === 'unchanged'
    ? decision.kind
    : [decision.transfer.state, decision.transfer.approvals.map((one) => one.by).join()]
}
const approved = (...approvals: readonly Approval[]): Transfer => ({ ...OPEN, state: 'approved', approvals })

describe('an approval', () => {
  it('counts in each state without a booking: money may come late', () => {
    for (const state of ['open', 'ended', 'refused'] as const) {
      const transfer = { ...OPEN, state, refusal: 'nothing came' }
      expect.soft(approve(transfer, by('amina')), state).toEqual(['approved', 'amina'])
    }
  })

  it('is enough alone below the bound, by the price and by what came', () => {
    const alone = (amount: number, secondFrom: number) =>
      approve(OPEN, by('amina', { amount }), { secondFrom })
    expect([alone(1_999, 2_001), alone(2_000, 2_001)]).toEqual(Array(2).fill(['approved', 'amina']))
    // Less is said to have come than the price; more came.
    expect([alone(1, 2_000), alone(9_000, 9_000)]).toEqual(Array(2).fill(['open', 'amina']))
  })

  it('from the bound on takes two people', () => {
    const [first, rules] = [by('amina'), { secondFrom: 2_000 }]
    expect(approve(OPEN, first, rules)).toEqual(['open', 'amina'])
    const waiting = { ...OPEN, approvals: [first] }
    expect(approve(waiting, first, rules)).toBe('same_operator')
    expect(approve(waiting, by('karim', { amount: 2_001 }), rules)).toBe('differs')
    expect(approve(waiting, by('karim', { instrument: 'baridimob' }), rules)).toBe('differs')
    expect(approve(waiting, by('karim', { receivedAt: NOON }), rules)).toEqual(['approved', 'amina,karim'])
  })

  it('of one person is one, however the name is spelled, by any key or subject that may be theirs', () => {
    const rules = { secondFrom: 2_000 }
    expect(approve({ ...OPEN, approvals: [by('amina')] }, by('Amina'), rules)).toBe('same_operator')
    const waiting = { ...OPEN, approvals: [by('oidc:1 amina@host.example')] }
    expect(approve(waiting, by('karim'), rules)).toBe('same_operator')
    expect(approve(waiting, by('oidc:1'), rules)).toBe('same_operator')
    expect(approve(waiting, by('oidc:2'), rules)).toEqual(['approved', 'oidc:1 amina@host.example,oidc:2'])
  })

  it('is put right by the same person while a second is waited for, and without a bound is enough', () => {
    const waiting = { ...OPEN, approvals: [by('amina', { amount: 200 })] }
    expect(approve(waiting, by('amina'), { secondFrom: 2_000 })).toEqual(['open', 'amina'])
    expect(approve({ ...OPEN, approvals: [by('amina')] }, by('amina'))).toEqual(['approved', 'amina'])
  })

  it('is made once', () => {
    expect(approve(approved(by('amina')), by('amina'))).toBe('unchanged')
    expect(approve(approved(by('amina')), by('karim'))).toBe('decided')
    expect(approve(approved(by('amina')), by('amina', { amount: 3_000 }))).toBe('decided')
    for (const status of ['paid', 'refunded'] as const)
      expect(approve(approved(by('amina')), by('amina'), { status })).toBe('decided')
  })

  it('is made again with other figures while the payment is under review, by the same person too', () => {
    const wrong = approved(by('amina', { amount: 200 }))
    expect(approve(wrong, by('amina'), { status: 'review' })).toEqual(['approved', 'amina'])
    expect(approve(wrong, by('amina'), { status: 'review', secondFrom: 1 })).toEqual(['open', 'amina'])
    expect(approve(wrong, by('amina', { amount: 200 }), { status: 'review' })).toBe('unchanged')
  })
})

describe('a refusal', () => {
  const refuse = (transfer: Transfer, status: Payment['status']) => {
    const decision = decideRefusal(transfer, { status }, 'nothing came')
    if (decision.kind !== 'changed') return decision.kind
    const { state, approvals, refusal } = decision.transfer
    return [state, approvals.length, refusal]
  }
  it('takes an approval back, after the end too, and while other money is under review', () => {
    const refused = ['refused', 0, 'nothing came']
    expect(refuse({ ...OPEN, approvals: [by('amina')] }, 'pending')).toEqual(refused)
    expect(refuse(OPEN, 'expired')).toEqual(refused)
    expect(refuse(approved(by('amina')), 'review')).toEqual(refused)
  })

  it('is not of money that is booked, or being booked, and not made twice', () => {
    for (const status of ['paid', 'refunded'] as const)
      expect(refuse(approved(by('amina')), status)).toBe('refused')
    expect(refuse(approved(by('amina')), 'pending')).toBe('refused')
    const refused: Transfer = { ...OPEN, state: 'refused', refusal: 'nothing came' }
    expect([refuse(refused, 'canceled'), refuse(refused, 'pending')]).toEqual(['refused', 'unchanged'])
  })
})

it('money came between the 60th day before the order, in the shop’s calendar, and now, by two clocks', () => {
  const startOfDay = (instant: number) => instant - ((instant + HOUR) % DAY)
  expect(receivedWithin({ createdAt: NOON }, NOON + HOUR, startOfDay)).toEqual({
    earliest: NOON - 13 * HOUR - 60 * DAY,
    latest: NOON + HOUR + 10 * MINUTE,
  })
})

it('a decided transfer takes no proof', () => {
  const file = { type: 'image/png', bytes: 9, sha256: 'x' } as const
  for (const state of ['approved', 'refused'] as const) {
    const decision = decideProof({ ...OPEN, state }, [], file, NOON)
    expect.soft(decision, state).toEqual({ kind: 'refused', because: 'decided' })
  }
})

it('a transfer is waited for until its end, and not at it', () => {
  const payment = aPayment()
  const at = (now: number) => reportOfTransfer('K4M92R8FJW36', OPEN, payment, now).status
  expect([at(payment.expiresAt - 1), at(payment.expiresAt)]).toEqual(['pending', 'expired'])
})
