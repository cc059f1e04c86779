import { days, MONTH_END as END, NOON, ONE_MONTH as PAID, RULES } from '../../../../test/support/fixtures.js'
import {
  type Boundary,
  decideAnnouncement,
  firstAnnouncementAt,
  isReminderTrue,
  judgeMail,
  mailRetryAfter,
  RECEIPT_LIFETIME_MS,
  REMINDER_LIFETIME_MS,
} from './announcement.js'
import { DAY, HOUR, type Instant, MINUTE, toTimestamp } from './instant.js'
import { NEVER_PAID } from './subscription.js'

const decide = (announced: Boundary | null, now: number, changes: Partial<typeof RULES> = {}) =>
  decideAnnouncement(PAID, announced, now, { ...RULES, ...changes })

describe('the boundaries', () => {
  it('are 7, 3 and 1 days before the end, the end, and 3 days of grace later, each announced once', () => {
    const sent: string[] = []
    let announced: Boundary | null = null
    for (let at = firstAnnouncementAt(PAID); at !== null; ) {
      // A millisecond early there is nothing to say.
      expect(decide(announced, at - 1).announcement).toBeNull()
      const decision = decide(announced, at)
      const { type, boundary } = decision.announcement ?? {}
      sent.push(`${type} ${boundary} ${(at - END) / days(1)}`)
      announced = decision.announced
      at = decision.announceAt
    }
    expect(sent).toEqual([
      'subscription.expiring expiring_7_days -7',
      'subscription.expiring expiring_3_days -3',
      'subscription.expiring expiring_1_day -1',
      'subscription.past_due past_due 0',
      'subscription.expired expired 3',
    ])
  })

  it('passed while the service was stopped: only the last is announced, with the skipped ones', () => {
    const skipped = ['expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due']
    expect(decide(null, END + days(30))).toEqual({
      announcement: { type: 'subscription.expired', boundary: 'expired', at: END + days(3), skipped },
      announced: 'expired',
      announceAt: null,
    })
    expect(decide('expiring_7_days', END - days(0.5)).announcement).toMatchObject({
      ...{ boundary: 'expiring_1_day', skipped: ['expiring_3_days'] },
    })
  })

  it('follow the days of grace and a change of them; without any the end is final at once', () => {
    expect(decide('expiring_1_day', END, { graceDays: 0 })).toMatchObject({
      announcement: { boundary: 'expired', skipped: [] },
      announceAt: null,
    })
    // past_due was announced with 3 days of grace; with 1 day grace is over.
    expect(decide('past_due', END + days(2), { graceDays: 1 }).announcement?.boundary).toBe('expired')
    expect(decide('past_due', END + days(3), { graceDays: 5 })).toMatchObject({
      announcement: null,
      announceAt: END + days(5),
    })
  })
})

it('are not announced to users who never paid or whose subscription was ended', () => {
  for (const facts of [NEVER_PAID, { ...PAID, endedAt: NOON }]) {
    expect(firstAnnouncementAt(facts)).toBeNull()
    const none = { announcement: null, announced: null, announceAt: null }
    expect(decideAnnouncement(facts, null, END + days(9), RULES)).toEqual(none)
  }
})

function judge(kind: string, queuedAt: Instant, now: Instant, of = PAID, email: string | null = 'a@b.dz') {
  const lifetimeMs = kind === 'receipt' ? RECEIPT_LIFETIME_MS : REMINDER_LIFETIME_MS
  const isStillTrue = () =>
    kind === 'receipt' || isReminderTrue({ kind, about: toTimestamp(END) }, of, now, RULES)
  return judgeMail({ queuedAt, lifetimeMs, isStillTrue }, email, now)
}

describe('a reminder', () => {
  it('is sent when it is true', () => {
    for (const [kind, after] of Object.entries({
      ...{ expiring_7_days: -7, expiring_3_days: -3, expiring_1_day: -1, past_due: 0, expired: 3 },
    })) {
      const instant = END + after * DAY
      expect.soft(judge(kind, instant, instant), kind).toBe('send')
      expect.soft(judge(kind, instant, instant + DAY - 1), kind).toBe('send')
    }
  })

  it('is dropped at a day old, for it names the days left, and where the time has another state', () => {
    for (const [dropped, kind, queuedAt, now, of] of [
      ['too_late', 'expiring_7_days', END - 7 * DAY, END - 6 * DAY, PAID],
      // Queued before the end, because the sweep was late; after the end `past_due` is the word.
      ['outdated', 'expiring_1_day', END - HOUR, END + HOUR, PAID],
      ['outdated', 'past_due', END, END, { ...PAID, paidUntil: END + 30 * DAY }],
      ['outdated', 'past_due', END, END, { ...PAID, endedAt: END - DAY }],
    ] as const)
      expect.soft(judge(kind, queuedAt, now, of)).toBe(dropped)
  })
})

it('a receipt is sent for five days, whatever became of the subscription', () => {
  const ended = { ...PAID, endedAt: END }
  expect(judge('receipt', END, END + 5 * DAY - 1, ended)).toBe('send')
  expect(judge('receipt', END, END + 5 * DAY, ended)).toBe('too_late')
})

it('nothing is sent without an address', () => {
  expect(judge('receipt', END, END, PAID, null)).toBe('no_address')
})

it('mail that was deferred is tried again later and later, at least three times a day', () => {
  const waits = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR]
  expect([1, 2, 3, 4, 5, 6, 7, 40].map(mailRetryAfter)).toEqual(waits)
})
