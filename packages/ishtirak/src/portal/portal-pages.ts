// What the routes of the portal share, beside what every page needs.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HistoryDeps } from '../checkout/history.js'
import type { Database } from '../database/database.js'
import type { CallerChecks } from '../http/callers.js'
import type { CommonParts } from '../ledger/parts.js'
import type { OverviewDeps } from '../limits/overview.js'
import type { Pages } from '../pages/portal-frame.js'
import type { BroughtToPortal } from './brought.js'
import type { FindSession } from './portal-sessions.sql.js'

export interface PortalDeps
  extends Pick<
      Pages,
      keyof CallerChecks | 'clock' | 'formats' | 'seller' | 'catalogue' | 'rules' | 'mailsLinks'
    >,
    HistoryDeps,
    OverviewDeps,
    Pick<CommonParts, 'ids' | 'publicUrl'> {
  readonly database: Database
  readonly findSession: FindSession
  readonly platformUrl: string
  readonly frameAncestors: string
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** Counts a request for a link into the portal, by address. */
  admitLinkRequest(request: FastifyRequest, reply: FastifyReply): void
}

export interface PortalPages extends Pages, PortalDeps {
  /** The parts that capabilities add. */
  readonly brought: BroughtToPortal
}
