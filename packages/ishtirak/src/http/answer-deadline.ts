// A request that is wholly here is answered within 6 s. What it asked for may still come about: the answer
// says so. The database gives up first (CALL_LIMIT_MS). A request has 30 s to be wholly here.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'

const LIMIT_MS = 5_300
/** 64 KiB in 30 seconds is a slow phone. */
const BODY_LIMIT_MS = 30_000
const RETRY_SECONDS = 5

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a body may take, where that is more than 30 s. */
    readonly bodyTimeoutMs?: number
  }
  interface FastifyReply {
    endDeadline: (() => void) | null
  }
}

/** Called as a request comes. What it gives is called after its answer: it refuses no longer. */
export function answerInTime(request: FastifyRequest, reply: FastifyReply, fail: AnswerFailure): () => void {
  const refuse = (error: BillingError) => {
    const { headersSent, destroyed } = reply.raw
    if (!headersSent && !destroyed) fail(error, request, reply)
  }
  const refuseWork = () => refuse(new BillingError('took_too_long', { retryAfterSeconds: RETRY_SECONDS }))
  const refuseBody = () => {
    // What would still come is not waited for.
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
