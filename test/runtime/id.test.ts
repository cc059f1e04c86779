import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIds } from '../../src/runtime/id.js'

const AT = Date.UTC(2026, 10, 21)

describe('ids', () => {
  it('are a prefix and 26 characters of the Crockford alphabet', () => {
    expect(createIds().next('pay', AT)).toMatch(/^pay_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  })

  it('tell the instant as the reference implementation does', () => {
    // ulid/javascript, README: `ulid(1469918176385) // 01ARYZ6S41TSV4RRFFQ69G5FAV`.
    expect(createIds().next('evt', 1_469_918_176_385).slice(0, 14)).toBe('evt_01aryz6s41')
  })

  it('rise within one millisecond, also when the last digits carry over', () => {
    const ids = createIds((size) => new Uint8Array(size).fill(31, 1))
    const made = Array.from({ length: 3 }, () => ids.next('pay', AT).slice(-16))
    expect(made).toEqual([`0${'z'.repeat(15)}`, `1${'0'.repeat(15)}`, `1${'0'.repeat(14)}1`])
  })

  it('made at rising instants sort in that order, and none comes twice', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 200 }), (steps) => {
        const ids = createIds()
        let at = AT
        const made = steps.map((step) => {
          at += step
          return ids.next('pay', at)
        })
        expect([...made].sort()).toEqual(made)
        expect(new Set(made).size).toBe(made.length)
      }),
    )
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 48])('refuse the instant %s', (at) => {
    expect(() => createIds().next('pay', at)).toThrow(RangeError)
  })
})
