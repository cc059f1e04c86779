// Who is asking, and not too often: one look at the token, one at the counter.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../runtime/clock.js'
import type { TokenVerifier, UserIdentity } from './auth.js'
import { createRateLimit } from './rate-limit.js'

export interface Identify {
  identify(request: FastifyRequest, reply: FastifyReply): Promise<UserIdentity>
  admitStranger(request: FastifyRequest, reply: FastifyReply): void
}

export function createIdentify(parts: { readonly tokens: TokenVerifier; readonly clock: Clock }): Identify {
  const limit = createRateLimit({ clock: parts.clock })
  const admitStranger = (request: FastifyRequest, reply: FastifyReply) =>
    limit(`address ${request.ip}`, reply)
  return {
    admitStranger,
    identify: async (request, reply) => {
      const user = await parts.tokens.verify(request.headers.authorization).catch((error: unknown) => {
        // Whoever has no valid token is nobody: he is counted by his address, and told the same afterwards.
        admitStranger(request, reply)
        throw error
      })
      limit(`user ${user.userId}`, reply)
      return user
    },
  }
}
