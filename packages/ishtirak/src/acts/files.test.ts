// What a spreadsheet would run as a formula is text in our exports, whichever sign it takes for the end of a
// cell.
import { csvLine } from './files.js'

it('what a spreadsheet would run is text, and anything else stays what it is', () => {
  const WRITTEN = {
    '=1+1': "'=1+1",
    '＝1+1': "'＝1+1",
    '\u200b=1+1': "'\u200b=1+1",
    ' \ufeff+1': "' \ufeff+1",
    '\u2212 1': "'\u2212 1",
    'a;=1+1;b': `"a;'=1+1;b"`,
    'a; \u200b@SUM(A1);-b': `"a;' \u200b@SUM(A1);'-b"`,
    'a;"=1+1"': `"a;'""=1+1"""`,
    'a\t=1': "a\t'=1",
    'a\r\n=1': `"a\r\n'=1"`,
    '\t1': "'\t1",
  }
  const found = Object.keys(WRITTEN).map((cell) => [cell, csvLine([cell]).slice(0, -2)])
  expect(Object.fromEntries(found)).toEqual(WRITTEN)
  for (const cell of ['a=b', '1-2', 'amina@example.dz', 'a;b', 'اشتراك', 'a, b', 'say "hi"']) {
    const written = csvLine([cell]).slice(0, -2)
    expect(written.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')).toBe(cell)
  }
  expect(csvLine([-1, null, 2000])).toBe('-1,,2000\r\n')
})
