// The receipt of a payment goes out by mail once more: the same text and file as at first, to the address that the user has now.

import { type AuditDeps, auditEntry, type By, findAct, requireUnchanged } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import { requireRole } from '../core/role.js'
import { loadPayment, refusalByStatus } from '../ledger/load.js'
import { type PaymentFile, showPayment } from '../overview/acts.js'
import { findReceiptMail, queueReceiptAgain } from './mail.sql.js'
import type { SendMailDeps } from './send-mail.js'

export type ResendDeps = AuditDeps & Pick<SendMailDeps, 'mailer'>

/**
 * Queues the mail anew, once for one `operationId`. Throws `not_found`, `payment_not_paid`, `already_refunded`,
 * `no_email_address`, `mail_unavailable`, or `mail_under_way` where it is being sent or was queued less than five minutes ago.
 */
export async function resendReceipt(deps: ResendDeps, paymentId: string, by: By): Promise<PaymentFile> {
  requireRole(by.operator, 'receipt.resend')
  const loaded = await loadPayment(deps, paymentId)
  const { userId } = loaded.payment
  const { operationId } = by
  const isDone = async () =>
    operationId !== undefined && (await findAct(deps.database, { userId, operationId })) !== null
  if (await isDone()) return showPayment(deps, paymentId)
  try {
    await queueAgain(deps, loaded, by)
  } catch (error) {
    // A call with the same `operationId` may have queued it meanwhile.
    if (!(await isDone())) throw error
  }
  return showPayment(deps, paymentId)
}

type Loaded = Awaited<ReturnType<typeof loadPayment>>

async function queueAgain(deps: ResendDeps, loaded: Loaded, by: By): Promise<void> {
  requireUnchanged(by, loaded.user.version)
  const now = deps.clock.now()
  const { userId, id: paymentId } = loaded.payment
  const { mail } = await decideResend(deps, loaded, now)
  const before = { queued_at: timestampOrNull(mail?.queuedAt), outcome: mail?.outcome ?? null }
  const facts = { paymentId, before, after: { queued_at: toTimestamp(now), outcome: null }, now }
  const audit = auditEntry(deps.ids, { ...by, act: 'receipt.resend' }, facts)
  const isQueued = await queueReceiptAgain(deps.database, { userId, paymentId }, audit, now)
  if (!isQueued) throw new BillingError('mail_under_way')
}

/** The address that `resendReceipt` would send to now, and what became of the mail before. Throws what it would throw. */
export async function previewResend(deps: ResendDeps, paymentId: string) {
  const loaded = await loadPayment(deps, paymentId)
  return {
    payment: loaded.payment,
    /** Of the facts that this was decided on. */
    version: loaded.user.version,
    ...(await decideResend(deps, loaded, deps.clock.now())),
  }
}

async function decideResend(deps: ResendDeps, { payment, user }: Loaded, now: Instant) {
  const { userId, id: paymentId, status } = payment
  if (status === 'refunded') throw await refusalByStatus(deps, payment)
  if (status !== 'paid') throw new BillingError('payment_not_paid', { extra: { payment_status: status } })
  if (user.email === null) throw new BillingError('no_email_address')
  if (!deps.mailer) throw new BillingError('mail_unavailable')
  const mail = await findReceiptMail(deps.database, { userId, paymentId }, now)
  if (mail && !mail.mayBeRenewed)
    throw new BillingError('mail_under_way', { extra: { queued_at: toTimestamp(mail.queuedAt) } })
  return { email: user.email, mail }
}
