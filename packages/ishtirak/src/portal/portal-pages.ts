// What the routes of the portal share: the parts of the service, and what the capabilities add to the pages.
import type { FastifyReply } from 'fastify'
import type { Capability } from '../acts/capability.js'
import type { HistoryDeps } from '../checkout/history.js'
import type { BillingError, ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { Database } from '../database/database.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { sayFor } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import type { OverviewDeps } from '../limits/overview.js'
import type { Pages } from '../pages/portal-frame.js'
import type { Answered } from '../pages/portal-kinds.js'
import type { createFindSession } from './portal-sessions.sql.js'
import type { ReadPortal } from './read-portal.js'
import type { PortalConfig } from './settings.js'

export interface PortalDeps
  extends Pick<
      Pages,
      keyof CallerChecks | 'clock' | 'formats' | 'seller' | 'catalogue' | 'rules' | 'mailsLinks'
    >,
    HistoryDeps,
    OverviewDeps,
    PortalConfig,
    Pick<CommonParts, 'ids' | 'publicUrl' | 'platformUrl'> {
  readonly database: Database
  readonly findSession: ReturnType<typeof createFindSession>
  /** Counts a request for a link into the portal, by network. */
  admitLinkRequest(network: string, reply: FastifyReply): void
}

export interface PortalPages extends Pages, PortalDeps {
  readonly readPortal: ReadPortal
  readonly added: ReturnType<typeof addedPages>
}

type SavedForm = Readonly<Record<string, string>>
type Reading = Pick<Answered, 'session' | 'locale'>

/** The routes and pages that the capabilities add, and their words for refusals. */
export function addedPages<Deps>(pages: Pages & Deps, capabilities: readonly Capability<Deps>[]) {
  const kinds = capabilities.flatMap(({ portal }) => portal ?? [])
  const refusal = (code: ErrorCode) => kinds.flatMap(({ refusals }) => refusals?.[code] ?? [])[0]
  return {
    addRoutes: (app: App) => {
      for (const { routes } of kinds) routes?.(app, pages)
    },
    paths: kinds.flatMap(({ paths = [] }) => paths),
    /** The page that a saved form led to; null: no capability answers it. */
    answer: (saved: SavedForm, by: Reading) => {
      for (const [field, answer] of kinds.flatMap(({ answers = {} }) => Object.entries(answers))) {
        const value = saved[field]
        if (value !== undefined) return answer(pages, { ...by, value })
      }
      return null
    },
    /** The field of the refused form that the page of this refusal needs; undefined: none. */
    keeps: (code: ErrorCode) => refusal(code)?.form?.keeps,
    /** The words that replace the usual ones of a refusal. Nothing is read for them. */
    words: (error: BillingError, locale: Locale) =>
      refusal(error.code)?.words?.(error, locale, sayFor(pages.seller.identity, locale)),
    /** The same for the page after a form, for which the capability may read. */
    wordsAfter: (code: ErrorCode, saved: SavedForm, by: Reading) => {
      const form = refusal(code)?.form
      return form?.page(pages, { ...by, value: saved[form.keeps] ?? '' })
    },
  }
}
