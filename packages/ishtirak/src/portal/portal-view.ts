// What the portal's page and its sections share: what was read, whether it may invite to pay, and how it says a price.

import type { HistoryPage } from '../checkout/status.js'
import type { Redemption } from '../codes/redeem.sql.js'
import type { HeldTime } from '../core/held-time.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Payment, ShownPayment } from '../core/payment.js'
import { taxAt } from '../core/receipt.js'
import type { Proof } from '../core/transfer.js'
import type { Formats } from '../i18n/formats.js'
import type { Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'

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
  /** All time that was paid or granted, in order. */
  readonly held: readonly HeldTime[]
  readonly locale: Locale
  /** Newest first; none where there are no codes. */
  readonly redemptions: readonly Redemption[]
  /** That the user made just now, by its id. */
  readonly redeemed: string | null
  /** The user wants something else than what is open. */
  readonly isChoosing: boolean
  /** Of the newest payments one that is under review, whole. */
  readonly reviewed: Payment | null
  /** The transfers on this page of which a slip is being checked, by the ids of their payments. */
  readonly slips: ReadonlySet<string>
  /** A page of the history further back. */
  readonly isOlder: boolean
  /** The newest payment, where it is a transfer that operators refused. */
  readonly refused: RefusedTransfer | null
  /** The expired one that is asked for, or else the one that is waited for, or whose slip is being checked. */
  readonly transfer: PortalTransfer | null
}

/** What came and what was ordered, where the sums differ; null: something else does. */
export function differingSums(
  { money }: Pick<Formats, 'money'>,
  { review, price }: Pick<Payment, 'review' | 'price'>,
  locale: Locale,
) {
  if (!review || review.amount === null || review.amount === price.amount) return null
  return { received: money(review.amount, locale), ordered: money(price.amount, locale) }
}

export interface Section {
  readonly pages: PageParts
  readonly view: PortalView
  readonly say: Say
}

/**
 * Nothing invites to pay while a page is open, a payment under review or a slip being checked: the user is asked not to pay
 * again. Instead of an open page they may want something else: what they choose takes its place, and it is first ended where
 * it is paid, or booked. A transfer without a slip is on its way for days, and may be paid by card instead.
 */
export function mayInvite(view: PortalView): boolean {
  const isOpen = (view.overview.pendingPayment?.checkoutUrl ?? null) !== null
  return !isUnderReview(view) && view.slips.size === 0 && (view.isChoosing || !isOpen)
}

export function isUnderReview({ history, isOlder }: PortalView): boolean {
  return !isOlder && history.payments[0]?.status === 'review'
}

/** Prices contain the tax, and say so where one applies on this day. */
export function isTaxed({ formats, seller }: PageParts, now: Instant): boolean {
  return taxAt(seller.taxTerms, formats.isoDay(now)).kind === 'vat'
}
