// Small words that several pages share and that no catalogue sentence is made of: cards, limits, prices and states.
import type { Locale } from '../core/locale.js'
import type { PublicPaymentStatus } from '../core/payment.js'
import type { LimitName } from '../core/plan.js'
import type { Formats } from '../i18n/formats.js'
import { type MessageKey, type Say, sayFor } from '../i18n/messages.js'
import type { Pages } from './pages.js'

/** The catalogue for a page. */
export function sayOf({ seller }: Pages, locale: Locale): Say {
  return sayFor(seller.identity, locale)
}

/** A word of the provider that we do not know yet stands as it is: it is a fact about money. */
export function cardName(method: string, locale: Locale): string {
  if (method === 'edahabia') return locale === 'ar' ? 'الذهبية EDAHABIA' : 'EDAHABIA'
  return method.toUpperCase()
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

export const PAYMENT_WORDS: Readonly<
  Record<PublicPaymentStatus, { readonly key: MessageKey; readonly tone: 'good' | 'warn' | 'bad' | 'none' }>
> = {
  pending: { key: 'payment_pending', tone: 'warn' },
  paid: { key: 'payment_paid', tone: 'good' },
  failed: { key: 'payment_failed', tone: 'bad' },
  canceled: { key: 'payment_canceled', tone: 'none' },
  expired: { key: 'payment_expired', tone: 'none' },
  review: { key: 'payment_review', tone: 'warn' },
  refunded: { key: 'payment_refunded', tone: 'none' },
}
