// What a host that mounts the service calls of transfers.
import type { ProofView } from './proof-view.js'

export interface TransferCalls {
  /**
   * A JPEG, PNG or PDF of at most 8 MiB that shows a transfer. Throws `conflict`, `too_many_proofs`,
   * `payload_too_large`, `file_not_accepted`.
   */
  uploadProof(userId: string, paymentId: string, file: Uint8Array): Promise<ProofView>
}
