// What changes as time passes: an end comes near, paid time ends, grace ends. This decides which event the
// platform gets and when the job checks the user again. It neither gives nor takes access. The second half
// decides which mail users still get: a reminder that is no longer true is dropped.
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

type AnnouncementType = 'subscription.expiring' | 'subscription.past_due' | 'subscription.expired'

export interface Announcement {
  readonly type: AnnouncementType
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
  const unannounced = boundariesOf(facts, rules).filter(({ boundary }) => isAfter(boundary, announced))
  // The balance will renew, so nothing ends. The job checks again, because the order may be ended before.
  if (renewsAt(facts) !== null)
    return { announcement: null, announced, announceAt: unannounced.find(({ at }) => at > now)?.at ?? null }
  const passed = unannounced.filter(({ at }) => at <= now)
  const latest = passed.at(-1)
  const next = unannounced.find(({ at }) => at > now)
  return {
    announcement: latest
      ? { ...latest, type: typeOf(latest.boundary), skipped: passed.slice(0, -1).map((one) => one.boundary) }
      : null,
    announced: latest?.boundary ?? announced,
    announceAt: next?.at ?? null,
  }
}

/** The first boundary of new facts. If it is already past, the next sweep announces what is true by then. */
export function firstAnnouncementAt({ paidUntil, endedAt }: SubscriptionFacts): Instant | null {
  return paidUntil === null || endedAt !== null ? null : paidUntil - 7 * DAY
}

/** Without grace no user is ever `past_due`, so the end of paid time is no boundary then. */
function boundariesOf({ paidUntil, endedAt, periods }: SubscriptionFacts, rules: BillingRules) {
  if (paidUntil === null || endedAt !== null) return []
  const expired = graceEndsAt(paidUntil, periods, rules)
  const instants: Record<Boundary, Instant> = {
    expiring_7_days: paidUntil - 7 * DAY,
    expiring_3_days: paidUntil - 3 * DAY,
    expiring_1_day: paidUntil - DAY,
    past_due: paidUntil,
    expired,
  }
  return BOUNDARIES.filter((boundary) => boundary !== 'past_due' || expired > paidUntil).map((boundary) => ({
    boundary,
    at: instants[boundary],
  }))
}

function isAfter(boundary: Boundary, announced: Boundary | null): boolean {
  return announced === null || BOUNDARIES.indexOf(boundary) > BOUNDARIES.indexOf(announced)
}

function typeOf(boundary: Boundary): AnnouncementType {
  if (boundary === 'past_due') return 'subscription.past_due'
  return boundary === 'expired' ? 'subscription.expired' : 'subscription.expiring'
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
