// A proof of a transfer as an operator reads it. Each reading is a line of the audit trail.

import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { type Operator, requireRole } from '../core/role.js'
import type { ProofType } from '../core/transfer.js'
import { loadPayment } from '../ledger/load.js'
import { listProofs, proofContent } from './proof.sql.js'

export interface ProofDownload {
  readonly type: ProofType
  readonly bytes: number
  readonly name: string
  readonly content: AsyncIterable<Buffer>
}

const ENDINGS: Readonly<Record<ProofType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
}

/** Throws `not_found`, also where it was erased. */
export async function downloadProof(
  deps: AuditDeps,
  { paymentId, n, operator }: { readonly paymentId: string; readonly n: number; readonly operator: Operator },
): Promise<ProofDownload> {
  requireRole(operator, 'payment.read_proof')
  const { userId } = (await loadPayment(deps, paymentId)).payment
  const proof = (await listProofs(deps.database, { userId, paymentId })).find((one) => one.n === n)
  if (!proof || proof.erasedAt !== null)
    throw new BillingError('not_found', { extra: { payment_id: paymentId, proof: n } })
  const facts = { userId, paymentId, after: { proof: n } }
  await recordAct(deps, { operator, act: 'payment.read_proof', reason: null }, facts)
  return {
    type: proof.type,
    bytes: proof.bytes,
    name: `${paymentId}-${n}.${ENDINGS[proof.type]}`,
    content: proofContent(deps.database, { userId, paymentId }, proof),
  }
}
