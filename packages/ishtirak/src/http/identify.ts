// Who is asking, and not too often: one look at the token, one at the counter.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../runtime/clock.js'
import type { TokenVerifier, UserIdentity } from './auth.js'
import { networkOf } from './network.js'
import { createCallCount, limitBy } from './rate-limit.js'

export interface Identify {
  identify(request: FastifyRequest, reply: FastifyReply): Promise<UserIdentity>
  admitStranger(request: FastifyRequest, reply: FastifyReply): void
  /** For a user who is known by something else than a token. */
  admitUser(userId: string, reply: FastifyReply): void
}

export function createIdentify(parts: {
  readonly tokens: TokenVerifier
  readonly clock: Clock
  readonly callsPerMinute: number
}): Identify {
  const countCall = createCallCount({ clock: parts.clock, quota: parts.callsPerMinute })
  const limit = limitBy(countCall)
  const admitStranger = (request: FastifyRequest, reply: FastifyReply) =>
    limit(`address ${networkOf(request.ip)}`, reply)
  const admitUser = (userId: string, reply: FastifyReply) => limit(`user ${userId}`, reply)
  return {
    admitStranger,
    admitUser,
    identify: async (request, reply) => {
      const user = await parts.tokens.verify(request.headers.authorization).catch((error: unknown) => {
        // Whoever has no valid token is nobody: he is counted by his address, and told the same afterwards.
        admitStranger(request, reply)
        throw error
      })
      admitUser(user.userId, reply)
      return user
    },
  }
}
