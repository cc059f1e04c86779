// What a spreadsheet would run as a formula is text in our exports, whichever sign it takes for the end of a
// cell.
import { expect, it } from 'vitest'
import { csvLine } from './csv.js'

it.each([
  ['=1+1', "'=1+1"],
  ['＝1+1', "'＝1+1"],
  ['\u200b=1+1', "'\u200b=1+1"],
  [' \ufeff+1', "' \ufeff+1"],
  ['\u2212 1', "'\u2212 1"],
  ['a;=1+1;b', `"a;'=1+1;b"`],
  ['a; \u200b@SUM(A1);-b', `"a;' \u200b@SUM(A1);'-b"`],
  ['a;"=1+1"', `"a;'""=1+1"""`],
  ['a\t=1', "a\t'=1"],
  ['a\r\n=1', `"a\r\n'=1"`],
  ['\t1', "'\t1"],
])('%j is written as %j', (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`)
})

it.each(['a=b', '1-2', 'amina@example.dz', 'a;b', 'اشتراك', 'a, b', 'say "hi"'])(
  'but %j stays what it is',
  (cell) => {
    const written = csvLine([cell]).slice(0, -2)
    expect(written.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')).toBe(cell)
  },
)

it('numbers are numbers and nothing is nothing', () => {
  expect(csvLine([-1, null, 2000])).toBe('-1,,2000\r\n')
})
