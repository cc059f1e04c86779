// Numbers, days and months of the command line: what is read, and that a refusal names the bounds.
import { boundsInWords, day, dayOrInstant, month, numberWithin } from './cli-values.js'

const refusal = (read: (text: string) => unknown, text: string) => {
  try {
    return `read as ${read(text)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

it('a whole number is read within its bounds, also as a statement of account has it', () => {
  const months = numberWithin({ minimum: 1, maximum: 36 })
  expect([months('1'), months('36')]).toEqual([1, 36])
  for (const text of ['0', '37', '-1', '1.5', '1e1', '0x1', '', ' ', 'many', '9'.repeat(30)])
    expect([text, refusal(months, text)]).toEqual([text, 'A whole number, at least 1, at most 36'])
  const amount = numberWithin({ minimum: 1 })
  expect(['1 980,00', '2 000 DA', '2000'].map(amount)).toEqual([1980, 2000, 2000])
  expect(refusal(amount, '0')).toBe('A whole number, at least 1')
  expect(refusal(amount, '1 980,50')).toBe('A whole number, at least 1')
  expect(refusal(numberWithin({}), '-3')).toBe('A whole number')
  expect(['-500', '500'].map(numberWithin({ minimum: -500, maximum: 500 }))).toEqual([-500, 500])
  expect(refusal(numberWithin({ minimum: -500 }), '-501')).toBe('A whole number, at least -500')
})

it('dinars may have centimes', () => {
  const taken = numberWithin({ minimum: 0.01, maximum: 1_000_000, isWhole: false })
  expect([taken('2020.5'), taken('2 020,00'), taken('0.01')]).toEqual([2020.5, 2020, 0.01])
  for (const text of ['0', '1000000.01', '1e3', '-5'])
    expect(refusal(taken, text)).toBe('A number, at least 0.01, at most 1000000')
  expect(boundsInWords({ maximum: 5 })).toBe('at most 5')
})

it('a day is one of the calendar, an instant is in UTC, a month has two digits', () => {
  expect(day('2028-02-29')).toBe('2028-02-29')
  for (const text of ['2026-11-01', '2026-11-01T23:59:59Z']) expect(dayOrInstant(text)).toBe(text)
  for (const text of ['2026-02-29', '2026-13-01', '26-1-1', '1969-12-31', '', '2026-11-01T08:00:00Z'])
    expect(refusal(day, text)).toBe('A day such as 2026-11-01, at least 1970-01-01')
  const instants = ['2026-11-01T24:00:00Z', '2026-11-01T08:00:00', '2026-11-31T08:00:00Z']
  for (const text of [...instants, 'today', '1969-01-01'])
    expect(refusal(dayOrInstant, text)).toMatch(/^A day such as .*, or an instant such as .*-01-01$/)
  expect(month('2026-12')).toBe('2026-12')
  for (const text of ['2026-13', '2026-00', '2026-1', '2026', '1969-12'])
    expect(refusal(month, text)).toBe('A month such as 2026-11, at least 1970-01')
})
