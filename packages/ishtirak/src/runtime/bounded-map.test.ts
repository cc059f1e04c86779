import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { BoundedMap, createRecentFailures } from './bounded-map.js'

describe('a bounded map', () => {
  it('never holds more than it may, and what it gives is what was set last', () => {
    const action = fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.nat(20))
    forAll(100, fc.integer({ min: 2, max: 12 }), fc.array(action, { maxLength: 300 }), (most, actions) => {
      const bounded = new BoundedMap<number, number>(most)
      const unbounded = new Map<number, number>()
      for (const [index, [what, key]] of actions.entries()) {
        if (what === 'set') {
          bounded.set(key, index)
          unbounded.set(key, index)
        } else if (what === 'delete') {
          bounded.delete(key)
          unbounded.delete(key)
        } else expect([undefined, unbounded.get(key)]).toContain(bounded.get(key))
        expect(bounded.size).toBeLessThanOrEqual(most)
      }
    })
  })

  it('keeps a key that is asked for, however many others come', () => {
    const bounded = new BoundedMap<string, number>(10)
    bounded.set('asked for', 1)
    for (let other = 0; other < 1_000; other++) {
      bounded.set(`other ${other}`, other)
      if (other % 5 === 0) bounded.get('asked for')
    }
    expect(bounded.get('asked for')).toBe(1)
    expect(bounded.get('other 0')).toBeUndefined()
  })
})

describe('attempts that failed', () => {
  const MINUTE = 60_000

  it('may be so many in the window, then one whenever the oldest leaves it', () => {
    const failures = createRecentFailures(2, MINUTE)
    failures.note('a', 0)
    expect(failures.nextAttemptAt('a', 0)).toBeNull()
    failures.note('a', 1000)
    expect(failures.nextAttemptAt('a', 1000)).toBe(MINUTE)
    expect(failures.nextAttemptAt('b', 1000)).toBeNull()
    expect(failures.nextAttemptAt('a', MINUTE)).toBeNull()
    failures.note('a', MINUTE)
    expect(failures.nextAttemptAt('a', MINUTE)).toBe(1000 + MINUTE)
  })

  it('are kept of 10,000 callers at most, the latest among them', () => {
    const failures = createRecentFailures(1, MINUTE)
    for (let n = 0; n <= 10_000; n++) failures.note(`user-${n}`, 0)
    expect(failures.nextAttemptAt('user-0', 0)).toBeNull()
    expect(failures.nextAttemptAt('user-10000', 0)).toBe(MINUTE)
  })
})
