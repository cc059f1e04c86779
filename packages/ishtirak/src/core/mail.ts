// Which mail is still worth sending, and when one that could not be sent is tried again. A reminder that is no longer true
// is dropped, not sent late: nobody wants to hear of an end that he has paid beyond.
import { type Boundary, decideAnnouncement } from './announcement.js'
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import type { SubscriptionFacts, Terms } from './subscription.js'

export type MailKind = 'receipt' | 'refunded' | 'portal_link' | Boundary

/** Tells of one payment, and stays true whatever comes after; a reminder does not. */
export function isAboutPayment(kind: MailKind): kind is 'receipt' | 'refunded' {
  return kind === 'receipt' || kind === 'refunded'
}

/** `about`: the payment of a receipt or a refund; of a reminder, the end it reminds of as a timestamp. */
export interface OwedMail {
  readonly kind: MailKind
  readonly about: string
  readonly queuedAt: Instant
  /** How often it was tried, this time included. */
  readonly attempts: number
}

export type MailVerdict =
  | 'send'
  /** Nobody told us where to. */
  | 'no_address'
  /** Renewed, ended, or a later boundary was passed meanwhile. */
  | 'outdated'
  | 'too_late'

/** A receipt is a paper that one waits for; "3 days left" is wrong a day later. */
const RECEIPT_LIFETIME = 5 * DAY
const REMINDER_LIFETIME = DAY
/** The user who asked for a link waits in front of the page; later they ask again. */
const LINK_LIFETIME = 15 * MINUTE

function lifetimeOf(kind: MailKind): number {
  if (isAboutPayment(kind)) return RECEIPT_LIFETIME
  return kind === 'portal_link' ? LINK_LIFETIME : REMINDER_LIFETIME
}

export function judgeMail(
  mail: OwedMail,
  user: { readonly email: string | null; readonly subscription: SubscriptionFacts },
  now: Instant,
  terms: Terms,
): MailVerdict {
  if (user.email === null) return 'no_address'
  if (now >= mail.queuedAt + lifetimeOf(mail.kind)) return 'too_late'
  if (isAboutPayment(mail.kind) || mail.kind === 'portal_link') return 'send'
  return isStillTrue(mail, user.subscription, now, terms) ? 'send' : 'outdated'
}

function isStillTrue(mail: OwedMail, facts: SubscriptionFacts, now: Instant, terms: Terms): boolean {
  if (facts.paidUntil === null || mail.about !== toTimestamp(facts.paidUntil)) return false
  return decideAnnouncement(facts, null, now, terms).announcement?.boundary === mail.kind
}

/** Mail servers defer what they do not know (greylisting) for some minutes; broken ones are mended within hours. */
const RETRY_STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR] as const

export function mailRetryAfter(attempts: number): number {
  return RETRY_STEPS[Math.min(attempts, RETRY_STEPS.length) - 1] ?? MINUTE
}
