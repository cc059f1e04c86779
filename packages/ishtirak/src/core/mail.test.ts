import { describe, expect, it } from 'vitest'
import { PRO, RULES } from '../../../../test/support/fixtures.js'
import {
  isReminderTrue,
  judgeMail,
  mailRetryAfter,
  RECEIPT_LIFETIME_MS,
  REMINDER_LIFETIME_MS,
} from './announcement.js'
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import type { SubscriptionFacts } from './subscription.js'

const END = Date.parse('2026-12-21T12:00:00Z')
const facts = (changes: Partial<SubscriptionFacts> = {}): SubscriptionFacts => ({
  run: { anchorAt: END - 30 * DAY, months: 1 },
  paidUntil: END,
  periods: [{ sourceId: 'pay_1', plan: PRO, months: 1, start: END - 30 * DAY, end: END }],
  endedAt: null,
  balance: null,
  instrument: 'cib',
  ...changes,
})
function judge(kind: string, queuedAt: Instant, now: Instant, of = facts(), email: string | null = 'a@b.dz') {
  const lifetimeMs = kind === 'receipt' ? RECEIPT_LIFETIME_MS : REMINDER_LIFETIME_MS
  const isStillTrue = () =>
    kind === 'receipt' || isReminderTrue({ kind, about: toTimestamp(END) }, of, now, RULES)
  return judgeMail({ queuedAt, lifetimeMs, isStillTrue }, email, now)
}

describe('a reminder', () => {
  it('is sent when it is true', () => {
    for (const [kind, days] of Object.entries({
      ...{ expiring_7_days: -7, expiring_3_days: -3, expiring_1_day: -1, past_due: 0, expired: 3 },
    })) {
      const instant = END + days * DAY
      expect.soft(judge(kind, instant, instant), kind).toBe('send')
      expect.soft(judge(kind, instant, instant + DAY - 1), kind).toBe('send')
    }
  })

  it('is dropped at a day old, for it names the days left, and where the time has another state', () => {
    for (const [dropped, kind, queuedAt, now, of] of [
      ['too_late', 'expiring_7_days', END - 7 * DAY, END - 6 * DAY, facts()],
      // Queued before the end, because the sweep was late; after the end `past_due` is the word.
      ['outdated', 'expiring_1_day', END - HOUR, END + HOUR, facts()],
      ['outdated', 'past_due', END, END, facts({ paidUntil: END + 30 * DAY })],
      ['outdated', 'past_due', END, END, facts({ endedAt: END - DAY })],
    ] as const)
      expect.soft(judge(kind, queuedAt, now, of)).toBe(dropped)
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
  const waits = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR]
  expect([1, 2, 3, 4, 5, 6, 7, 40].map(mailRetryAfter)).toEqual(waits)
})
