// The portal as a capability: users' pages, sign-in links and sessions.
import type { Capability } from '../acts/capability.js'
import type { MailWriter } from '../acts/mail-writer.js'
import { HOUR, MINUTE } from '../core/instant.js'
import { queuePortalLinks } from './portal-links.sql.js'
import { openPortal } from './portal-sessions.call.js'
import { forgetPortalSessions, type OpenLinkDeps, openMailedLink } from './portal-sessions.sql.js'
import { type PortalConfig, portalSettings } from './settings.js'

/** 240,000 a day, which is more than are written. */
const FORGOTTEN_A_ROUND = 10_000

export const portalCalls = [openPortal]

export const portal: Capability<OpenLinkDeps, PortalConfig> = {
  name: 'portal',
  settings: portalSettings,
  calls: portalCalls,
  jobs: (deps) => [
    {
      name: 'forget-portal-sessions',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => forgetPortalSessions(deps, FORGOTTEN_A_ROUND),
    },
  ],
  mails: (deps) => [linkMail(deps)],
}

/** One query takes this many addresses that asked for a link. */
const LINKS_A_ROUND = 1_000

function linkMail(deps: OpenLinkDeps): MailWriter {
  return {
    kind: 'portal_link',
    // After some minutes without mail the user asks again.
    lifetimeMs: 15 * MINUTE,
    queueDue: (now) => queuePortalLinks(deps.database, now, LINKS_A_ROUND),
    write: async ({ userId }, { say }) => ({
      subject: say('mail_portal_link_subject'),
      paragraphs: [say('mail_portal_link_what'), say('mail_portal_link_next')],
      button: say('mail_linkButton'),
      url: await openMailedLink(deps, userId),
    }),
  }
}
