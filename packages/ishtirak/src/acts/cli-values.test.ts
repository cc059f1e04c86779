// Numbers of the command line: what is read, and that a refusal names the bounds.
import { boundsInWords, numberWithin } from './cli-values.js'

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
