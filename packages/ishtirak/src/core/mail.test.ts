// Which mail is still worth sending: judged by facts and time alone.
import { describe, expect, it } from 'vitest'
import {
  isReminderTrue,
  judgeMail,
  mailRetryAfter,
  RECEIPT_LIFETIME_MS,
  REMINDER_LIFETIME_MS,
} from './announcement.js'
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import { SEED_LIMITS } from './limit.js'
import { SEED_PLANS } from './plan.js'
import type { BillingRules, SubscriptionFacts } from './subscription.js'

const END = Date.parse('2026-12-21T12:00:00Z')
const [FREE, PRO] = SEED_PLANS
if (!FREE || !PRO) throw new Error('the seed has two plans')
const RULES: BillingRules = {
  catalogue: { limits: SEED_LIMITS, plans: SEED_PLANS, free: FREE },
  leastAmount: 50,
  graceDays: 3,
  renewalWindowDays: 7,
  prepayMaxMonths: 24,
  balanceMax: 0,
  calendar: { monthsAfter: (anchor, months) => anchor + months * 30 * DAY },
}
const facts = (changes: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  run: { anchorAt: END - 30 * DAY, months: 1 },
  paidUntil: END,
  periods: [{ sourceId: 'pay_1', plan: PRO, months: 1, start: END - 30 * DAY, end: END }],
  endedAt: null,
  balance: null,
  instrument: 'cib',
  ...changes,
})
const judge = (
  kind: string,
  queuedAt: Instant,
  now: Instant,
  subscription = facts(),
  email: string | null = 'a@b.dz',
) =>
  judgeMail(
    {
      queuedAt,
      lifetimeMs: kind === 'receipt' ? RECEIPT_LIFETIME_MS : REMINDER_LIFETIME_MS,
      isStillTrue: () =>
        kind === 'receipt' || isReminderTrue({ kind, about: toTimestamp(END) }, subscription, now, RULES),
    },
    email,
    now,
  )

describe('a reminder', () => {
  const at: Record<string, Instant> = {
    expiring_7_days: END - 7 * DAY,
    expiring_3_days: END - 3 * DAY,
    expiring_1_day: END - DAY,
    past_due: END,
    expired: END + 3 * DAY,
  }
  it('is sent when it is true', () => {
    for (const [kind, instant] of Object.entries(at)) {
      expect.soft(judge(kind, instant, instant), String(kind)).toBe('send')
      expect.soft(judge(kind, instant, instant + DAY - 1), String(kind)).toBe('send')
    }
  })

  it('is dropped when it is a day old, for it says how many days are left', () => {
    expect(judge('expiring_7_days', END - 7 * DAY, END - 6 * DAY)).toBe('too_late')
  })

  it('is dropped when the next boundary was passed meanwhile', () => {
    // Queued half a day before the end, because the sweep was late; after the end `past_due` is the word.
    expect(judge('expiring_1_day', END - HOUR, END + HOUR)).toBe('outdated')
  })

  it('is dropped when the user has paid beyond, or was ended', () => {
    expect(judge('past_due', END, END, facts({ paidUntil: END + 30 * DAY }))).toBe('outdated')
    expect(judge('past_due', END, END, facts({ endedAt: END - DAY }))).toBe('outdated')
  })
})

it('a receipt is sent for five days, whatever became of the subscription', () => {
  const ended = facts({ endedAt: END })
  expect(judge('receipt', END, END + 5 * DAY - 1, ended)).toBe('send')
  expect(judge('receipt', END, END + 5 * DAY, ended)).toBe('too_late')
})

it('nothing is sent without an address', () => {
  expect(judge('receipt', END, END, facts(), null)).toBe('no_address')
})

it('mail that was deferred is tried again later and later, at least three times a day', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 40].map(mailRetryAfter)).toEqual([
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    4 * HOUR,
    8 * HOUR,
    8 * HOUR,
    8 * HOUR,
  ])
})
