// What shows the portal, and what leads to it.
import { settingsOf, textSetting, web } from '../runtime/environment.js'
import { items } from '../runtime/old-secrets.js'

export interface PortalConfig {
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** Who may show our pages in a frame, as the Content-Security-Policy writes it. */
  readonly frameAncestors: string
}

export const portalSettings = settingsOf(
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
