// Who calls a route, found out before anything else of the request is read: neither parameters nor query nor body. A caller
// who is not known learns nothing of what the route accepts.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'

export interface Callers<Caller> {
  /** For the route's `onRequest`, or for that of its plugin. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void
  /** The caller of a request that has passed `onRequest`. */
  of(request: FastifyRequest): Caller
  /** The same for an answer to a request that may have been refused before. */
  find(request: FastifyRequest): Caller | null
}

/** `know` throws the refusal of a caller who is not known, and of one who calls too often. */
export function callersBy<Caller>(
  know: (request: FastifyRequest, reply: FastifyReply) => Caller | Promise<Caller>,
): Callers<Caller> {
  const known = new WeakMap<FastifyRequest, Caller>()
  return {
    // Not async: a key is checked at once, and most calls come with a key.
    onRequest: (request, reply, done) => {
      const admit = (caller: Caller) => {
        known.set(request, caller)
        done()
      }
      const caller = know(request, reply)
      if (caller instanceof Promise) caller.then(admit, done)
      else admit(caller)
    },
    of: (request) => {
      const caller = known.get(request)
      if (caller === undefined) throw new BillingError('unauthenticated')
      return caller
    },
    find: (request) => known.get(request) ?? null,
  }
}

/** Callers with a key, known by its name. Without a good one a call is counted by its address, then refused. */
export function callersWithKey(parts: {
  readonly nameOf: (authorizationHeader: string | undefined) => string
  readonly admitStranger: (request: FastifyRequest, reply: FastifyReply) => void
}): Callers<string> {
  return callersBy((request, reply) => {
    try {
      return parts.nameOf(request.headers.authorization)
    } catch (error) {
      parts.admitStranger(request, reply)
      throw error
    }
  })
}
