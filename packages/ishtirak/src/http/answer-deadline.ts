// A request that has arrived completely is answered within 6 s. Its work may still be done later, and the
// answer says so. The database gives up earlier (CALL_LIMIT_MS). A request has 30 s to arrive completely.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'

const LIMIT_MS = 5_300
/** 64 KiB in 30 seconds is a slow phone. */
const BODY_LIMIT_MS = 30_000
const RETRY_SECONDS = 5

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The time limit of the body, if it is more than 30 s. */
    readonly bodyTimeoutMs?: number
  }
  interface FastifyReply {
    endDeadline: (() => void) | null
  }
}

/** Called when a request arrives. The returned function is called after its answer and stops the timer. */
export function answerInTime(request: FastifyRequest, reply: FastifyReply, fail: AnswerFailure): () => void {
  const refuse = (error: BillingError) => {
    const { headersSent, destroyed } = reply.raw
    if (!headersSent && !destroyed) fail(error, request, reply)
  }
  const refuseWork = () => refuse(new BillingError('took_too_long', { retryAfterSeconds: RETRY_SECONDS }))
  const refuseBody = () => {
    // The rest of the request is not awaited.
    reply.header('connection', 'close')
    refuse(new BillingError('request_timeout'))
  }
  const { method, headers, raw } = request
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
  if (!hasBody || method === 'GET' || method === 'HEAD') {
    const timer = setTimeout(refuseWork, LIMIT_MS).unref()
    return () => clearTimeout(timer)
  }
  let timer = setTimeout(refuseBody, request.routeOptions.config.bodyTimeoutMs ?? BODY_LIMIT_MS).unref()
  raw.once('end', () => {
    clearTimeout(timer)
    timer = setTimeout(refuseWork, LIMIT_MS).unref()
  })
  return () => clearTimeout(timer)
}
