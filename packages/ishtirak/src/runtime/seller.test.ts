import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FLAT, GRADED } from '../../../../test/support/stamp-duty.js'
import type { Seller } from '../core/receipt.js'
import { ConfigError } from './config-file.js'
import { EXAMPLE_SELLER, parseSeller, readSellerFile } from './seller.js'

const example = new URL('../../../../docs/seller.example.json', import.meta.url)
const fields: Record<string, unknown> = JSON.parse(readFileSync(example, 'utf8'))
/** The seller, or every problem. */
function attempt(read: () => Seller): Seller | readonly string[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const parseText = (text: string, folder?: string) => attempt(() => parseSeller(text, folder))
const parse = (changes: Record<string, unknown>) => parseText(JSON.stringify({ ...fields, ...changes }))

describe('SELLER_FILE', () => {
  it('as in docs/seller.example.json is a seller, with the tax terms in order', () => {
    expect(parse({})).toMatchObject({
      identity: { name: { fr: 'Atlas Hébergement' }, nif: '002416000000000', autoEntrepreneurCard: null },
      taxTerms: [
        { from: '2024-01-01', until: '2025-12-31', tax: { kind: 'exempt' } },
        { from: '2026-01-01', tax: { kind: 'vat', ratePercent: 19 } },
      ],
    })
  })

  it('may give one text for all three languages', () => {
    expect(parse({ name: 'Atlas' })).toMatchObject({
      identity: { name: { ar: 'Atlas', fr: 'Atlas', en: 'Atlas' } },
    })
  })

  it('may be of an auto-entrepreneur, with a card and not liable', () => {
    const { rc: _, nis: __, ai: ___, ...rest } = fields
    const tax = [{ from: '2026-01-01', kind: 'not_liable', mention: 'TVA non applicable' }]
    expect(parseText(JSON.stringify({ ...rest, auto_entrepreneur_card: 'AE 16 123456', tax }))).toMatchObject(
      {
        identity: { rc: null, nis: null, ai: null, autoEntrepreneurCard: 'AE 16 123456' },
        taxTerms: [{ tax: { kind: 'not_liable', mention: { en: 'TVA non applicable' } } }],
      },
    )
  })

  it('with many faults reports them all at once, each with its place', () => {
    const { phone: _, ...rest } = fields
    const problems = parseText(
      JSON.stringify({
        ...rest,
        nif: '12',
        email: 'no-at-sign',
        colour: '#123456',
        color: 'red',
        tax: [
          { from: '2026-13-01', kind: 'vat', rate_percent: 19 },
          { from: '2027-01-01', kind: 'vat', rate_percent: 119 },
          { from: '2028-01-01', kind: 'exempt' },
          { from: '2029-01-01', kind: 'unknown', mention: 'x' },
        ],
      }),
    )
    expect(problems).toEqual([
      expect.stringMatching(/\/phone: is missing/),
      expect.stringMatching(/\/colour: is not a known field/),
      expect.stringMatching(/\/email: /),
      expect.stringMatching(/\/nif: /),
      expect.stringMatching(/\/color: /),
      expect.stringMatching(/\/tax\/0\/from: /),
      expect.stringMatching(/\/tax\/1\/rate_percent: /),
      expect.stringMatching(/\/tax\/2\/mention: is missing/),
      expect.stringMatching(/\/tax\/3\/kind: /),
    ])
  })

  it.each([
    ['no tax terms', { tax: [] }, /\/tax: /],
    [
      'a day that no calendar has',
      { tax: [{ from: '2026-02-30', kind: 'vat', rate_percent: 19 }] },
      /no 2026-02-30/,
    ],
    [
      'terms out of order',
      {
        tax: [
          { from: '2026-01-01', kind: 'vat', rate_percent: 19 },
          { from: '2026-01-01', kind: 'vat', rate_percent: 9 },
        ],
      },
      /\/tax\/1\/from: must be later/,
    ],
    [
      'a last day that no calendar has',
      { tax: [{ from: '2026-01-01', until: '2026-02-30', kind: 'vat', rate_percent: 9 }] },
      /\/tax\/0\/until: there is no 2026-02-30/,
    ],
    [
      'a last day before the first',
      { tax: [{ from: '2026-01-02', until: '2026-01-01', kind: 'exempt', mention: 'x' }] },
      /\/tax\/0\/until: must not be before 2026-01-02/,
    ],
    ['neither register nor card', { rc: undefined }, /exactly one of \/rc/],
    ['both', { auto_entrepreneur_card: 'AE 16 123456' }, /exactly one of \/rc/],
    ['a register without the tax numbers beside it', { nis: undefined }, /\/nis and \/ai/],
    ['a language missing', { name: { ar: 'أطلس', fr: 'Atlas' } }, /\/name/],
    ['an empty name', { name: '  ' }, /\/name/],
  ])('with %s is refused', (_, changes, expected) => {
    const problems = parse(changes)
    expect(problems).toBeInstanceOf(Array)
    expect(String(problems)).toMatch(expected)
  })

  it.each([
    ['2026-12-30', false],
    ['2026-12-31', true],
    ['2027-01-01', false],
  ])('with a tax until %s and another from 2027-01-01: read is %s', (until, isRead) => {
    const problems = parse({
      tax: [
        { from: '2026-01-01', until, kind: 'exempt', mention: 'x' },
        { from: '2027-01-01', kind: 'vat', rate_percent: 19 },
      ],
    })
    expect(Array.isArray(problems)).toBe(!isRead)
    if (!isRead) expect(String(problems)).toMatch(/\/tax\/0\/until: must be the day before/)
  })

  it('has the stamp duty of cash by dates, and without a table there is none', () => {
    expect(parse({})).toMatchObject({ stampDutyTerms: [FLAT, GRADED] })
    const without = { stamp_duty: undefined }
    expect(parse(without)).toMatchObject({ stampDutyTerms: null })
  })

  it.each([
    ['no term', [], /\/stamp_duty: /],
    ['no rate', [{ brackets: [{}] }], /\/stamp_duty\/0\/brackets\/0\/per_hundred: is missing/],
    [
      'a part of a centime',
      [{ brackets: [{ per_hundred: 1.005 }] }],
      /0\/per_hundred: must be whole centimes/,
    ],
    [
      'a bound after which nothing follows',
      [{ brackets: [{ up_to: 9, per_hundred: 1 }] }],
      /0\/brackets\/0\/up_to: the last bracket has none/,
    ],
    [
      'no bound where another bracket follows',
      [{ brackets: [{ per_hundred: 1 }, { per_hundred: 2 }] }],
      /0\/brackets\/0\/up_to: is missing/,
    ],
    [
      'bounds out of order',
      [{ brackets: [{ up_to: 9, per_hundred: 1 }, { up_to: 9, per_hundred: 1 }, { per_hundred: 2 }] }],
      /0\/brackets\/1\/up_to: must be more than 9/,
    ],
    [
      'a bracket in which all is exempt',
      [{ exempt_up_to: 300, brackets: [{ up_to: 300, per_hundred: 1 }, { per_hundred: 2 }] }],
      /0\/brackets\/0\/up_to: must be more than 300/,
    ],
    [
      'a maximum below the minimum',
      [{ brackets: [{ per_hundred: 1 }], minimum: 5, maximum: 4 }],
      /0\/maximum: must be at least the minimum/,
    ],
    [
      'terms out of order',
      [{ brackets: [{ per_hundred: 1 }] }, { brackets: [{ per_hundred: 1 }] }],
      /\/stamp_duty\/1\/from: must be later/,
    ],
    [
      'a day that no calendar has',
      [{ from: '2026-02-30', brackets: [{ per_hundred: 1 }] }],
      /\/stamp_duty\/0\/from: there is no 2026-02-30/,
    ],
    [
      'a word that is not known',
      [{ brackets: [{ per_hundred: 1 }], ceiling: 4 }],
      /\/stamp_duty\/0\/ceiling: is not a known field/,
    ],
  ])('with %s in the stamp duty is refused, by its place', (_, terms, expected) => {
    expect(parse({ stamp_duty: terms.map((term) => ({ from: '2026-01-01', ...term })) })).toEqual([
      expect.stringMatching(expected),
    ])
  })

  it.each(['[]', 'null', '3'])('that is %s is refused with a message', (text) => {
    expect(parseText(text)).toEqual([expect.stringMatching(/SELLER_FILE/)])
  })

  it('that is no JSON, or is not there, says so', () => {
    expect(parseText('{')).toEqual([expect.stringMatching(/not JSON/)])
    expect(attempt(() => readSellerFile('/nowhere/seller.json'))).toEqual([expect.stringMatching(/ENOENT/)])
  })
})

it('the seller of the sandbox is called an example in each language', () => {
  const { ar, fr, en } = EXAMPLE_SELLER.identity.name
  expect([ar, fr, en]).toEqual([
    expect.stringContaining('مثال'),
    expect.stringContaining('Exemple'),
    expect.stringContaining('Example'),
  ])
})

describe('the shop that customers see', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seller-'))
  const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content)
  const read = (changes: Record<string, unknown>) =>
    parseText(JSON.stringify({ ...fields, ...changes }), folder)
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  afterAll(() => rmSync(folder, { recursive: true }))

  it('has a page of terms and one of refunds, in one address or one for each language', () => {
    expect(parse({})).toMatchObject({
      shop: {
        termsUrl: { ar: 'https://atlas.example/conditions', en: 'https://atlas.example/conditions' },
        refundUrl: { fr: 'https://atlas.example/remboursements', en: 'https://atlas.example/en/refunds' },
        color: '#0b4a6f',
        logo: null,
      },
    })
    const { terms_url: _, ...rest } = fields
    expect(parseText(JSON.stringify(rest))).toEqual(['SELLER_FILE /terms_url: is missing'])
  })

  it.each([
    ['javascript:alert(1)', 'an address that is a script'],
    ['https://atlas.example/a b', 'an address with a blank'],
    ['https://[', 'no address at all'],
    ['https://user:secret@atlas.example/', 'an address with a password'],
  ])('does not link to %s: %s', (refund_url) => {
    expect(parse({ refund_url })).toEqual([expect.stringMatching(/\/refund_url/)])
  })

  it('has no color on which white text cannot be read', () => {
    expect(parse({ color: '#ffd400' })).toEqual([expect.stringMatching(/\/color: .*contrast of 1\.\d/)])
    // White on #767676 is readable at 4.54, and so are links of that color on white, but not on the grey of
    // the page: 4.16.
    expect(parse({ color: '#767676' })).toEqual([expect.stringMatching(/\/color: .*contrast of 4\.\d/)])
  })

  it.each([
    ['logo.png', PNG, 'data:image/png;base64,'],
    [
      'logo.svg',
      '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>',
      'data:image/svg+xml;base64,',
    ],
    ['named-otherwise.txt', '<svg/>', 'data:image/svg+xml;base64,'],
    [
      'drawn.svg',
      '<?xml version="1.0"?>\n<!-- a drawing program -->\n<!DOCTYPE svg>\n<svg/>',
      'data:image/svg+xml;base64,',
    ],
  ])('has a logo beside the file, known by its content: %s', (logo, content, start) => {
    write(logo, content)
    expect(read({ logo })).toMatchObject({ shop: { logo: expect.stringContaining(start) } })
  })

  it.each([
    ['none.png', null, /\/logo: cannot be read: ENOENT/],
    ['open.svg', '<!-- <svg/>', /\/logo: neither a PNG nor an SVG/],
    ['page.svg', '<html><svg/></html>', /\/logo: neither a PNG nor an SVG/],
    ['heavy.png', Buffer.concat([PNG, Buffer.alloc(7_000)]), /\/logo: \d+ bytes; .*at most 6144/],
  ])('refuses the logo %s', (logo, content, problem) => {
    if (content !== null) write(logo, content)
    expect(read({ logo })).toEqual([expect.stringMatching(problem)])
  })
})
