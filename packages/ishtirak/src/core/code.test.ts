import fc from 'fast-check'
import { aCode } from '../../../../test/support/codes.js'
import { days, NOON, PRO } from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import {
  CODE_LENGTH,
  type CodeBatch,
  codeFrom,
  discountOfCode,
  monthsOf,
  printCode,
  readCode,
} from './code.js'

const offer = (planId = PRO.id, months = 1) => ({
  plan: { ...PRO, id: planId },
  months,
  price: { amount: 2000, currency: 'DZD' },
})
const bytes = fc.uint8Array({ minLength: CODE_LENGTH, maxLength: CODE_LENGTH })

describe('a code', () => {
  it('is 16 symbols of 5 bits in groups of four, and is read as it is printed', () =>
    forAll(100, bytes, (random) => {
      const code = codeFrom(random)
      expect(printCode(code)).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
      expect(readCode(printCode(code))).toBe(code)
    }))

  it('is read in the ways in which it is typed', () => {
    const code = '7K2M9QXAD3VF0T8R'
    for (const typed of [
      ...['7k2m-9qxa-d3vf-0t8r', ' 7K2M 9QXA\tD3VF\u00a00T8R\n', '7K2M–9QXA—D3VF‑OT8R'],
      '\u200f7K2M9QXAD3VFoT8R\u200e',
    ])
      expect.soft(readCode(typed), typed).toBe(code)
    expect(readCode('iIlL-1111-ooOO-0000')).toBe('1111111100000000')
    const ends = ['0T8', '0T8RR', '0T8U'].map((end) => `7K2M-9QXA-D3VF-${end}`)
    const others = ['', ...ends, '7K2M_9QXA_D3VF_0T8R']
    expect(others.filter((typed) => readCode(typed) !== null)).toEqual([])
  })
})

describe('a code counts', () => {
  const counts = (...given: Parameters<typeof aCode>) =>
    discountOfCode(aCode(...given), offer(), NOON) !== null

  it('from the first instant up to but not including the last, until it is revoked', () => {
    const at = (now: number) =>
      discountOfCode(aCode({ from: NOON, until: NOON + days(1) }), offer(), now) !== null
    expect([NOON - 1, NOON, NOON + days(1) - 1, NOON + days(1)].map(at)).toEqual([false, true, true, false])
    expect(counts({ revokedAt: NOON })).toBe(false)
  })

  it('below the bound of all uses, and below that of one user', () => {
    const bounds = { uses: 3, usesPerUser: 2 }
    expect(counts(bounds, { used: 2, usedByUser: 1 })).toBe(true)
    expect(counts(bounds, { used: 3, usedByUser: 0 })).toBe(false)
    expect(counts(bounds, { used: 4, usedByUser: 0 })).toBe(false)
    expect(counts(bounds, { used: 2, usedByUser: 2 })).toBe(false)
  })

  it('for its plan and its term alone, where it names them', () => {
    const takes = (batch: Partial<CodeBatch>, ...of: Parameters<typeof offer>) =>
      discountOfCode(aCode(batch), offer(...of), NOON)
    expect(takes({ planId: 'pro', months: 12 }, 'pro', 12)).toEqual({ kind: 'percent', percent: 10 })
    expect(takes({ kind: 'amount', amount: 300 }, 'other', 36)).toEqual({ kind: 'amount', amount: 300 })
    expect(takes({ months: 12 }, 'pro', 1)).toBeNull()
    expect(takes({ planId: 'pro' }, 'other')).toBeNull()
  })

  it('as time or as money, not as both', () => {
    const voucher = aCode({ kind: 'months', plan: PRO, planId: 'pro', months: 3 })
    expect(monthsOf(voucher, NOON)).toEqual({ plan: PRO, months: 3 })
    expect(discountOfCode(voucher, offer('pro', 3), NOON)).toBeNull()
    expect(monthsOf(aCode({ months: 3 }), NOON)).toBeNull()
    expect(monthsOf({ ...voucher, used: 1 }, NOON)).toBeNull()
    expect(monthsOf(null, NOON)).toBeNull()
  })
})
