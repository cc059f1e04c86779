// What the sections of the portal's page are made of.

import type { Overview } from '../../billing/read-overview.js'
import type { HistoryPage } from '../../billing/read-payments.js'
import type { Locale } from '../../domain/locale.js'
import type { Say } from '../../domain/messages.js'
import type { Pages } from './portal.js'
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

/** His last payment is being looked into: he was told not to pay again, so nothing invites him to. */
export function isUnderReview({ history, isOlder }: PortalView): boolean {
  return !isOlder && history.payments[0]?.status === 'review'
}

/** Inside paid time, or in its grace. */
export function isPaidNow({ subscription }: Overview): boolean {
  const { status, currentPeriodEnd } = subscription
  return currentPeriodEnd !== null && (status === 'active' || status === 'past_due')
}
