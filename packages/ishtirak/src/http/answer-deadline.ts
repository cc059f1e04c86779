// A request that is wholly here is answered within 6 s, whatever hangs behind us. What it asked for may still come about:
// the answer says so. The database gives up first (CALL_LIMIT_MS), and what it gave up does not come about.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'

const LIMIT_MS = 5_300
/** One look at all requests that are open costs them less than a timer for each. */
const LOOK_EVERY_MS = 250
const RETRY_SECONDS = 5

export interface AnswerDeadline {
  begin(reply: FastifyReply): void
  end(reply: FastifyReply): void
}

export function installAnswerDeadline(app: FastifyInstance, answerFailure: AnswerFailure): AnswerDeadline {
  /** The instants at which they were first seen to be wholly here, on the scale of `performance.now()`. */
  const open = new Map<FastifyReply, number | null>()
  const look = () => {
    const now = performance.now()
    for (const [reply, since] of open) {
      // Begun, or its caller has gone, after which Fastify does not call `onResponse`.
      if (reply.raw.headersSent || reply.raw.destroyed) open.delete(reply)
      // The caller is slow: a body may take half a minute (REQUEST_TIMEOUT_MS).
      else if (!reply.request.raw.complete) continue
      else if (since === null) open.set(reply, now)
      else if (now - since >= LIMIT_MS)
        answerFailure(
          new BillingError('took_too_long', { retryAfterSeconds: RETRY_SECONDS }),
          reply.request,
          reply,
        )
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })
  return {
    begin: (reply) => void open.set(reply, null),
    end: (reply) => void open.delete(reply),
  }
}
