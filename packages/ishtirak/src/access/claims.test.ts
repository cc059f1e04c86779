import { isRole, mayBeOnePerson, ROLES } from '../core/role.js'
import { type Claims, operatorNameOf, roleOf } from './claims.js'

const of = (claims: Record<string, unknown>): Claims => ({ sub: 's', ...claims })

it('the role of a claim is its text, or the one role in its list', () => {
  const url = 'https://host.example/role'
  for (const role of ROLES)
    for (const [path, claims] of [
      ['role', { role }],
      ['groups', { groups: ['staff', role, role] }],
      ['realm_access.roles', { realm_access: { roles: [role] } }],
      [url, { [url]: role, https: 1 }],
    ] as const)
      expect.soft(roleOf(of(claims), path, isRole), path).toEqual({ role })
})

it('a claim without one known role has none', () => {
  for (const [lack, claims] of [
    ['no_role', {}],
    ['no_role', { role: [] }],
    ['no_role', { role: { owner: true } }],
    ['no_role', { role: [7, null, ['owner']] }],
    ['unknown_role', { role: 'Owner' }],
    ['unknown_role', { role: 'owner,viewer' }],
    ['unknown_role', { role: ['admin', ''] }],
    ['several_roles', { role: ['viewer', 'owner'] }],
  ] as const) {
    expect.soft(roleOf(of(claims), 'role', isRole), String(lack)).toBe(lack)
  }
})

it('no claim is inherited', () => {
  const paths = ['__proto__', 'constructor', 'sub.length', 'toString.name']
  expect(paths.filter((path) => roleOf(of({}), path, isRole) !== 'no_role')).toEqual([])
})

it('the name is that of the subject, if it is a word, with an e-mail that the issuer has verified', () => {
  const email = 'lina@host.example'
  expect(operatorNameOf(of({ email, email_verified: true }))).toBe('oidc:s lina@host.example')
  expect(operatorNameOf(of({ email }))).toBe('oidc:s')
  expect(operatorNameOf(of({ email, email_verified: 'true' }))).toBe('oidc:s')
  expect(operatorNameOf(of({ email: 'lina\u202e@host.example', email_verified: true }))).toBe('oidc:s')
  const subjects = ['', ' ', 'two words', 'ليلى', 'x'.repeat(256), 'line\n']
  expect(subjects.filter((sub) => operatorNameOf({ sub }) !== null)).toEqual([])
})

it('two names may be one person where nothing tells them apart', () => {
  for (const [one, other, isOne] of [
    ['amina', 'Amina', true],
    ['amina', 'lina', false],
    ['oidc:1 amina@host.example', 'oidc:1 lina@host.example', true],
    ['oidc:1', 'oidc:2', false],
    ['oidc:1 amina@host.example', 'oidc:2 amina@host.example', false],
    ['oidc:1 amina@host.example', 'lina', true],
  ] as const) {
    expect.soft(mayBeOnePerson(one, other), String(one)).toBe(isOne)
    expect.soft(mayBeOnePerson(other, one), String(one)).toBe(isOne)
  }
})
