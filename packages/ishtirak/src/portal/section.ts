// What the sections of the portal's page are made of, and what more than one of them asks.
import type { Locale } from '../core/locale.js'
import type { LimitName } from '../core/plan.js'
import { taxAt } from '../core/tax.js'
import type { Formats } from '../i18n/formats.js'
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

export function limitInWords(formats: Formats, limit: LimitName, count: number, locale: Locale): string {
  return limit === 'storage_mb' ? formats.storage(count, locale) : formats.number(count, locale)
}

/** What is used, what the plan allows, and by how much it is exceeded: all in one unit. */
export function usageInWords(
  formats: Formats,
  of: { limit: LimitName; used: number; max: number },
  locale: Locale,
) {
  const { limit, used, max } = of
  const show = (count: number) =>
    limit === 'storage_mb' ? formats.storage(count, locale, max) : formats.number(count, locale)
  return { used: show(used), max: show(max), by: show(Math.max(0, used - max)) }
}
