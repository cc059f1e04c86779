// POST …/portal-sessions: the platform gets a link into the portal.
import { type Static, Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { forBothCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import { type OpenLinkDeps, openPortalLink } from './portal-sessions.sql.js'

export type PortalSessionRoutesDeps = OpenLinkDeps & UserRoutesDeps

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

export function portalSessionRoutes(deps: PortalSessionRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.personal('createPortalSession', 'portal'),
      summary: 'Open the customer portal',
      description:
        'A link that works once, for five minutes; it becomes a session of 12 hours in the browser ' +
        'that follows it.',
      params: callers.params({}),
      // The body is optional.
      body: nullable(PortalSessionRequestSchema),
      response: { 201: LinkSchema, ...callers.refusals('malformed_json', 'validation_failed') },
    }
    app.post(
      `${path}/portal-sessions`,
      { schema, onRequest, config: { forReaders: true } },
      async (request, reply) => {
        const { user } = callers.callOf(request)
        const link = await openPortalLink(deps, user, request.body?.return_path ?? null)
        return reply.header('cache-control', 'no-store').code(201).send(viewPortalLink(link))
      },
    )
  })
}

export function viewPortalLink({
  url,
  expiresAt,
}: Awaited<ReturnType<typeof openPortalLink>>): Static<typeof LinkSchema> {
  return { url, expires_at: toTimestamp(expiresAt) }
}
