// The call that takes a picture or PDF of a transfer from the user's browser, the platform or a host.
import type { Static } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { viewAs } from '../http/schemas.js'
import { type ProofDeps, receiveProof } from './proof.js'
import { ProofSchema } from './transfer-state.js'

export interface TransferCalls {
  /**
   * A JPEG, PNG or PDF of at most 8 MiB that shows a transfer. Throws `conflict`, `too_many_proofs`,
   * `payload_too_large`, `file_not_accepted`.
   */
  uploadProof(userId: string, paymentId: string, file: Uint8Array): Promise<Static<typeof ProofSchema>>
}

const uploadProof = userCall<ProofDeps>()({
  name: 'uploadProof',
  operationId: 'uploadProof',
  summary: 'Upload a proof of a transfer',
  description:
    'The body is the file: a JPEG, PNG or PDF of at most 8 MiB, told by its content. At most 3 a ' +
    'transfer; the same file again is the same proof.',
  method: 'PUT',
  path: '/payments/:payment_id/proof',
  input: 'file',
  answer: ProofSchema,
  refuses: [
    'forbidden',
    'not_found',
    'conflict',
    'too_many_proofs',
    'payload_too_large',
    'request_timeout',
    'file_not_accepted',
    'busy',
  ],
  run: async (deps, { user: { userId }, params: { payment_id: paymentId }, input }) =>
    viewAs(ProofSchema, await receiveProof(deps, { userId, paymentId }, input)),
})

export const transferCalls = [uploadProof]
