// What the portal's page and its sections share: what was read, whether it may invite to pay, and how it says a price.
import type { Locale } from '../core/locale.js'
import { taxAt } from '../core/receipt.js'
import type { Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { HistoryPage } from '../payments/status.js'
import type { Pages } from './frame.js'
import type { Session } from './reader.js'

export interface PortalView {
  readonly session: Session
  readonly overview: Overview
  readonly history: HistoryPage
  readonly locale: Locale
  /** A page of the history further back. */
  readonly isOlder: boolean
}

export interface Section {
  readonly pages: Pages
  readonly view: PortalView
  readonly say: Say
}

/**
 * Nothing invites to pay while a page is open or a payment under review: the user is asked not to pay again. A transfer is on
 * its way for days, and may be paid by card instead.
 */
export function mayInvite({ history, isOlder, overview }: PortalView): boolean {
  const isUnderReview = !isOlder && history.payments[0]?.status === 'review'
  return !isUnderReview && (overview.pendingPayment?.checkoutUrl ?? null) === null
}

/** `2 000 DA TTC`: prices contain the tax, and say so where one applies on this day. */
export function priceOf(section: Section, amount: number): string {
  const money = section.pages.formats.money(amount, section.view.locale)
  return isTaxed(section) ? section.say('taxIncluded', { amount: money }) : money
}

export function isTaxed({ pages, view }: Section): boolean {
  const { formats, seller } = pages
  return taxAt(seller.taxTerms, formats.isoDay(view.overview.now)).kind === 'vat'
}
