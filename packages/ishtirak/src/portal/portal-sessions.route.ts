// POST …/portal-sessions: with the user's token the platform gets a link into the portal.
import { type Static, Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { type OpenLinkDeps, openPortalLink } from './portal-sessions.sql.js'

export type PortalSessionRoutesDeps = OpenLinkDeps & Pick<CallerChecks, 'identify'>

/** A path of the platform: one slash, no second one and no backslash, which lead to another host. */
const ReturnPath = Type.String({
  maxLength: 500,
  pattern: '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$',
  description: 'Where on the platform "back" leads; a path under PLATFORM_URL',
  examples: ['/settings/billing'],
})

export const PortalSessionRequestSchema = request('PortalSessionRequest', {
  return_path: Type.Optional(ReturnPath),
})

const LinkSchema = object('PortalSession', {
  url: Type.String({ description: 'Works once; send the user there at once' }),
  expires_at: timestamp,
})

const REFUSED = ['unauthenticated', 'rate_limited', 'database_unavailable'] as const

export function portalSessionRoutes(deps: PortalSessionRoutesDeps) {
  return async (app: App): Promise<void> => {
    const schema = {
      security: [{ user: [] }],
      tags: ['portal'],
      operationId: 'createPortalSession',
      summary: 'Open the customer portal',
      description:
        'A link that works once, for five minutes; it becomes a session of 12 hours in the browser ' +
        'that follows it.',
      // The body is optional.
      body: nullable(PortalSessionRequestSchema),
      response: {
        200: LinkSchema,
        ...problemResponses('malformed_json', 'validation_failed', ...REFUSED),
      },
    }
    const users = callersBy(deps.identify)
    const { onRequest } = users
    app.post('/api/v1/billing/portal-sessions', { schema, onRequest }, async (request, reply) => {
      const user = users.of(request)
      const link = await openPortalLink(deps, user, request.body?.return_path ?? null)
      reply.header('cache-control', 'no-store')
      return viewPortalLink(link)
    })
  }
}

export function viewPortalLink({
  url,
  expiresAt,
}: Awaited<ReturnType<typeof openPortalLink>>): Static<typeof LinkSchema> {
  return { url, expires_at: toTimestamp(expiresAt) }
}
