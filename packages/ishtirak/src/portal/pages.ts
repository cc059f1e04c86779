// What the routes of the pages share: what the use cases need, who reads, and what every page shows.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Seller } from '../core/receipt.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import type { Formats } from '../i18n/formats.js'
import type { OverviewDeps } from '../limits/overview.js'
import type { StatusDeps } from '../payments/status.js'
import type { UpgradeDeps } from '../payments/upgrade.js'
import type { ReceiptDeps } from '../receipts/receipt.js'
import type { Reader, Session } from './reader.js'

export interface PagesDeps extends CallerChecks, UpgradeDeps, StatusDeps, OverviewDeps, ReceiptDeps {
  readonly platformUrl: string
  readonly frameAncestors: string
  readonly formats: Formats
  readonly seller: Seller
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** There is a mail server, so users can be sent a link into the portal. */
  readonly mailsLinks: boolean
  /** Counts a request for such a link, by address. */
  admitLinkRequest(request: FastifyRequest, reply: FastifyReply): void
}

/** What the routes of the pages share. */
export interface Pages extends PagesDeps {
  readonly reader: Reader
  /** Those with a session, each counted against the quota of its user. */
  readonly users: Callers<Session>
  readonly headers: Readonly<Record<string, string>>
  /** The style sheet with the seller's color. */
  readonly style: string
  /** The path under which a proxy may have put us, as in PUBLIC_URL; empty at the root of a host. */
  readonly base: string
  /** The platform, at the page where this session came from. */
  backUrl(session: Session | null): string
}
