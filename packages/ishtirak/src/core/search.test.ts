// What is typed into the search: an amount and a day, in whatever way a statement of account prints them.
import { expect, it } from 'vitest'
import { readSearch } from './search.js'

const read = (typed: string) => readSearch(typed, true).amountAndDay

it.each([
  '2900 2026-03-14',
  '2026-03-14 2900',
  '2 900 14/03/2026',
  '2.900,00 14.3.2026',
  '2,900.00 DA 14-03-2026',
  '2900DZD 2026-03-14',
  '2\u202f900,00 د.ج 14/03/2026',
  '٢٩٠٠ ٢٠٢٦-٠٣-١٤',
  '  2900   2026-03-14 ',
])('%j is 2900 on 14 March', (typed) => {
  expect(read(typed)).toEqual({ ending: 2900, digits: 4, day: '2026-03-14' })
})

it('an amount may stand alone', () => {
  expect(read('2900')).toEqual({ ending: 2900, digits: 4, day: null })
})

it('digits are the last ones of the amount, zeros in front too', () => {
  expect(read('0900 2026-03-14')).toEqual({ ending: 900, digits: 4, day: '2026-03-14' })
})

it.each(['2026-03-14', '2900,50 2026-03-14', 'x 2026-03-14', '2900 2026-03', '12345678901 2026-03-14'])(
  '%j names no amount and day',
  (typed) => {
    expect(read(typed)).toBeNull()
  },
)

it('a receipt number is read in its parts, and everything else stays a word', () => {
  expect(readSearch(' test-2026-42 ', true).receipt).toEqual({ series: 'TEST-2026', number: 42 })
  expect(readSearch(' Amina ', true)).toMatchObject({ word: 'Amina', receipt: null })
})

it.each([
  ['2026-42', true, '2026'],
  ['2026-42', false, 'TEST-2026'],
  ['TEST-2026-000042', false, 'TEST-2026'],
  ['2026-r20261121101500-42', false, 'TEST-2026-R20261121101500'],
])('the receipt number %s, live %s, is of the series %s', (typed, live, series) => {
  expect(readSearch(typed, live).receipt).toEqual({ series, number: 42 })
})
