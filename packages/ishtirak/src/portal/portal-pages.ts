// What the routes of the portal and the view of an operator share: the parts of the service, what the
// capabilities add to the pages, and the reading of what a page shows.
import type { FastifyReply } from 'fastify'
import type { Capability } from '../acts/capability.js'
import { type HistoryDeps, readHistory } from '../checkout/history.js'
import type { BillingError, ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { Database } from '../database/database.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { sayFor } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import type { PageParts, Pages } from '../pages/portal-frame.js'
import type { Answered, PartView, PortalPart, SeenPortal } from '../pages/portal-kinds.js'
import type { PortalConfig } from './portal.js'
import type { createFindSession } from './portal-sessions.sql.js'

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
  readonly readPortal: ReturnType<typeof portalReader>
  readonly added: ReturnType<typeof addedPages>
}

type SavedForm = Readonly<Record<string, string>>
type Reading = Pick<Answered, 'session' | 'locale'>

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

export function orderPartsOf<Deps>(deps: Deps, capabilities: readonly Capability<Deps>[]) {
  return {
    shownMethods: capabilities.flatMap(({ portal }) => portal?.shownMethods?.(deps) ?? []),
    orderFields: capabilities.flatMap(({ portal }) => portal?.orderField?.(deps) ?? []),
  }
}

/** A year of monthly payments on one page. */
const PAYMENTS_A_PAGE = 12

/** Reads the view of a page, except its language, which depends on the reader. */
export function portalReader<Deps extends PageParts & OverviewDeps & HistoryDeps>(
  deps: Deps,
  capabilities: readonly Capability<Deps>[],
) {
  return async (
    wish: Pick<SeenPortal, 'session' | 'page' | 'asked' | 'sent'> & { readonly requestId: string },
  ): Promise<Omit<PartView, 'locale'>> => {
    const { requestId, ...asked } = wish
    const { userId } = wish.session
    const cursor = wish.asked('cursor')
    // The overview comes first: it may book a payment, which the history then shows.
    const overview = await readOverview(deps, userId, requestId)
    const page = { userId, limit: PAYMENTS_A_PAGE, cursor, status: null, requestId }
    const [history, timeList] = await Promise.all([readHistory(deps, page), deps.loadTimeList(userId)])
    const seen = { ...asked, overview, history, timeList, isOlder: cursor !== null }
    const parts: PortalPart[] = []
    for (const { portal } of capabilities) if (portal?.read) parts.push(await portal.read(deps, seen))
    return { ...seen, parts }
  }
}
