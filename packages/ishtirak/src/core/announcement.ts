// What changes as time passes: which event the platform gets, and when the job checks the user again. It
// neither gives nor takes access. The second half decides which mail users still get.
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import { type BillingRules, graceEndsAt, renewsAt, type SubscriptionFacts } from './subscription.js'

/** Time passes them in this order. */
export const BOUNDARIES = [
  'expiring_7_days',
  'expiring_3_days',
  'expiring_1_day',
  'past_due',
  'expired',
] as const
export type Boundary = (typeof BOUNDARIES)[number]

export interface Announcement {
  readonly type: 'subscription.expiring' | 'subscription.past_due' | 'subscription.expired'
  readonly boundary: Boundary
  readonly at: Instant
  /** Boundaries that were passed too, but are not announced because they are no longer true. */
  readonly skipped: readonly Boundary[]
}

export interface AnnouncementDecision {
  readonly announcement: Announcement | null
  readonly announced: Boundary | null
  readonly announceAt: Instant | null
}

/** Only the latest passed boundary is true: after an outage of a month, `expired` is announced. */
export function decideAnnouncement(
  facts: SubscriptionFacts,
  announced: Boundary | null,
  now: Instant,
  rules: BillingRules,
): AnnouncementDecision {
  const last = announced === null ? -1 : BOUNDARIES.indexOf(announced)
  const unannounced = boundariesOf(facts, rules).filter(({ boundary }) => BOUNDARIES.indexOf(boundary) > last)
  const announceAt = unannounced.find(({ at }) => at > now)?.at ?? null
  const passed = unannounced.filter(({ at }) => at <= now)
  const latest = passed.at(-1)
  // If the balance will renew, nothing ends. The job checks again, because the order may be ended before.
  if (!latest || renewsAt(facts) !== null) return { announcement: null, announced, announceAt }
  const skipped = passed.slice(0, -1).map(({ boundary }) => boundary)
  return { announcement: { ...latest, skipped }, announced: latest.boundary, announceAt }
}

/** The first boundary of new facts. If it is already past, the next sweep announces what is true by then. */
export function firstAnnouncementAt({ paidUntil, endedAt }: SubscriptionFacts): Instant | null {
  return paidUntil === null || endedAt !== null ? null : paidUntil - 7 * DAY
}

/** Without grace no user is ever `past_due`, so the end of paid time is no boundary then. */
function boundariesOf({ paidUntil, endedAt, periods }: SubscriptionFacts, rules: BillingRules) {
  if (paidUntil === null || endedAt !== null) return []
  const expired = graceEndsAt(paidUntil, periods, rules)
  const boundaries: readonly Omit<Announcement, 'skipped'>[] = [
    { boundary: 'expiring_7_days', type: 'subscription.expiring', at: paidUntil - 7 * DAY },
    { boundary: 'expiring_3_days', type: 'subscription.expiring', at: paidUntil - 3 * DAY },
    { boundary: 'expiring_1_day', type: 'subscription.expiring', at: paidUntil - DAY },
    { boundary: 'past_due', type: 'subscription.past_due', at: paidUntil },
    { boundary: 'expired', type: 'subscription.expired', at: expired },
  ]
  return boundaries.filter(({ boundary }) => boundary !== 'past_due' || expired > paidUntil)
}

/** Identifies one mail of a user: if it is owed twice under one key, it is sent once. */
export interface MailKey {
  /** Each capability has its own kinds. */
  readonly kind: string
  /** The payment of a receipt or refund, the grant, or the end (a timestamp) that a reminder is about. */
  readonly about: string
}

/** `outdated`: the time was renewed or ended, or a later boundary is past. */
export function judgeMail(
  mail: { readonly queuedAt: Instant; readonly lifetimeMs: number; readonly isStillTrue: () => boolean },
  email: string | null,
  now: Instant,
): 'send' | 'no_address' | 'outdated' | 'too_late' {
  if (email === null) return 'no_address'
  if (now >= mail.queuedAt + mail.lifetimeMs) return 'too_late'
  return mail.isStillTrue() ? 'send' : 'outdated'
}

/** Users wait for receipts and for news of granted time, so these are sent even days late. */
export const RECEIPT_LIFETIME_MS = 5 * DAY
/** "3 days left" is wrong a day later. */
export const REMINDER_LIFETIME_MS = DAY

/** A reminder is about an end. It is true until the next boundary is passed. */
export function isReminderTrue(
  { kind, about }: MailKey,
  facts: SubscriptionFacts,
  now: Instant,
  rules: BillingRules,
): boolean {
  if (facts.paidUntil === null || about !== toTimestamp(facts.paidUntil)) return false
  return decideAnnouncement(facts, null, now, rules).announcement?.boundary === kind
}

/** Mail servers defer unknown senders for minutes (greylisting). Broken servers are repaired within hours. */
const RETRY_STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR] as const

export function mailRetryAfter(attempts: number): number {
  return RETRY_STEPS[Math.min(attempts, RETRY_STEPS.length) - 1] ?? MINUTE
}
