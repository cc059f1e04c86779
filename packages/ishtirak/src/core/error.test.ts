// The list of errors is what clients are written against: every code complete in three languages.
import { describe, expect, it } from 'vitest'
import { BillingError, ERRORS, isErrorCode, VALIDATION_PROBLEMS } from './error.js'
import { LOCALES } from './locale.js'

describe('the list of errors', () => {
  it.each(Object.entries(ERRORS))('%s says its title and detail in every language', (code, error) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(error.status).toBeGreaterThanOrEqual(400)
    expect(error.status).toBeLessThan(600)
    for (const text of [error.title, error.detail]) {
      expect(Object.keys(text).sort()).toEqual([...LOCALES].sort())
      for (const locale of LOCALES) expect(text[locale].trim()).not.toBe('')
      expect(text.ar).toMatch(/\p{Script=Arabic}/u)
      expect(new Set(Object.values(text)).size).toBe(LOCALES.length)
    }
  })

  it.each(Object.entries(VALIDATION_PROBLEMS))(
    'the field problem %s has a text in every language',
    (code, text) => {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      for (const locale of LOCALES) expect(text[locale].trim()).not.toBe('')
      expect(text.ar).toMatch(/\p{Script=Arabic}/u)
    },
  )

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
