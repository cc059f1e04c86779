// The portal as a capability: users' pages, sign-in links and sessions.
import type { Capability } from '../acts/capability.js'
import type { MailWriter } from '../acts/mail-writer.js'
import { HOUR, MINUTE } from '../core/instant.js'
import { settingsOf, textSetting, web } from '../runtime/environment.js'
import { items } from '../runtime/old-secrets.js'
import { openPortal } from './portal-sessions.call.js'
import {
  forgetPortalSessions,
  type OpenLinkDeps,
  openMailedLink,
  queuePortalLinks,
} from './portal-sessions.sql.js'

export interface PortalConfig {
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** Who may show our pages in a frame, as the Content-Security-Policy writes it. */
  readonly frameAncestors: string
}

const portalSettings = settingsOf(
  {
    PLATFORM_PORTAL_URL: web(),
    PORTAL_FRAME_ANCESTORS: textSetting(
      'none, or self and origins such as https://example.dz, separated by commas',
      /^(none|(self|https?:\/\/[\w*.:-]+)( *, *(self|https?:\/\/[\w*.:-]+))*)$/,
    ),
  },
  {
    read: ({
      PLATFORM_PORTAL_URL: platformPortalUrl = null,
      PORTAL_FRAME_ANCESTORS: list = 'none',
    }): PortalConfig => ({ platformPortalUrl, frameAncestors: frameAncestorsOf(list) }),
  },
)

/** The policy needs `none` and `self` in quotes. The variable has them without. */
function frameAncestorsOf(list: string): string {
  return items(list)
    .map((item) => (item === 'none' || item === 'self' ? `'${item}'` : item))
    .join(' ')
}

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
