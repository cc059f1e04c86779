import { readSearch } from './search-words.js'

const read = (typed: string) => readSearch(typed, true).amountAndDay

it('an amount and a day are read in whatever way they are printed', () => {
  const ways = [
    ...['2900 2026-03-14', '2026-03-14 2900', '2 900 14/03/2026', '2.900,00 14.3.2026'],
    ...['2,900.00 DA 14-03-2026', '2900DZD 2026-03-14', '2\u202f900,00 د.ج 14/03/2026'],
    ...['٢٩٠٠ ٢٠٢٦-٠٣-١٤', '  2900   2026-03-14 '],
  ]
  const found = { ending: 2900, digits: 4, day: '2026-03-14' }
  for (const typed of ways) expect.soft(read(typed), typed).toEqual(found)
  // An amount may stand alone, and digits are its last ones, zeros in front too.
  expect(read('2900')).toEqual({ ...found, day: null })
  expect(read('0900 2026-03-14')).toEqual({ ...found, ending: 900 })
  const others = ['2026-03-14', '2900,50 2026-03-14', '2900 2026-03', '12345678901 2026-03-14']
  expect(others.filter((typed) => read(typed) !== null)).toEqual([])
})

it('a receipt number is of the series it names, or of that of its mode; everything else stays a word', () => {
  for (const [typed, live, series] of [
    ['2026-42', true, '2026'],
    ['2026-42', false, 'TEST-2026'],
    [' test-2026-42 ', true, 'TEST-2026'],
    ['TEST-2026-000042', false, 'TEST-2026'],
    ['2026-r20261121101500-42', false, 'TEST-2026-R20261121101500'],
  ] as const)
    expect.soft(readSearch(typed, live).receipt, typed).toEqual({ series, number: 42 })
  expect(readSearch(' Amina ', true)).toMatchObject({ word: 'Amina', receipt: null })
})
