// The mail that users are owed: its kinds, which is still worth sending, and when a failed one is tried again. A reminder
// that is no longer true is dropped, not sent late.
import { type Boundary, decideAnnouncement } from './announcement.js'
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import type { BillingRules, SubscriptionFacts } from './subscription.js'

export type MailKind = 'receipt' | 'refunded' | 'portal_link' | Boundary

/** Identifies one user's mail: owed twice under the same key, it is sent once. */
export interface MailKey {
  readonly kind: MailKind
  /** The payment of a receipt or a refund; of a reminder, the end it reminds of as a timestamp. */
  readonly about: string
}

export interface OwedMail extends MailKey {
  readonly queuedAt: Instant
  /** How often it was tried, this time included. */
  readonly attempts: number
}

/** Mail about one payment stays true whatever comes after; a reminder does not. */
export function isAboutPayment(kind: MailKind): kind is 'receipt' | 'refunded' {
  return kind === 'receipt' || kind === 'refunded'
}

export type MailVerdict =
  | 'send'
  /** No address of the user is known. */
  | 'no_address'
  /** Renewed, ended, or past a later boundary. */
  | 'outdated'
  | 'too_late'

export function judgeMail(
  mail: OwedMail,
  user: { readonly email: string | null; readonly subscription: SubscriptionFacts },
  now: Instant,
  rules: BillingRules,
): MailVerdict {
  if (user.email === null) return 'no_address'
  if (now >= mail.queuedAt + lifetimeOf(mail.kind)) return 'too_late'
  if (isAboutPayment(mail.kind) || mail.kind === 'portal_link') return 'send'
  return isStillTrue(mail, user.subscription, now, rules) ? 'send' : 'outdated'
}

/** Users wait for a receipt; "3 days left" is wrong a day later; a link is asked for again after some minutes. */
function lifetimeOf(kind: MailKind): number {
  if (isAboutPayment(kind)) return 5 * DAY
  return kind === 'portal_link' ? 15 * MINUTE : DAY
}

function isStillTrue(mail: OwedMail, facts: SubscriptionFacts, now: Instant, rules: BillingRules): boolean {
  if (facts.paidUntil === null || mail.about !== toTimestamp(facts.paidUntil)) return false
  return decideAnnouncement(facts, null, now, rules).announcement?.boundary === mail.kind
}

/** Mail servers defer unknown senders (greylisting) for some minutes; broken servers are repaired within hours. */
const RETRY_STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR] as const

export function mailRetryAfter(attempts: number): number {
  return RETRY_STEPS[Math.min(attempts, RETRY_STEPS.length) - 1] ?? MINUTE
}
