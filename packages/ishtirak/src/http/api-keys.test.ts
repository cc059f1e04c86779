import { describe, expect, it } from 'vitest'
import { BillingError } from '../core/error.js'
import { createApiKeys, createOperatorKeys } from './api-keys.js'

const OLD = 'old-key-of-the-platform'
const NEW = 'new-key-of-the-platform'

function codeOf(act: () => unknown): string {
  try {
    act()
    return 'let in'
  } catch (error) {
    if (error instanceof BillingError) return error.code
    throw error
  }
}

describe('the keys of the platform', () => {
  it.each([
    [`Bearer ${OLD}`, 'let in'],
    [`bearer ${NEW}`, 'let in'],
    [`Bearer ${OLD}x`, 'unauthenticated'],
    [`Bearer ${OLD.slice(0, -1)}`, 'unauthenticated'],
    [`Bearer ${OLD.toUpperCase()}`, 'unauthenticated'],
    [`Bearer ${OLD},${NEW}`, 'unauthenticated'],
    ['Bearer ', 'unauthenticated'],
    [OLD, 'unauthenticated'],
    [undefined, 'unauthenticated'],
  ])('both while rotating, and nothing else: %s is %s', (header, outcome) => {
    expect(codeOf(() => createApiKeys([OLD, NEW]).verify(header))).toBe(outcome)
  })

  it('without any the part is not there, whatever is sent', () => {
    for (const header of [undefined, 'Bearer ', `Bearer ${OLD}`]) {
      expect(codeOf(() => createApiKeys([]).verify(header))).toBe('not_found')
      expect(codeOf(() => createOperatorKeys([]).verify(header))).toBe('not_found')
    }
  })
})

it('an operator is known by the name of the key', () => {
  const operators = createOperatorKeys([
    { name: 'amina', key: OLD },
    { name: 'yacine', key: NEW },
  ])
  expect(operators.verify(`Bearer ${NEW}`)).toBe('yacine')
  expect(operators.verify(`Bearer ${OLD}`)).toBe('amina')
  for (const header of ['Bearer amina', 'Basic x', undefined]) {
    expect(codeOf(() => operators.verify(header))).toBe('invalid_operator_key')
  }
})
