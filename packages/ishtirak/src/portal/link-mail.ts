// The mail with a link into the portal, for a user who asked for it.
import type { MailWriter } from '../acts/mail-writer.js'
import { MINUTE } from '../core/instant.js'
import { queuePortalLinks } from './portal-links.sql.js'
import { type OpenLinkDeps, openMailedLink } from './portal-sessions.sql.js'

/** Addresses that asked for a link; one statement takes them all. */
const LINKS_A_ROUND = 1_000

export function linkMail(deps: OpenLinkDeps): MailWriter {
  return {
    kind: 'portal_link',
    // It is asked for again after some minutes.
    lifetimeMs: 15 * MINUTE,
    owe: (now) => queuePortalLinks(deps.database, now, LINKS_A_ROUND),
    write: async ({ userId }, { say }) => ({
      subject: say('mail_portal_link_subject'),
      paragraphs: [say('mail_portal_link_what'), say('mail_portal_link_next')],
      button: say('mail_linkButton'),
      url: await openMailedLink(deps, userId),
    }),
  }
}
