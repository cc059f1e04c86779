// A request that has arrived completely is answered within 6 s. Its work may still be done later, and the
// answer says so. The database gives up earlier (CALL_LIMIT_MS). A request has 30 s to arrive completely.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'
import { announcesBody } from './request.js'

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
  const { method, raw } = request
  let timer: NodeJS.Timeout | undefined
  const allow = (ms: number, code: 'took_too_long' | 'request_timeout') => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (reply.raw.headersSent || reply.raw.destroyed) return
      const isLateWork = code === 'took_too_long'
      // The rest of the request is not awaited.
      if (!isLateWork) reply.header('connection', 'close')
      fail(new BillingError(code, isLateWork ? { retryAfterSeconds: RETRY_SECONDS } : {}), request, reply)
    }, ms).unref()
  }
  if (!announcesBody(raw) || method === 'GET' || method === 'HEAD') allow(LIMIT_MS, 'took_too_long')
  else {
    allow(request.routeOptions.config.bodyTimeoutMs ?? BODY_LIMIT_MS, 'request_timeout')
    raw.once('end', () => allow(LIMIT_MS, 'took_too_long'))
  }
  return () => clearTimeout(timer)
}
