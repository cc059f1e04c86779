// What the portal's page and its sections share: what was read, whether it may invite to pay, and how it says a price.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { ShownPayment } from '../core/payment.js'
import { taxAt } from '../core/receipt.js'
import type { Proof } from '../core/transfer.js'
import type { Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { Redemption } from '../payments/redeem.sql.js'
import type { HistoryPage } from '../payments/status.js'
import type { PageParts } from './frame.js'
import type { ReadOnlySession, Session } from './reader.js'

export interface PortalTransfer {
  readonly payment: ShownPayment
  readonly proofs: readonly Proof[]
  /** It has expired. Its money still counts if it comes, so its slip is still taken. */
  readonly isLate: boolean
}

export interface RefusedTransfer {
  readonly reference: string
  readonly reason: string
}

export interface PortalView {
  readonly session: Session | ReadOnlySession
  /** Where "back" leads; null: to an operator who looks on. */
  readonly backUrl: string | null
  readonly overview: Overview
  readonly history: HistoryPage
  readonly locale: Locale
  /** Newest first; none where there are no codes. */
  readonly redemptions: readonly Redemption[]
  /** That the user made just now, by its id. */
  readonly redeemed: string | null
  /** A page of the history further back. */
  readonly isOlder: boolean
  /** The newest payment, where it is a transfer that operators refused. */
  readonly refused: RefusedTransfer | null
  /** The expired one that the user asks to see, or else the one that is waited for. */
  readonly transfer: PortalTransfer | null
}

export interface Section {
  readonly pages: PageParts
  readonly view: PortalView
  readonly say: Say
}

/**
 * Nothing invites to pay while a page is open or a payment under review: the user is asked not to pay again. A transfer is on
 * its way for days, and may be paid by card instead.
 */
export function mayInvite(view: PortalView): boolean {
  return !isUnderReview(view) && (view.overview.pendingPayment?.checkoutUrl ?? null) === null
}

export function isUnderReview({ history, isOlder }: PortalView): boolean {
  return !isOlder && history.payments[0]?.status === 'review'
}

/** `2 000 DA TTC`: prices contain the tax, and say so where one applies on this day. */
export function priceOf(section: Section, amount: number): string {
  const money = section.pages.formats.money(amount, section.view.locale)
  return isTaxed(section.pages, section.view.overview.now)
    ? section.say('taxIncluded', { amount: money })
    : money
}

export function isTaxed({ formats, seller }: PageParts, now: Instant): boolean {
  return taxAt(seller.taxTerms, formats.isoDay(now)).kind === 'vat'
}
