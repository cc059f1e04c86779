import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SELLER, parseSeller, readSellerFile } from '../../src/runtime/seller.js'

const example = new URL('../../docs/seller.example.json', import.meta.url)
const fields: Record<string, unknown> = JSON.parse(readFileSync(example, 'utf8'))
const parse = (changes: Record<string, unknown>) => parseSeller(JSON.stringify({ ...fields, ...changes }))

describe('SELLER_FILE', () => {
  it('as in docs/seller.example.json is a seller, with his tax terms in order', () => {
    expect(parse({})).toMatchObject({
      identity: { name: { fr: 'Atlas Hébergement' }, nif: '002416000000000', autoEntrepreneurCard: null },
      taxTerms: [
        { from: '2024-01-01', tax: { kind: 'exempt' } },
        { from: '2026-01-01', tax: { kind: 'vat', ratePercent: 19 } },
      ],
    })
  })

  it('may give one text for all three languages', () => {
    expect(parse({ name: 'Atlas' })).toMatchObject({
      identity: { name: { ar: 'Atlas', fr: 'Atlas', en: 'Atlas' } },
    })
  })

  it('may be of an auto-entrepreneur, who has a card and is not liable', () => {
    const { rc: _, nis: __, ai: ___, ...rest } = fields
    const tax = [{ from: '2026-01-01', kind: 'not_liable', mention: 'TVA non applicable' }]
    expect(
      parseSeller(JSON.stringify({ ...rest, auto_entrepreneur_card: 'AE 16 123456', tax })),
    ).toMatchObject({
      identity: { rc: null, nis: null, ai: null, autoEntrepreneurCard: 'AE 16 123456' },
      taxTerms: [{ tax: { kind: 'not_liable', mention: { en: 'TVA non applicable' } } }],
    })
  })

  it('with many faults is told them all at once, each with its place', () => {
    const { phone: _, ...rest } = fields
    const problems = parseSeller(
      JSON.stringify({
        ...rest,
        nif: '12',
        email: 'nobody',
        color: 'red',
        tax: [
          { from: '2026-13-01', kind: 'vat', rate_percent: 19 },
          { from: '2027-01-01', kind: 'vat', rate_percent: 119 },
          { from: '2028-01-01', kind: 'exempt' },
          { from: '2029-01-01', kind: 'barter', mention: 'x' },
        ],
      }),
    )
    expect(problems).toEqual([
      expect.stringMatching(/\/phone: is missing/),
      expect.stringMatching(/\/color: is not a known field/),
      expect.stringMatching(/\/email: /),
      expect.stringMatching(/\/nif: /),
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

  it.each(['[]', 'null', '3'])('that is %s is refused, not thrown over', (text) => {
    expect(parseSeller(text)).toEqual([expect.stringMatching(/SELLER_FILE/)])
  })

  it('that is no JSON, or is not there, says so', () => {
    expect(parseSeller('{')).toEqual([expect.stringMatching(/not JSON/)])
    expect(readSellerFile('/nowhere/seller.json')).toEqual([expect.stringMatching(/ENOENT/)])
  })
})

it('the seller of the sandbox says in each language that he is an example', () => {
  const { ar, fr, en } = EXAMPLE_SELLER.identity.name
  expect([ar, fr, en]).toEqual([
    expect.stringContaining('مثال'),
    expect.stringContaining('Exemple'),
    expect.stringContaining('Example'),
  ])
})
