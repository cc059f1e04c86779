// Small words that several pages share and that no catalogue sentence is made of: cards, limits and states.
import type { Locale } from '../../domain/locale.js'
import type { MessageKey } from '../../domain/messages.js'
import type { PublicPaymentStatus } from '../../domain/payment.js'
import type { LimitName } from '../../domain/plan.js'
import type { Formats } from '../../runtime/formats.js'

/** A word of the provider that we do not know yet stands as it is: it is a fact about money. */
export function cardName(method: string, locale: Locale): string {
  if (method === 'edahabia') return locale === 'ar' ? 'الذهبية EDAHABIA' : 'EDAHABIA'
  return method.toUpperCase()
}

export function limitInWords(formats: Formats, limit: LimitName, count: number, locale: Locale): string {
  return limit === 'storage_mb' ? formats.storage(count, locale) : formats.number(count, locale)
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
