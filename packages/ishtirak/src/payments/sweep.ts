// The third way to learn of a payment: asking the provider about those that were not heard of. A sweep that runs on
// its own, in any number of processes, and is safe to kill at any line.

import { MINUTE } from '../core/instant.js'
import { checkoutMadeAt, nextCheckAfter, type Payment } from '../core/payment.js'
import { type Lookup, lookUpPayment, reportOfLoss } from './look-up-payment.js'
import { type SettleDeps, settlePayment } from './settle.js'
import { claimDuePayments, scheduleNextCheck } from './sweep.sql.js'
import { withdrawPayment } from './upgrade.sql.js'

/** A look that was not finished (crash, provider out of reach) is due again after this. */
const RETRY_MS = 2 * MINUTE

/** Looks up to `limit` due payments at the provider. Gives how many were looked at; failures stay due. */
export async function checkDuePayments(deps: SettleDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await claimDuePayments(deps.database, { now, limit, retryAt: now + RETRY_MS })
  for (const payment of due) await check(deps, payment)
  return due.length
}

async function check(deps: SettleDeps, payment: Payment): Promise<void> {
  const lookup = await lookUpPayment(deps, payment, { source: 'sweep' })
  if (lookup.kind === 'failed') {
    deps.log.warn({ payment_id: payment.id, failure: lookup.failure }, 'a payment could not be looked up')
    return
  }
  const now = deps.clock.now()
  const [report] = lookup.kind === 'settled' ? lookup.reports : []
  const madeAt = report ? checkoutMadeAt(payment, report, now) : null
  const { looksAfterMs } = deps.methods.of(payment.method)
  const nextCheckAt = nextCheckAfter(madeAt ?? payment.createdAt, now, looksAfterMs)
  if (nextCheckAt === null) await giveUp(deps, payment, lookup)
  await scheduleNextCheck(deps.database, payment, nextCheckAt)
}

/** Past its last look and never seen at the provider: the process that asked is gone, and nothing can be paid. */
async function giveUp(deps: SettleDeps, payment: Payment, lookup: Lookup): Promise<void> {
  if (lookup.kind !== 'not_there') return
  if (payment.checkoutId === null) return withdrawPayment(deps.database, payment, 'expired')
  const report = reportOfLoss(payment, payment.checkoutId)
  await settlePayment(deps, { report, event: null, source: 'sweep' })
}
