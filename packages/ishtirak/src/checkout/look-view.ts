// A look as the API writes it: what an act would change of a payment, of its user's access and on the receipt.
import { viewStanding } from '../acts/preview.js'
import type { Payment } from '../core/payment.js'
import { type ReceiptSnapshot, totalOf } from '../core/receipt.js'
import type { Look } from './look.js'

export function viewChange({ payment, status, access, receipt }: Omit<Look, 'version'>) {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    payment_status: { before: publicStatus(status.before), after: publicStatus(status.after) },
    before: viewStanding(access.before),
    after: viewStanding(access.after),
    receipt: receipt && viewReceipt(receipt),
  }
}

/** In dinars. */
function viewReceipt(receipt: ReceiptSnapshot) {
  const { split, asked = null, stampDutyCentimes } = receipt
  return {
    ...{ ht: split.netCentimes / 100, tva: split.taxCentimes / 100, ttc: split.totalCentimes / 100 },
    ...{ amount_asked: asked, stamp_duty: stampDutyCentimes / 100, total: totalOf(receipt) / 100 },
  }
}

/** Users and operators know no `requested`. */
function publicStatus(status: Payment['status']) {
  return status === 'requested' ? 'pending' : status
}
