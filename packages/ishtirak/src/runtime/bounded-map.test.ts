import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { BoundedMap } from './bounded-map.js'

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
