import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { BUYER_FIELDS, type BuyerField, missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { changedFields, readBuyerDetails, type TypedBuyer } from './read-buyer.js'

const NIF = '000216001808337'
const NIS = '000216180833713'

/** The stored value, or the code of the problem. */
function read(field: BuyerField, typed: string): string | null | { readonly code: string } {
  const problems = problemsOf({ kind: 'company', [field]: typed })
  if (problems.length === 0) return readBuyerDetails({ kind: 'company', [field]: typed })[field]
  expect(problems.map(({ pointer }) => pointer)).toEqual([`/${field}`])
  return { code: problems[0]?.code ?? '' }
}

function problemsOf(typed: TypedBuyer) {
  try {
    readBuyerDetails(typed)
    return []
  } catch (error) {
    if (!(error instanceof BillingError)) throw error
    return error.problems
  }
}
const WRONG = { code: 'wrong_format' }

describe('the details of a buyer', () => {
  it('are kept as they were written, without spaces around them and runs of white space', () => {
    expect(read('name', '  SARL \u00a0 Atlas\n Hébergement ')).toBe('SARL Atlas Hébergement')
    expect(read('address', '12, rue Didouche\r\nMourad\tAlger')).toBe('12, rue Didouche Mourad Alger')
    expect(read('name', 'شركة أطلس\u200f')).toBe('شركة أطلس')
    expect(read('rc', '16/00-0123456 b 20')).toBe('16/00-0123456 b 20')
    expect(read('phone', '\u202a0555 12 34 56\u202c')).toBe('0555 12 34 56')
    expect(read('nif', '٠٠٠٢١٦٠٠١٨٠٨٣٣٧')).toBe('٠٠٠٢١٦٠٠١٨٠٨٣٣٧')
    for (const typed of ['', ' ', '\u00a0', '\u200f']) expect(read('name', typed)).toBeNull()
  })

  it('are read in the ways in which they are written', () => {
    const cases: readonly [BuyerField, readonly string[]][] = [
      ['rc', ['16/00-0123456 B 20', '16/00-0123456B20', '16B0123456', '98 b 0012345', '16.00.0123456.ب.20']],
      ['nif', ['416001000000007', '408 020 000 150 039', '000 216 001 808 337 13010', '0002.1600-1808/337']],
      ['nis', [NIS, '0002 1618 0833 713', '٠٠٠٢١٦١٨٠٨٣٣٧١٣']],
      ['ai', ['16012345678', '16 01 2345678', '123', 'A-16/0123']],
      ['capital', ['1 000 000,00 DA', '١٠٠٠٠٠ دج']],
      ['legal_form', ['SARL', 'E.U.R.L.', 'ش.ذ.م.م']],
      ['phone', ['+213 (0) 555-12-34-56', '021 23 45 67', '٠٥٥٥١٢٣٤٥٦']],
      ['email', ['compta@atlas.dz']],
    ]
    for (const [field, ways] of cases) {
      for (const typed of ways) expect.soft(read(field, typed), String(field)).toBe(typed)
    }
  })

  it('are refused with what is wrong in them', () => {
    const cases: readonly [code: string, BuyerField, readonly string[]][] = [
      ['wrong_format', 'nif', ['12', `${NIF}1`, '00021600180833O', `${NIF.slice(1)}${'-'.repeat(26)}0`]],
      ['wrong_format', 'nis', [NIF.slice(1)]],
      ['too_short', 'ai', ['12']],
      ['too_long', 'ai', ['1'.repeat(21)]],
      ['wrong_format', 'rc', ['16;00']],
      ['too_long', 'rc', ['1'.repeat(31)]],
      ['too_short', 'rc', ['---']],
      ['too_long', 'name', ['n'.repeat(121)]],
      ['wrong_format', 'name', ['—']],
      ['too_long', 'address', ['n'.repeat(241)]],
      ['too_long', 'legal_form', ['n'.repeat(61)]],
      ['too_long', 'capital', ['1'.repeat(61)]],
      ['wrong_format', 'phone', ['12']],
      ['wrong_format', 'email', ['compta at atlas']],
      ['not_allowed', 'kind', ['robot']],
    ]
    for (const [code, field, ways] of cases)
      for (const typed of ways) expect.soft(read(field, typed), `${field} ${typed}`).toEqual({ code })
  })

  it('have no sign that controls a machine or turns letters around', () => {
    for (const sign of ['\0', '\u001b', '\u0085', '\u202d', '\u202e', '\ud800'])
      expect([sign, read('name', `a${sign}b`)]).toEqual([sign, WRONG])
  })

  it('are refused by field, all at once', () => {
    const problems = problemsOf({ nif: '1', nis: '2', email: 'x', name: 'Atlas' })
    const found = problems.map(({ pointer, code }) => `${pointer} ${code}`)
    const wrong = ['/nif', '/nis', '/email'].map((pointer) => `${pointer} wrong_format`)
    expect(found).toEqual(['/kind required', ...wrong])
  })

  it('say what an invoice lacks, and what is another than before', () => {
    const before = readBuyerDetails({ kind: 'company', name: 'Atlas', nif: NIF })
    expect(missingDetails(before)).toEqual(['address', 'rc', 'nis', 'ai', 'legal_form'])
    const after = readBuyerDetails({ kind: 'company', name: 'Atlas', nif: NIF, nis: NIS, legal_form: 'SARL' })
    expect(changedFields(before, after)).toEqual({
      before: { nis: null, legal_form: null },
      after: { nis: NIS, legal_form: 'SARL' },
    })
    expect(changedFields(null, readBuyerDetails({ kind: 'person', name: 'Lina' })).after).toEqual({
      kind: 'person',
      name: 'Lina',
    })
    expect(missingDetails(readBuyerDetails({ kind: 'person', name: 'Lina', address: 'Oran' }))).toEqual([])
  })

  it('read again from what was kept are the same, and nothing typed makes it throw', () => {
    const signs = fc.constantFrom(...'0123456789٠١٩ABbé@+. -/\u00a0\u202e\0\u200fب\n', '💶')
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: signs, maxLength: 40 }))
    const field = fc.option(text, { nil: null })
    const others = Object.fromEntries(BUYER_FIELDS.map((name) => [name, field]))
    const kind = fc.constantFrom('person', 'company', null, 'x')
    forAll(100, fc.record({ ...others, kind }, { requiredKeys: [] }), (typed: TypedBuyer) => {
      if (problemsOf(typed).length > 0) return
      const once = readBuyerDetails(typed)
      expect(readBuyerDetails(once)).toEqual(once)
    })
  })

  it('are the same in any digits and with any spaces between them', () => {
    const digit = fc.integer({ min: 0, max: 9 })
    const number = fc.array(digit, { minLength: 13, maxLength: 21 })
    const separator = fc.constantFrom('', ' ', '\u00a0', '\u202f', '.', '-')
    const zero = fc.constantFrom(0x30, 0x660, 0x6f0)
    forAll(100, number, separator, zero, (values, between, first) => {
      const typed = values.map((value) => String.fromCodePoint(first + value)).join(between)
      const isRight = values.length === 15 || values.length === 20
      expect(read('nif', typed) === typed.replace(/\s/g, ' ')).toBe(isRight)
      expect(read('nis', typed) === typed.replace(/\s/g, ' ')).toBe(values.length === 15)
    })
  })
})
