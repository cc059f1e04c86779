import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FLAT, GRADED } from '../../../../test/support/stamp-duty.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import type { Seller } from '../core/receipt.js'
import { ConfigError } from './config-file.js'
import { parseSeller, readSellerFile } from './seller.js'

const example = new URL('../../../../docs/seller.example.json', import.meta.url)
const fields: Record<string, unknown> = JSON.parse(readFileSync(example, 'utf8'))
function attempt(read: () => Seller): Seller | readonly string[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const parseText = (text: string, folder?: string) => attempt(() => parseSeller(text, folder))
const parse = (changes: Record<string, unknown>, folder?: string) =>
  parseText(JSON.stringify({ ...fields, ...changes }), folder)

type Rows = readonly (readonly [changes: Record<string, unknown>, problem: RegExp])[]
const notRefused = (rows: Rows, folder?: string) =>
  rows.filter(([changes, problem]) => {
    const problems = parse(changes, folder)
    return !(Array.isArray(problems) && problem.test(problems.join('\n')))
  })

describe('SELLER_FILE', () => {
  it('as in docs/seller.example.json is a seller, with terms of tax and stamp duty in order', () => {
    expect(parse({})).toMatchObject({
      identity: { name: { fr: 'Atlas Hébergement' }, nif: '002416000000000', autoEntrepreneurCard: null },
      taxTerms: [
        { from: '2024-01-01', until: '2025-12-31', tax: { kind: 'exempt' } },
        { from: '2026-01-01', tax: { kind: 'vat', ratePercent: 19 } },
      ],
      stampDutyTerms: [FLAT, GRADED],
    })
    expect(parse({ stamp_duty: undefined })).toMatchObject({ stampDutyTerms: null })
  })

  it('may give one text for all languages, and be of an auto-entrepreneur, not liable', () => {
    const { rc: _, nis: __, ai: ___, ...rest } = fields
    const tax = [{ from: '2026-01-01', kind: 'not_liable', mention: 'TVA non applicable' }]
    const card = { name: 'Atlas', auto_entrepreneur_card: 'AE 16 123456', tax }
    expect(parseText(JSON.stringify({ ...rest, ...card }))).toMatchObject({
      identity: {
        ...{ rc: null, nis: null, ai: null, autoEntrepreneurCard: 'AE 16 123456' },
        name: { ar: 'Atlas', fr: 'Atlas', en: 'Atlas' },
      },
      taxTerms: [{ tax: { kind: 'not_liable', mention: { en: 'TVA non applicable' } } }],
    })
  })

  it('with many faults reports them all at once, each with its place', () => {
    const { phone: _, ...rest } = fields
    const tax = [
      { from: '2026-13-01', kind: 'vat', rate_percent: 19 },
      { from: '2027-01-01', kind: 'vat', rate_percent: 119 },
      { from: '2028-01-01', kind: 'exempt' },
      { from: '2029-01-01', kind: 'unknown', mention: 'x' },
    ]
    const faults = { nif: '12', email: 'no-at-sign', colour: '#123456', color: 'red', tax }
    const problems = parseText(JSON.stringify({ ...rest, ...faults }))
    expect(problems).toEqual(
      [
        ...['phone: is missing', 'colour: is not a known field', 'email: ', 'nif: ', 'color: '],
        ...['tax/0/from: ', 'tax/1/rate_percent: ', 'tax/2/mention: is missing', 'tax/3/kind: '],
      ].map((place) => expect.stringContaining(`/${place}`)),
    )
  })

  it('whose members contradict each other is refused', () => {
    const vat = (from: string, rate_percent = 19) => ({ from, kind: 'vat', rate_percent })
    const until = (from: string, until: string) => ({ from, until, kind: 'exempt', mention: 'x' })
    const then = (day: string) => ({ tax: [until('2026-01-01', day), vat('2027-01-01')] })
    expect(
      notRefused([
        [{ tax: [] }, /\/tax: /],
        [{ tax: [vat('2026-02-30')] }, /no 2026-02-30/],
        [{ tax: [vat('2026-01-01'), vat('2026-01-01', 9)] }, /\/tax\/1\/from: must be later/],
        [{ tax: [until('2026-01-01', '2026-02-30')] }, /\/tax\/0\/until: there is no 2026-02-30/],
        [{ tax: [until('2026-01-02', '2026-01-01')] }, /\/tax\/0\/until: must not be before 2026-01-02/],
        [then('2026-12-30'), /\/tax\/0\/until: must be the day before/],
        [then('2027-01-01'), /\/tax\/0\/until: must be the day before/],
        [{ rc: undefined }, /exactly one of \/rc/],
        [{ nis: undefined }, /\/nis and \/ai/],
        [{ name: { ar: 'أطلس', fr: 'Atlas' } }, /\/name/],
      ]),
    ).toEqual([])
    expect(parse(then('2026-12-31'))).toMatchObject({ taxTerms: [{ until: '2026-12-31' }, {}] })
  })

  it('with a stamp duty that cannot be is refused, by its place', () => {
    const all = { per_hundred: 1 }
    const upTo = (up_to: number) => ({ up_to, ...all })
    const of = (brackets: readonly object[], term: object = {}) => ({ brackets, ...term })
    const stamps: readonly (readonly [readonly object[], RegExp])[] = [
      [[], /: /],
      [[of([{ per_hundred: 1.005 }])], /\/0\/brackets\/0\/per_hundred: must be whole centimes/],
      [[of([upTo(9)])], /\/0\/brackets\/0\/up_to: the last bracket has none/],
      [[of([all, all])], /\/0\/brackets\/0\/up_to: is missing/],
      [[of([upTo(9), upTo(9), all])], /\/0\/brackets\/1\/up_to: must be more than 9/],
      [[of([upTo(300), all], { exempt_up_to: 300 })], /\/0\/brackets\/0\/up_to: must be more than 300/],
      [[of([all], { minimum: 5, maximum: 4 })], /\/0\/maximum: must be at least the minimum/],
      [[of([all]), of([all])], /\/1\/from: must be later/],
      [[of([all], { from: '2026-02-30' })], /\/0\/from: there is no 2026-02-30/],
    ]
    for (const [terms, problem] of stamps) {
      const stamp_duty = terms.map((term) => ({ from: '2026-01-01', ...term }))
      const place = new RegExp(`/stamp_duty${problem.source}`)
      expect.soft(parse({ stamp_duty })).toEqual([expect.stringMatching(place)])
    }
  })

  it('that is no JSON object, or is not there, says so', () => {
    expect(parseText('[]')).toEqual([expect.stringMatching(/SELLER_FILE/)])
    expect(parseText('{')).toEqual([expect.stringMatching(/not JSON/)])
    expect(attempt(() => readSellerFile('/nowhere/seller.json'))).toEqual([expect.stringMatching(/ENOENT/)])
  })
})

describe('the shop that customers see', () => {
  const folder = temporaryFolder()
  const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content)
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

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

  it('links to no script, no password and no address that is none', () => {
    const bad = ['javascript:alert(1)', 'https://atlas.example/a b', 'https://[', 'https://u:secret@a.dz/']
    expect(notRefused(bad.map((refund_url) => [{ refund_url }, /\/refund_url/]))).toEqual([])
  })

  it('has no color on which white text cannot be read', () => {
    // #767676 is readable on white at 4.54, but not on the grey of the page: 4.16.
    const bad = { '#ffd400': /\/color: .*contrast of 1\.\d/, '#767676': /\/color: .*contrast of 4\.\d/ }
    expect(notRefused(Object.entries(bad).map(([color, problem]) => [{ color }, problem]))).toEqual([])
  })

  it('has a logo beside the file, a small PNG or SVG, known by its content', () => {
    const SVG = 'data:image/svg+xml;base64,'
    for (const [logo, content, start] of [
      ['logo.png', PNG, 'data:image/png;base64,'],
      ['logo.svg', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', SVG],
      ['named-otherwise.txt', '<svg/>', SVG],
      ['drawn.svg', '<?xml version="1.0"?>\n<!-- a drawing program -->\n<!DOCTYPE svg>\n<svg/>', SVG],
    ] as const) {
      write(logo, content)
      expect.soft(parse({ logo }, folder)).toMatchObject({ shop: { logo: expect.stringContaining(start) } })
    }
    write('open.svg', '<!-- <svg/>')
    write('page.svg', '<html><svg/></html>')
    write('heavy.png', Buffer.concat([PNG, Buffer.alloc(7_000)]))
    const bad: Rows = [
      [{ logo: 'none.png' }, /\/logo: cannot be read: ENOENT/],
      [{ logo: 'open.svg' }, /\/logo: neither a PNG nor an SVG/],
      [{ logo: 'page.svg' }, /\/logo: neither a PNG nor an SVG/],
      [{ logo: 'heavy.png' }, /\/logo: \d+ bytes; .*at most 6144/],
    ]
    expect(notRefused(bad, folder)).toEqual([])
  })
})
