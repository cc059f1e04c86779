// What the portal of a user shows, read for the user, or for an operator who views it.

import { type HistoryDeps, readHistory } from '../checkout/history.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import type { PortalPart, SeenPortal } from '../pages/portal-kinds.js'
import type { PortalView } from './portal-view.js'

export interface ReadPortalDeps extends OverviewDeps, HistoryDeps {
  /** Reads the parts that capabilities add to the page. */
  readonly readParts: (seen: SeenPortal) => Promise<readonly PortalPart[]>
}

/** A year of monthly payments on one page. */
const PAYMENTS_A_PAGE = 12

/** Reads the view of a page, except the language and the link back, which depend on the reader. */
export async function readPortal(
  deps: ReadPortalDeps,
  wish: Pick<SeenPortal, 'session' | 'page' | 'asked' | 'sent'> & { readonly requestId: string },
): Promise<Omit<PortalView, 'locale' | 'backUrl'>> {
  const { requestId, ...asked } = wish
  const { userId } = wish.session
  // The cursor of an older page of the history.
  const cursor = wish.asked('cursor')
  // The overview comes first: it may book a payment, which the history then shows.
  const overview = await readOverview(deps, userId, requestId)
  const page = { userId, limit: PAYMENTS_A_PAGE, cursor, status: null, requestId }
  const [history, timeList] = await Promise.all([readHistory(deps, page), deps.loadTimeList(userId)])
  const seen = { ...asked, overview, history, isOlder: cursor !== null }
  const parts = await deps.readParts(seen)
  return { ...seen, timeList, parts }
}
