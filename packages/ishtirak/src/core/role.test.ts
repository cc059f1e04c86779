// Which role may do what, written down a second time.
import { describe, expect, it } from 'vitest'
import { BillingError } from './error.js'
import { type Act, isRole, requireRole, rolesThatMay } from './role.js'

const OWNER_ONLY: readonly Act[] = [
  'payment.accept',
  'payment.approve',
  'payment.refuse',
  'payment.record',
  'payment.keep',
  'user.grant_long',
  'user.end',
  'event.resend_waiting',
  'event.skip',
  'codes.create',
  'codes.revoke',
  'reconcile',
  'database.backup',
]

describe('a role', () => {
  it.each(OWNER_ONLY)('other than owner may not: %s', (act) => {
    expect(rolesThatMay(act)).toEqual(['owner'])
  })

  it.each<[Act, string]>([
    ['finding.close', 'accountant, owner'],
    ['payment.recheck', 'support, owner'],
    ['event.resend', 'support, owner'],
    ['user.grant', 'support, owner'],
    ['payment.read_proof', 'support, accountant, owner'],
    ['payment.refund', 'accountant, owner'],
    ['payments.export', 'accountant, owner'],
  ])('may %s as %s', (act, roles) => {
    expect(rolesThatMay(act).join(', ')).toBe(roles)
  })

  it('that may not is refused with the act and the roles that may', () => {
    const attempt = () => requireRole({ name: 'amina', role: 'viewer' }, 'payment.refund')
    expect(attempt).toThrow(BillingError)
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'role_not_allowed',
        extra: { act: 'payment.refund', role: 'viewer', roles: ['accountant', 'owner'] },
      }),
    )
  })

  it('is one of four words', () => {
    expect(['viewer', 'support', 'accountant', 'owner', 'admin', ''].map(isRole)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
