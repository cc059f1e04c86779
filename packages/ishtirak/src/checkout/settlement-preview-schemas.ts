// The shapes of a look: what the provider says of a payment now, and what an act would change.
import { Type } from 'typebox'
import { StandingSchema, viewStanding } from '../acts/preview.js'
import type { Payment } from '../core/payment.js'
import { type DocumentSnapshot, totalOf } from '../core/receipt.js'
import { nullable, object } from '../http/schemas.js'
import { amountAsked } from '../ledger/schemas.js'
import type { ProviderPreview, SettlementPreview } from './settlement-preview.js'

export const StatusChangeSchema = object('StatusChange', { before: Type.String(), after: Type.String() })

const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
const ReceiptPreviewSchema = object('ReceiptPreview', {
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('what came, tax included'),
  amount_asked: amountAsked,
  stamp_duty: dinars('of cash alone, on top of `ttc`'),
  total: dinars('`ttc` and the duty'),
})
export const receiptOrNull = nullable(ReceiptPreviewSchema, {
  description: 'What the receipt would say; null: nothing would be booked',
})

export const SettlementPreviewSchema = object('Look', {
  payment_id: Type.String(),
  user_id: Type.String(),
  answered: Type.Boolean({
    description: 'False: the provider does not answer, or there is no checkout to ask about',
  }),
  provider: nullable(
    Type.Object({
      status: Type.String(),
      amount: nullable(Type.Integer()),
      currency: nullable(Type.String()),
    }),
  ),
  payment_status: StatusChangeSchema,
  before: StandingSchema,
  after: StandingSchema,
  receipt: receiptOrNull,
})

export function viewSettlementPreview({ isAnswered, said, ...change }: ProviderPreview) {
  return {
    ...viewChange(change),
    answered: isAnswered,
    provider: said && { status: said.status, amount: said.amount, currency: said.currency },
  }
}

/** In dinars. */
function viewReceipt(receipt: DocumentSnapshot) {
  const { split, asked = null, stampDutyCentimes } = receipt
  return {
    ...{ ht: split.netCentimes / 100, tva: split.taxCentimes / 100, ttc: split.totalCentimes / 100 },
    ...{ amount_asked: asked, stamp_duty: stampDutyCentimes / 100, total: totalOf(receipt) / 100 },
  }
}

type Change = Pick<SettlementPreview, 'payment' | 'status' | 'access' | 'receipt'>

export function viewChange({ payment, status, access, receipt }: Change) {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    payment_status: { before: publicStatus(status.before), after: publicStatus(status.after) },
    before: viewStanding(access.before),
    after: viewStanding(access.after),
    receipt: receipt && viewReceipt(receipt),
  }
}

/** Users and operators know no `requested`. */
function publicStatus(status: Payment['status']) {
  return status === 'requested' ? 'pending' : status
}
