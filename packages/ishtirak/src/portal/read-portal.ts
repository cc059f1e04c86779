// What the portal of a user shows, read for the user, or for an operator who views it.
import type { Capability } from '../acts/capability.js'
import { type HistoryDeps, readHistory } from '../checkout/history.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { PartView, PortalPart, SeenPortal } from '../pages/portal-kinds.js'

/** The payment methods and the fields of an order that capabilities add. */
export function orderPartsOf<Deps>(deps: Deps, capabilities: readonly Capability<Deps>[]) {
  return {
    shownMethods: capabilities.flatMap(({ portal }) => portal?.shownMethods?.(deps) ?? []),
    orderFields: capabilities.flatMap(({ portal }) => portal?.orderField?.(deps) ?? []),
  }
}

/** A year of monthly payments on one page. */
const PAYMENTS_A_PAGE = 12

export type ReadPortal = ReturnType<typeof portalReader>

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
    // The cursor of an older page of the history.
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
