// A request that has arrived completely is answered within 6 s. Its work may still be done later, and the
// answer says so. The database gives up earlier (CALL_LIMIT_MS).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'
import { announcesBody } from './request.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The time limit of the body, if it is not 30 s, in which a slow phone sends 64 KiB. */
    readonly bodyTimeoutMs?: number
  }
}

export function answerInTime(request: FastifyRequest, reply: FastifyReply, fail: AnswerFailure): void {
  const { raw, routeOptions } = request
  let timer: NodeJS.Timeout | undefined
  const failAfter = (ms: number, code: 'took_too_long' | 'request_timeout', of = {}) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!reply.raw.headersSent && !reply.raw.destroyed) fail(new BillingError(code, of), request, reply)
    }, ms).unref()
  }
  const limitWork = () => failAfter(5_300, 'took_too_long', { retryAfterSeconds: 5 })
  if (announcesBody(raw)) {
    failAfter(routeOptions.config.bodyTimeoutMs ?? 30_000, 'request_timeout')
    raw.on('end', limitWork)
  } else limitWork()
  reply.raw.on('close', () => clearTimeout(timer))
}
