// What the portal's page and its sections share: what was read, whether it may invite to pay, and how it says a price.

import type { HistoryPage } from '../checkout/status.js'
import type { HeldTime } from '../core/held-time.js'
import type { Locale } from '../core/locale.js'
import type { Payment } from '../core/payment.js'
import type { Formats } from '../i18n/formats.js'
import type { Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { PageParts } from '../pages/portal-frame.js'
import {
  type CheckedPayments,
  isUnderReview,
  type PortalPart,
  type SeenPortal,
} from '../pages/portal-kinds.js'

export interface PortalView extends SeenPortal {
  readonly locale: Locale
  /** Where "back" leads; null: to an operator who looks on. */
  readonly backUrl: string | null
  readonly overview: Overview
  readonly history: HistoryPage
  /** All time that was paid or granted, in order. */
  readonly held: readonly HeldTime[]
  /** Of the newest payments one that is under review, whole. */
  readonly reviewed: Payment | null
  /** What capabilities bring. */
  readonly parts: readonly PortalPart[]
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
 * Nothing invites to pay while a page is open, a payment under review, or one that operators check: the user is asked not to pay
 * again. Instead of an open page they may want something else: what they choose takes its place, and it is first ended where
 * it is paid, or booked. One without a page may be on its way for days, and may be paid by card instead.
 */
export function mayInvite(view: PortalView): boolean {
  const isOpen = (view.overview.pendingPayment?.checkoutUrl ?? null) !== null
  return !isUnderReview(view) && checkedIn(view).length === 0 && (view.isChoosing || !isOpen)
}

export function checkedIn({ parts }: PortalView): readonly CheckedPayments[] {
  return parts.flatMap(({ checked }) => checked ?? [])
}

/** By which payments are waited for, so no button offers them again while nothing else is to be chosen. */
export function openMethods({ parts, isChoosing }: PortalView): readonly string[] {
  return isChoosing ? [] : parts.flatMap(({ openMethod }) => openMethod ?? [])
}

/** What the parts have for one place, in their order. */
export function Brought({ at, ...section }: Section & { readonly at: Place }) {
  return <>{section.view.parts.map((part) => part[at]?.(section) ?? null)}</>
}

type Place = 'news' | 'open' | 'field' | 'lists'
