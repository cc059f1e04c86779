// What operators said of a transfer, as the file of its payment and the audit trail hold it.
import { Type } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import type { Transfer } from './decide-transfer.js'
import { ProofSchema } from './proof-view.js'
import { SameProofSchema } from './same-proofs.sql.js'

export const TransferStateSchema = object('TransferState', {
  state: Type.Enum(['open', 'ended', 'approved', 'refused'], {
    description: '`ended`: the user chose something else. Money that comes counts in every state.',
  }),
  approvals: Type.Array(
    Type.Object({
      by: Type.String(),
      at: timestamp,
      amount: Type.Integer(),
      received_at: timestamp,
      payment_method: Type.String(),
    }),
  ),
  approvals_needed: Type.Integer({ description: '2 from `second_approval_from` of TRANSFER_FILE on' }),
  refusal: nullable(Type.String()),
  proof_at: nullable(timestamp),
  proofs: Type.Array(ProofSchema, { description: 'What the user has uploaded' }),
  same_proofs: Type.Array(SameProofSchema, {
    description: 'Other payments that one of these files was sent for too, at most 10',
  }),
})

export function describeDecided({ state, approvals, refusal, proofAt }: Transfer) {
  return {
    state,
    approvals: approvals.map(({ by, at, amount, receivedAt, instrument }) => ({
      by,
      at: toTimestamp(at),
      amount,
      received_at: toTimestamp(receivedAt),
      payment_method: instrument,
    })),
    refusal,
    proof_at: timestampOrNull(proofAt),
  }
}
