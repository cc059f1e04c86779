// The list of errors is what clients are written against.
import { describe, expect, it } from 'vitest'
import { BillingError, ERRORS, isErrorCode, VALIDATION_CODES } from './error.js'

describe('the list of errors', () => {
  it('has a status of a refusal for each code', () => {
    for (const [code, status] of Object.entries(ERRORS)) {
      expect.soft(code, String(code)).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect.soft(status, String(code)).toBeGreaterThanOrEqual(400)
      expect.soft(status, String(code)).toBeLessThan(600)
    }
  })

  it('names each problem of a field by a code', () => {
    for (const code of VALIDATION_CODES) {
      expect.soft(code, String(code)).toMatch(/^[a-z]+(_[a-z]+)*$/)
    }
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
