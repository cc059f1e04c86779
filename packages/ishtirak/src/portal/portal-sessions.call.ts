// The call that gets the platform a link into the portal.
import { type Static, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { toTimestamp } from '../core/instant.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { type OpenLinkDeps, openPortalLink } from './portal-sessions.sql.js'

/** A path of the platform: one slash, no second one and no backslash, which lead to another host. */
const ReturnPath = Type.String({
  maxLength: 500,
  pattern: '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$',
  description: 'The path under PLATFORM_URL to which "back" leads',
  examples: ['/settings/billing'],
})

const PortalSessionRequestSchema = request('PortalSessionRequest', {
  return_path: Type.Optional(ReturnPath),
})

const LinkSchema = object('PortalSession', {
  url: Type.String({ description: 'Works once; send the user there at once' }),
  expires_at: timestamp,
})
export type PortalLinkView = Static<typeof LinkSchema>

export const openPortal = userCall<OpenLinkDeps>()({
  name: 'openPortal',
  operationId: 'createPortalSession',
  tag: 'portal',
  summary: 'Open the customer portal',
  description:
    'A link that works once, for five minutes; it becomes a session of 12 hours in the browser ' +
    'that follows it.',
  method: 'POST',
  path: '/portal-sessions',
  forReaders: true,
  input: nullable(PortalSessionRequestSchema),
  answer: LinkSchema,
  example: { expires_at: '2026-11-21T12:05:00Z' },
  created: () => ({ 'cache-control': 'no-store' }),
  refuses: ['malformed_json', 'validation_failed'],
  run: async (deps, { user, input }) => {
    const { url, expiresAt } = await openPortalLink(deps, user, input?.return_path ?? null)
    return { url, expires_at: toTimestamp(expiresAt) }
  },
})
