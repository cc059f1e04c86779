// Looks for the checkouts of one payment in Chargily's list, which has no filter for it: after a lost answer this
// decides whether a second checkout may be opened. So it answers "none" only when it has seen all that could be.
import type { CheckoutReport } from '../../core/checkout.js'
import type { Instant } from '../../core/instant.js'
import { CLOCK_SKEW_MAX } from '../../core/instant.js'
import { type CheckoutPage, isAllBefore, type ProviderAnswer } from '../method.js'
import { unreadable } from './failure.js'

type ListPage = (page: number) => Promise<ProviderAnswer<CheckoutPage>>

/** 2,000 checkouts at 50 a page, and still under the 60 calls a minute that Laravel allows by default. */
const MOST_PAGES = 40

export async function searchCheckouts(
  listPage: ListPage,
  paymentId: string,
  since: Instant,
): Promise<ProviderAnswer<readonly CheckoutReport[]>> {
  const seen = new Map<string, CheckoutReport>()
  const found = () =>
    [...seen.values()].filter((checkout) => checkout.paymentId === paymentId).sort(newestFirst)
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await listPage(page)
    // What was found is enough to continue with; what was not found proves nothing yet.
    if (!answer.ok) return found().length > 0 ? { ok: true, value: found() } : answer
    const { checkouts, nextPage } = answer.value
    const known = seen.size
    for (const checkout of checkouts) seen.set(checkout.checkoutId, checkout)
    if (nextPage === null || isAllBefore(checkouts, since - CLOCK_SKEW_MAX))
      return { ok: true, value: found() }
    // The same page again: the list would never end.
    if (seen.size === known) break
  }
  if (found().length > 0) return { ok: true, value: found() }
  return {
    ok: false,
    failure: unreadable(`${seen.size} checkouts were read without reaching the instant asked for`),
  }
}

function newestFirst(one: CheckoutReport, other: CheckoutReport): number {
  return (other.createdAt ?? 0) - (one.createdAt ?? 0)
}
