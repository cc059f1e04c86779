// A route that another cell asks: its question and our answer are signed by the secret that all cells share.
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { acceptRawBytes, rawBody } from '../http/request.js'
import {
  answerSignature,
  CELL_HEADER,
  type CellAnswer,
  type CellCallsDeps,
  signingKey,
} from './cell-calls.js'

export interface SignedDeps extends CellCallsDeps {
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

/** A page of ids, each of 255 characters. */
const QUESTION_MAX = 4 * 1024 * 1024

/** `answer` gets the parsed body, and what it came with. */
export function signedRoute(
  deps: SignedDeps,
  path: string,
  answer: (asked: unknown, request: FastifyRequest) => Promise<CellAnswer>,
) {
  return async (app: App): Promise<void> => {
    acceptRawBytes(app)
    app.post(path, { schema: { hide: true }, bodyLimit: QUESTION_MAX }, async (request, reply) => {
      const signed = String(request.headers[CELL_HEADER])
      const body = rawBody(request).toString()
      const key = signingKey(deps, signed, body)
      if (key === null) {
        deps.limitAnonymous(request, reply)
        throw new BillingError('invalid_signature')
      }
      const { status, value } = await answer(JSON.parse(body), request)
      const text = JSON.stringify(value)
      return reply
        .code(status)
        .headers({ 'content-type': 'application/json', [CELL_HEADER]: answerSignature(key, signed, text) })
        .send(text)
    })
  }
}
