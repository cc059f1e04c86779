// The address that takes a picture or PDF of a transfer from the user's browser or the platform.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import { PROOF_TYPES, PROOFS_MAX, type Proof } from '../core/transfer.js'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { acceptStreams, refuseLongBody, UPLOAD_CONFIG } from '../http/upload.js'
import { BILLING_API, USER_ROUTE } from '../ledger/schemas.js'
import { type ProofDeps, receiveProof } from './proof.js'

export interface ProofRoutesDeps extends ProofDeps, Pick<CallerChecks, 'identify'> {
  /** Throws `rate_limited`. */
  readonly admitUpload: (userId: string, reply: FastifyReply) => void
}

export const ProofSchema = object('Proof', {
  n: Type.Integer({ minimum: 1, maximum: PROOFS_MAX, description: 'Which one of its transfer' }),
  type: Type.Enum([...PROOF_TYPES], { description: 'By its content' }),
  bytes: Type.Integer({ description: 'What follows the end of a picture is left out' }),
  uploaded_at: timestamp,
  erased_at: nullable(timestamp),
})

export function viewProof({ n, type, bytes, uploadedAt, erasedAt }: Proof) {
  return {
    ...{ n, type, bytes, uploaded_at: toTimestamp(uploadedAt) },
    erased_at: erasedAt === null ? null : toTimestamp(erasedAt),
  }
}

export function proofRoutes(deps: ProofRoutesDeps) {
  const schema = {
    ...USER_ROUTE,
    operationId: 'uploadProof',
    summary: 'Upload a proof of a transfer',
    description:
      'The body is the file: a JPEG, PNG or PDF of at most 8 MiB, told by its content. At most 3 a ' +
      'transfer; the same file again is the same proof.',
    params: Type.Object({ payment_id: Type.String() }),
    response: {
      200: ProofSchema,
      ...problemResponses(
        'unauthenticated',
        'not_found',
        'conflict',
        'too_many_proofs',
        'payload_too_large',
        'request_timeout',
        'file_not_accepted',
        'rate_limited',
        'database_unavailable',
      ),
    },
  }
  return async (app: App): Promise<void> => {
    acceptStreams(app)
    const users = callersBy(deps.identify)
    app.put(
      `${BILLING_API}/payments/:payment_id/proof`,
      { schema, config: UPLOAD_CONFIG, onRequest: users.onRequest },
      async (request, reply) => {
        const { userId } = users.of(request)
        refuseLongBody(request)
        deps.admitUpload(userId, reply)
        const of = { userId, paymentId: request.params.payment_id }
        return viewProof(await receiveProof(deps, of, request.raw))
      },
    )
  }
}
