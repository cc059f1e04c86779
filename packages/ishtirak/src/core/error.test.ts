// The list of errors is what clients are written against.
import { ERRORS, isErrorCode, VALIDATION_CODES } from './error.js'

describe('the list of errors', () => {
  it('has a status of a refusal for each code, and names each problem of a field by a code', () => {
    const codes = [...Object.keys(ERRORS), ...VALIDATION_CODES]
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
    expect(Object.values(ERRORS).filter((status) => !(status >= 400 && status < 600))).toEqual([])
  })

  it('knows its own codes and no inherited name', () => {
    expect(isErrorCode('unknown_plan')).toBe(true)
    expect(isErrorCode('toString')).toBe(false)
  })
})
