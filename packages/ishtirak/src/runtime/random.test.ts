import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { createIds } from './random.js'

const AT = Date.UTC(2026, 10, 21)

describe('ids', () => {
  it('are a prefix and 26 characters of the Crockford alphabet, which tell the instant', () => {
    expect(createIds().next('pay', AT)).toMatch(/^pay_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    // ulid/javascript, README: `ulid(1469918176385) // 01ARYZ6S41TSV4RRFFQ69G5FAV`.
    expect(createIds().next('evt', 1_469_918_176_385).slice(0, 14)).toBe('evt_01aryz6s41')
    for (const at of [-1, 1.5, Number.NaN, 2 ** 48])
      expect(() => createIds().next('pay', at)).toThrow(RangeError)
  })

  it('of one millisecond carry 80 random bits and cannot be computed from one another', () => {
    const ids = createIds()
    const parts = Array.from({ length: 4_000 }, () => randomBitsOf(ids.next('pay', AT)))
    // 4,000 coins: 2,000 heads with a standard deviation of 31.6. One run in 10^15 is eight of them off.
    for (let bit = 0; bit < 80; bit++) {
      const heads = parts.filter((part) => part[bit] === '1').length
      expect(Math.abs(heads - 2_000), `bit ${bit}`).toBeLessThan(253)
    }
    const steps = parts.slice(1).map((part, index) => BigInt(`0b${part}`) - BigInt(`0b${parts[index]}`))
    expect(new Set(steps).size, 'no step comes twice').toBe(steps.length)
  })

  it('made at different instants sort in the order of time, and none comes twice', () =>
    forAll(100, fc.array(fc.nat(3), { maxLength: 200 }), (steps) => {
      const ids = createIds()
      let at = AT
      const made = steps.map((step) => {
        at += step
        return ids.next('pay', at)
      })
      const instants = [...made].sort().map((id) => id.slice(0, 14))
      expect(instants).toEqual(made.map((id) => id.slice(0, 14)))
      expect(new Set(made).size).toBe(made.length)
    }))
})

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

function randomBitsOf(id: string): string {
  return Array.from(id.slice(-16), (digit) => ALPHABET.indexOf(digit).toString(2).padStart(5, '0')).join('')
}
