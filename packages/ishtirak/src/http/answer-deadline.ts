// A request that is wholly here is answered within 6 s. What it asked for may still come about: the answer
// says so. The database gives up first (CALL_LIMIT_MS). A request has 30 s to be wholly here.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import type { AnswerFailure } from './problem.js'

const LIMIT_MS = 5_300
/** 64 KiB in 30 seconds is a slow phone. */
const BODY_LIMIT_MS = 30_000
/** One check of all requests that are open costs them less than a timer for each. */
const CHECK_EVERY_MS = 250
const RETRY_SECONDS = 5

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long a body may take, where that is more than 30 s. */
    readonly bodyTimeoutMs?: number
  }
  interface FastifyReply {
    open: OpenReply | null
  }
}

/**
 * Linked to those begun before and after it: a map of all of them made each live long, at a third of a
 * status's processor time. Instants are those of the last check, by `performance.now()`.
 */
interface OpenReply {
  readonly reply: FastifyReply
  readonly begunAt: number
  /** When it was first seen to be wholly here. */
  completeAt: number | null
  older: OpenReply | null
  newer: OpenReply | null
}

export interface AnswerDeadline {
  begin(reply: FastifyReply): void
  end(reply: FastifyReply): void
}

export function installAnswerDeadline(app: FastifyInstance, answerFailure: AnswerFailure): AnswerDeadline {
  app.decorateReply('open', null)
  let newest: OpenReply | null = null
  let lookedAt = performance.now()
  const end = (reply: FastifyReply) => {
    const { open } = reply
    if (open === null) return
    if (open.older) open.older.newer = open.newer
    if (open.newer) open.newer.older = open.older
    else newest = open.older
    // A node that was promoted and is dead would keep its neighbours alive, and those theirs.
    open.older = null
    open.newer = null
    reply.open = null
  }
  const refuse = ({ reply }: OpenReply, error: BillingError) =>
    void answerFailure(error, reply.request, reply)
  const judge = (open: OpenReply, now: number) => {
    const { reply } = open
    const { raw, request } = reply
    // Begun, or its caller has gone, after which Fastify does not call `onResponse`.
    if (raw.headersSent || raw.destroyed) end(reply)
    else if (request.raw.complete) {
      open.completeAt ??= now
      if (now - open.completeAt >= LIMIT_MS)
        refuse(open, new BillingError('took_too_long', { retryAfterSeconds: RETRY_SECONDS }))
    } else if (now - open.begunAt >= (request.routeOptions.config.bodyTimeoutMs ?? BODY_LIMIT_MS)) {
      // What would still come is not waited for.
      reply.header('connection', 'close')
      refuse(open, new BillingError('request_timeout'))
    }
  }
  const check = () => {
    lookedAt = performance.now()
    for (let open = newest; open !== null; ) {
      const { older }: OpenReply = open
      judge(open, lookedAt)
      open = older
    }
  }
  const timer = setInterval(check, CHECK_EVERY_MS).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })
  return {
    begin: (reply) => {
      const open: OpenReply = { reply, begunAt: lookedAt, completeAt: null, older: newest, newer: null }
      if (newest) newest.newer = open
      newest = open
      reply.open = open
    },
    end,
  }
}
