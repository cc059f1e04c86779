import { describe, expect, it } from 'vitest'
import { FREE, NOON, PRO } from '../../../../test/support/fixtures.js'
import { describeAllowance, overLimits, type UsageCount, usageAt } from './limit.js'

const allowance = { allowed: true, limit: 10, used: 3, resetsAt: null }
const count = (changes: Partial<UsageCount>): UsageCount => ({
  limit: 'projects',
  projectId: '',
  used: 1,
  resetsAt: null,
  ...changes,
})

describe('an allowance', () => {
  it('says what remains, and never less than nothing', () => {
    expect(describeAllowance(allowance).remaining).toBe(7)
    expect(describeAllowance({ ...allowance, used: 12 }).remaining).toBe(0)
  })

  it('gives a reason for a no only: full, or above the limit', () => {
    const reasonOf = (used: number, allowed = false) =>
      describeAllowance({ ...allowance, used, allowed }).reason
    expect([reasonOf(3, true), reasonOf(10), reasonOf(11)]).toEqual([null, 'limit_reached', 'over_limit'])
  })
})

describe('usage', () => {
  it('leaves out the count of a day that is over, from its last instant on', () => {
    const counts = [count({ limit: 'deploys_per_day', used: 4, resetsAt: NOON })]
    expect(usageAt(counts, NOON - 1).deploys_per_day).toBe(4)
    expect(usageAt(counts, NOON).deploys_per_day).toBe(0)
  })

  it('keeps projects apart, whatever they are called', () => {
    const counts = ['shop', '__proto__'].map((projectId) =>
      count({ limit: 'domains_per_project', projectId }),
    )
    expect(Object.entries(usageAt(counts, NOON).domains_per_project)).toEqual([
      ['shop', 1],
      ['__proto__', 1],
    ])
  })
})

describe('over the limit', () => {
  const usage = {
    projects: 4,
    domains_per_project: { shop: 2, blog: 1 },
    deploys_per_day: 10,
    storage_mb: 501,
  }

  it('is every limit with more in use than allowed, each project by itself', () => {
    expect(overLimits(usage, FREE.limits)).toEqual([
      { limit: 'projects', projectId: null, used: 4, max: 3 },
      { limit: 'domains_per_project', projectId: 'shop', used: 2, max: 1 },
      { limit: 'storage_mb', projectId: null, used: 501, max: 500 },
    ])
  })

  it('is nothing where the plan has room', () => {
    expect(overLimits(usage, PRO.limits)).toEqual([])
  })
})
