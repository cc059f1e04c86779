// The list of errors is what clients are written against.
import { describe, expect, it } from 'vitest'
import { BillingError, ERRORS, isErrorCode, VALIDATION_CODES } from './error.js'

describe('the list of errors', () => {
  it.each(Object.entries(ERRORS))('%s has a status of a refusal', (code, status) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
  })

  it.each(VALIDATION_CODES)('the field problem %s is a code', (code) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  it('knows its own codes and no inherited name', () => {
    expect(isErrorCode('unknown_plan')).toBe(true)
    expect(isErrorCode('toString')).toBe(false)
  })
})

describe('BillingError', () => {
  it('carries code, further members, wait and cause', () => {
    const cause = new Error('inside')
    const error = new BillingError('already_subscribed', {
      extra: { renewable_from: '2026-12-24T10:00:00Z' },
      retryAfterSeconds: 5,
      cause,
    })
    expect(error).toMatchObject({
      name: 'BillingError',
      code: 'already_subscribed',
      extra: { renewable_from: '2026-12-24T10:00:00Z' },
      retryAfterSeconds: 5,
      problems: [],
      cause,
    })
    expect(error.message).toContain('already_subscribed')
  })
})
