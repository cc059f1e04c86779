// How a proof of a transfer is shown, without its content.
import { type Static, Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { PROOF_TYPES, PROOFS_MAX, type Proof } from './decide-transfer.js'

export const ProofSchema = object('Proof', {
  n: Type.Integer({ minimum: 1, maximum: PROOFS_MAX, description: 'Which one of its transfer' }),
  type: Type.Enum([...PROOF_TYPES], { description: 'By its content' }),
  bytes: Type.Integer({ description: 'What follows the end of a picture is left out' }),
  uploaded_at: timestamp,
  erased_at: nullable(timestamp),
})

export type ProofView = Static<typeof ProofSchema>

export function viewProof({ n, type, bytes, uploadedAt, erasedAt }: Proof): ProofView {
  return {
    ...{ n, type, bytes, uploaded_at: toTimestamp(uploadedAt) },
    erased_at: erasedAt === null ? null : toTimestamp(erasedAt),
  }
}
