// The list of errors is what clients are written against.
import { describe, expect, it } from 'vitest'
import { BillingError, ERRORS, isErrorCode, VALIDATION_CODES } from './error.js'

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

it('a BillingError carries code, further members, wait and cause', () => {
  const of = { extra: { renewable_from: '2026-12-24T10:00:00Z' }, cause: new Error('inside') }
  const error = new BillingError('already_subscribed', { ...of, retryAfterSeconds: 5 })
  const said = { name: 'BillingError', code: 'already_subscribed', retryAfterSeconds: 5, problems: [] }
  expect(error).toMatchObject({ ...said, ...of })
  expect(error.message).toContain('already_subscribed')
})
