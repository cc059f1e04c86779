import { PERMISSIONS } from '../../../../test/support/permissions.js'
import { mayDo, mostOf, operatorIn, rolesThatMay } from '../core/role.js'
import { readCustomRoles } from './custom-roles.js'

const read = (text?: string) => readCustomRoles(text, PERMISSIONS)
const named = (name: string) => PERMISSIONS.find((one) => one.name === name) ?? { name, roles: [] }

describe('a role of OPERATOR_ROLES', () => {
  it('is made of permissions and of built-in roles, and what is said itself counts', () => {
    const { roles, problems } = read(' till = cashier + payment.refund ;night=user.grant(7),support')
    expect(problems).toEqual([])
    const ofCashiers = PERMISSIONS.filter((one) => rolesThatMay(one).includes('cashier'))
    expect(ofCashiers.length).toBeGreaterThan(3)
    expect(Object.keys(roles.till ?? {}).sort()).toEqual(
      [...ofCashiers.map(({ name }) => name), 'payment.refund'].sort(),
    )
    const night = operatorIn(roles, 'nora', 'night')
    expect(night && [mayDo(night, named('event.resend')), mayDo(night, named('payment.refund'))]).toEqual([
      ...[true, false],
    ])
    expect(night && mostOf(night, named('user.grant'))).toBe(7)
  })

  it('has the bound of the service where it says none, and none with what is beyond it', () => {
    const { roles } = read('one=user.grant;two=user.grant(7)+user.grant_long;three=payment.accept(500)')
    const most = (role: string, name: string) => {
      const operator = operatorIn(roles, 'x', role)
      return operator && mostOf(operator, named(name))
    }
    expect([most('one', 'user.grant'), most('two', 'user.grant'), most('three', 'payment.accept')]).toEqual([
      ...[30, null, 500],
    ])
  })

  it('is none that is not said', () => {
    const { roles } = read('night=user.grant')
    const unsaid = ['constructor', '__proto__', 'toString', 'night ', 'Owner', '']
    expect(unsaid.filter((role) => operatorIn(roles, 'x', role) !== null)).toEqual([])
    expect(read()).toEqual({ roles: {}, problems: [] })
  })

  const REFUSED = [
    ['night=payment.refnd', 'role 1 (night), payment.refnd is no permission and no built-in role'],
    ['till=cashier;night=', 'role 2 (night) is empty'],
    ['till=cashier;', 'role 2 must begin with a name of a-z, 0-9, _ and -, and ='],
    ['Night=cashier', 'role 1 must begin with a name of a-z, 0-9, _ and -, and ='],
    ['__proto__=cashier', 'role 1 must begin with a name of a-z, 0-9, _ and -, and ='],
    ['owner=cashier', 'role 1 (owner) has the name of a built-in role'],
    ['boss=owner', 'role 1 (boss), owner is for owners only'],
    ['a=cashier;a=support', 'role 2 (a) has the name of one before it'],
    ['a=cashier+cashier', 'role 1 (a) names cashier twice'],
    ['a=payment.refund(7)', 'role 1 (a), payment.refund takes no number in parentheses'],
    ['a=support(7)', 'role 1 (a), support takes no number in parentheses'],
    ['a=user.grant(0)', 'role 1 (a), entry 1 must be a name such as payment.refund or user.grant(7)'],
    ['a=cashier++support', 'role 1 (a), entry 2 must be a name such as payment.refund or user.grant(7)'],
    ['a=cashier+x=y', 'role 1 (a), entry 2 must be a name such as payment.refund or user.grant(7)'],
  ] as const

  it('is refused with its place', () => {
    const said = REFUSED.map(([text]) => [text, read(text).problems])
    expect(said).toEqual(REFUSED.map(([text, problem]) => [text, [`OPERATOR_ROLES: ${problem}`]]))
  })
})
