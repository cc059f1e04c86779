// The address that takes a picture or PDF of a transfer from the user's browser or the platform.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../http/app.js'
import { idOf } from '../http/auth.js'
import { acceptStreams, refuseLongBody, UPLOAD_CONFIG } from '../http/upload.js'
import { forBothCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import type { TransferCalls } from './calls.js'
import { type ProofDeps, receiveProof } from './proof.js'
import { ProofSchema, viewProof } from './proof-view.js'

export interface UploadDeps extends ProofDeps {
  /** Throws `rate_limited`. */
  readonly admitUpload: (userId: string, reply: FastifyReply) => void
}

export type ProofRoutesDeps = UploadDeps & UserRoutesDeps

export const transferCalls = (deps: ProofRoutesDeps): TransferCalls => ({
  uploadProof: async (userId, paymentId, file) => {
    const body = Readable.from([Buffer.from(file.buffer, file.byteOffset, file.byteLength)])
    return viewProof(await receiveProof(deps, { userId: idOf(userId), paymentId }, body))
  },
})

export function proofRoutes(deps: ProofRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.personal('uploadProof'),
      summary: 'Upload a proof of a transfer',
      description:
        'The body is the file: a JPEG, PNG or PDF of at most 8 MiB, told by its content. At most 3 a ' +
        'transfer; the same file again is the same proof.',
      params: callers.params({ payment_id: Type.String() }),
      response: {
        200: ProofSchema,
        ...callers.refusals(
          'forbidden',
          'not_found',
          'conflict',
          'too_many_proofs',
          'payload_too_large',
          'request_timeout',
          'file_not_accepted',
        ),
      },
    }
    app.register(async (files: App) => {
      acceptStreams(files)
      const options = { schema, config: UPLOAD_CONFIG, onRequest }
      files.put(`${path}/payments/:payment_id/proof`, options, async (request, reply) => {
        const { userId } = callers.callOf(request).user
        refuseLongBody(request)
        deps.admitUpload(userId, reply)
        const of = { userId, paymentId: request.params.payment_id }
        return viewProof(await receiveProof(deps, of, request.raw))
      })
    })
  })
}
