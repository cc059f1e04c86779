// Which role may do what is in main/roles.test.ts.
import { BillingError } from './error.js'
import { requireRole } from './role.js'

const REFUND = { name: 'payment.refund', roles: ['accountant'] } as const

it('a role that may not is refused with the act and the roles that may', () => {
  const attempt = () => requireRole({ name: 'amina', role: 'viewer' }, REFUND)
  expect(attempt).toThrow(BillingError)
  const extra = { act: 'payment.refund', role: 'viewer', roles: ['accountant', 'owner'] }
  expect(attempt).toThrow(expect.objectContaining({ code: 'role_not_allowed', extra }))
})
