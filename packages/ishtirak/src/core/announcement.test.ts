import { describe, expect, it } from 'vitest'
import { days, instantOf, NOON, PRO, RULES } from '../../../../test/support/fixtures.js'
import { type Boundary, decideAnnouncement, firstAnnouncementAt } from './announcement.js'
import { NEVER_PAID, type SubscriptionFacts } from './subscription.js'

const END = instantOf('2026-12-21T12:00:00Z')
const PAID: SubscriptionFacts = {
  run: { anchorAt: NOON, months: 1 },
  paidUntil: END,
  periods: [{ sourceId: 'pay_01', plan: PRO, months: 1, start: NOON, end: END }],
  endedAt: null,
  instrument: 'cib',
  balance: null,
}
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
