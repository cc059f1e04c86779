// What the sections of the portal's page are made of, and what more than one of them asks.
import type { Locale } from '../core/locale.js'
import type { LimitName } from '../core/plan.js'
import { taxAt } from '../core/receipt.js'
import type { Say } from '../i18n/messages.js'
import type { Overview } from '../limits/overview.js'
import type { HistoryPage } from '../payments/history.js'
import type { Pages } from './pages.js'
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

/** Nothing invites to pay while a payment is open or under review: the user is asked not to pay again. */
export function mayInvite({ history, isOlder, overview }: PortalView): boolean {
  const isUnderReview = !isOlder && history.payments[0]?.status === 'review'
  return !isUnderReview && overview.pendingPayment === null
}

/** `2 000 DA TTC`: prices contain the tax, and say so where one applies on this day. */
export function priceOf(section: Section, amount: number): string {
  const money = section.pages.formats.money(amount, section.view.locale)
  return isTaxed(section) ? section.say('taxIncluded', { amount: money }) : money
}

/** Whether a tax applies to what is sold on this day. */
export function isTaxed({ pages, view }: Section): boolean {
  const { formats, seller } = pages
  return taxAt(seller.taxTerms, formats.isoDay(view.overview.now)).kind === 'vat'
}

/** In the unit that `max` is in. */
export function limitInWords({ pages, view }: Section, limit: LimitName, count: number, max = count): string {
  const { formats } = pages
  return limit === 'storage_mb'
    ? formats.storage(count, view.locale, max)
    : formats.number(count, view.locale)
}

/** What is used, what the plan allows, and by how much it is exceeded: all in one unit. */
export function usageInWords(section: Section, of: { limit: LimitName; used: number; max: number }) {
  const show = (count: number) => limitInWords(section, of.limit, count, of.max)
  return { used: show(of.used), max: show(of.max), by: show(Math.max(0, of.used - of.max)) }
}
