// What the pages that users see bring to the service.
import type { Capability } from '../acts/capability.js'
import { HOUR } from '../core/instant.js'
import { linkMail } from './link-mail.js'
import { forgetPortalSessions, type OpenLinkDeps } from './portal-sessions.sql.js'
import { type PortalConfig, portalSettings } from './settings.js'
import './words.js'

/** 240,000 a day: more than are written. */
const FORGOTTEN_A_ROUND = 10_000

export const portal: Capability<OpenLinkDeps, PortalConfig> = {
  name: 'portal',
  settings: portalSettings,
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
