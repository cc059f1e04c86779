// A transfer with its approvals and proofs, as the payment's file and the audit trail show it.
import { Type } from 'typebox'
import { nullable, object, timestamp, viewAs } from '../http/schemas.js'
import { PROOFS_MAX } from './decide-transfer.js'
import { PROOF_TYPES } from './proof-file.js'
import type { Transfer } from './transfers.sql.js'

export const ProofSchema = object('Proof', {
  n: Type.Integer({ minimum: 1, maximum: PROOFS_MAX, description: 'Which one of its transfer' }),
  type: Type.Enum([...PROOF_TYPES], { description: 'The type, read from the content' }),
  bytes: Type.Integer({ description: 'The size, without bytes after the end of a picture' }),
  uploaded_at: timestamp,
  erased_at: nullable(timestamp),
})

const decided = {
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
  refusal: nullable(Type.String()),
  proof_at: nullable(timestamp),
}
const DecidedSchema = Type.Object(decided)

export const TransferStateSchema = object('TransferState', {
  ...decided,
  approvals_needed: Type.Integer({ description: '2 from `second_approval_from` of TRANSFER_FILE on' }),
  proofs: Type.Array(ProofSchema, { description: 'The files that the user has uploaded' }),
  same_proofs: Type.Array(
    Type.Object({
      n: Type.Integer({ description: 'Which one of `proofs`' }),
      user_id: Type.String(),
      payment_id: Type.String(),
      status: Type.String({ examples: ['paid'] }),
    }),
    { description: 'Other payments that one of these files was sent for too, at most 10' },
  ),
})

export function describeDecided(transfer: Transfer) {
  const approvals = transfer.approvals.map((one) => ({ ...one, payment_method: one.instrument }))
  return viewAs(DecidedSchema, { ...transfer, approvals })
}
