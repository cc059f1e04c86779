// A transfer with its approvals and proofs, as the payment's file and the audit trail show it.
import { type Static, Type } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { viewAs } from '../http/view-as.js'
import { PROOF_TYPES, PROOFS_MAX, type Proof, type Transfer } from './decide-transfer.js'

export const ProofSchema = object('Proof', {
  n: Type.Integer({ minimum: 1, maximum: PROOFS_MAX, description: 'Which one of its transfer' }),
  type: Type.Enum([...PROOF_TYPES], { description: 'The type, read from the content' }),
  bytes: Type.Integer({ description: 'The size, without bytes after the end of a picture' }),
  uploaded_at: timestamp,
  erased_at: nullable(timestamp),
})

export type ProofView = Static<typeof ProofSchema>

export function viewProof({ uploadedAt: uploaded_at, erasedAt: erased_at, ...proof }: Proof): ProofView {
  return viewAs(ProofSchema, { ...proof, uploaded_at, erased_at })
}

export const SameProofSchema = Type.Object({
  n: Type.Integer({ description: 'Which one of `proofs`' }),
  user_id: Type.String(),
  payment_id: Type.String(),
  status: Type.String({ examples: ['paid'] }),
})

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
  proofs: Type.Array(ProofSchema, { description: 'The files that the user has uploaded' }),
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
