import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { days, NOON } from '../../../../test/support/fixtures.js'
import { CODE_LENGTH, type CodeBatch, codeFrom, hasUseLeft, printCode, readCode } from './code.js'

const BATCH: CodeBatch = {
  id: 'bat_1',
  kind: 'percent',
  plan: null,
  planId: null,
  months: null,
  percent: 10,
  amount: null,
  count: 1,
  uses: 1,
  usesPerUser: 1,
  from: null,
  until: null,
  revokedAt: null,
}
const unused = (batch: Partial<CodeBatch> = {}) => ({
  batch: { ...BATCH, ...batch },
  used: 0,
  usedByUser: 0,
})
const bytes = fc.uint8Array({ minLength: CODE_LENGTH, maxLength: CODE_LENGTH })

describe('a code', () => {
  it('is 16 symbols of 5 bits in groups of four, and is read as it is printed', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const code = codeFrom(random)
        expect(printCode(code)).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
        expect(readCode(printCode(code))).toBe(code)
      }),
    )
  })

  it.each([
    ['7k2m-9qxa-d3vf-0t8r', '7K2M9QXAD3VF0T8R'],
    [' 7K2M 9QXA\tD3VF\u00a00T8R\n', '7K2M9QXAD3VF0T8R'],
    ['7K2M–9QXA—D3VF‑OT8R', '7K2M9QXAD3VF0T8R'],
    ['\u200f7K2M9QXAD3VFoT8R\u200e', '7K2M9QXAD3VF0T8R'],
    ['iIlL-1111-ooOO-0000', '1111111100000000'],
  ])('typed as %j is %s', (typed, code) => {
    expect(readCode(typed)).toBe(code)
  })

  it.each(['', '7K2M-9QXA-D3VF-0T8', '7K2M-9QXA-D3VF-0T8RR', '7K2M-9QXA-D3VF-0T8U', '7K2M_9QXA_D3VF_0T8R'])(
    '%j is none',
    (typed) => {
      expect(readCode(typed)).toBeNull()
    },
  )
})

describe('a use is left', () => {
  it('from the first instant up to but not including the last, until it is revoked', () => {
    const facts = unused({ from: NOON, until: NOON + days(1) })
    expect([NOON - 1, NOON, NOON + days(1) - 1, NOON + days(1)].map((now) => hasUseLeft(facts, now))).toEqual(
      [false, true, true, false],
    )
    expect(hasUseLeft(unused({ revokedAt: NOON }), NOON)).toBe(false)
  })

  it('below the bound of all uses, and below that of one user', () => {
    const facts = unused({ uses: 3, usesPerUser: 2 })
    expect(hasUseLeft({ ...facts, used: 2, usedByUser: 1 }, NOON)).toBe(true)
    expect(hasUseLeft({ ...facts, used: 3, usedByUser: 0 }, NOON)).toBe(false)
    expect(hasUseLeft({ ...facts, used: 4, usedByUser: 0 }, NOON)).toBe(false)
    expect(hasUseLeft({ ...facts, used: 2, usedByUser: 2 }, NOON)).toBe(false)
  })
})
