// The duty on cash, by the figures of docs/seller.example.json and on both sides of each bound.
import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { FLAT, GRADED } from '../../../../test/support/stamp-duty.js'
import { stampDutyOn } from './stamp-duty.js'

const expectDuty = (term: Parameters<typeof stampDutyOn>[1], duties: Readonly<Record<number, number>>) => {
  const found = Object.keys(duties).map((amount) => [amount, stampDutyOn(Number(amount), term)])
  expect(Object.fromEntries(found)).toEqual(duties)
}

describe('the stamp duty', () => {
  it('at one rate is for each hundred that was begun, up to the most', () => {
    expectDuty(FLAT, { 1: 500, 500: 500, 501: 600, 2000: 2_000, 1000000: 1_000_000, 1000001: 1_000_000 })
  })

  it('by brackets is at the rate of the whole amount, and never below the least', () => {
    // 4 hundreds are 4 dinars: the least is 5.
    expectDuty(GRADED, { 300: 0, 301: 500, 500: 500, 501: 600, 2000: 2_000, 30000: 30_000 })
    // All of it at the next rate, not what is above the bound: 301 × 1.50, and 1,001 × 2.
    expectDuty(GRADED, { 30001: 45_150, 100000: 150_000, 100001: 200_200, 2000000: 4_000_000 })
  })

  it('as a percentage is rounded up to whole dinars', () => {
    // 30,050 × 1.5 % = 450.75 dinars.
    expectDuty({ ...GRADED, wholeHundreds: false }, { 1050: 1_100, 30050: 45_100, 40000: 60_000 })
  })

  it('is in whole centimes, and never less for more', () => {
    const amounts = fc.integer({ min: 1, max: 2_000_000 })
    forAll(100, amounts, fc.nat(1_000), fc.boolean(), (amount, more, wholeHundreds) => {
      const term = { ...GRADED, wholeHundreds }
      const [less, greater] = [stampDutyOn(amount, term), stampDutyOn(amount + more, term)]
      expect(Number.isSafeInteger(less)).toBe(true)
      expect(greater).toBeGreaterThanOrEqual(less)
    })
  })
})
