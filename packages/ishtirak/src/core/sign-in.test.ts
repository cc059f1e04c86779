import { expect, it } from 'vitest'
import { isRole, ROLES } from './role.js'
import { type Claims, maybeOnePerson, operatorNameOf, roleOf } from './sign-in.js'

const of = (claims: Record<string, unknown>): Claims => ({ sub: 's', ...claims })

it.each(ROLES)('the role of a claim is its text, or the one role in its list: %s', (role) => {
  expect(roleOf(of({ role }), 'role', isRole)).toEqual({ role })
  expect(roleOf(of({ groups: ['staff', role, role] }), 'groups', isRole)).toEqual({ role })
  expect(roleOf(of({ realm_access: { roles: [role] } }), 'realm_access.roles', isRole)).toEqual({ role })
  expect(
    roleOf(of({ 'https://host.example/role': role, https: 1 }), 'https://host.example/role', isRole),
  ).toEqual({ role })
})

it.each([
  ['no_role', {}],
  ['no_role', { role: [] }],
  ['no_role', { role: { owner: true } }],
  ['no_role', { role: [7, null, ['owner']] }],
  ['unknown_role', { role: 'Owner' }],
  ['unknown_role', { role: 'owner,viewer' }],
  ['unknown_role', { role: ['admin', ''] }],
  ['several_roles', { role: ['viewer', 'owner'] }],
] as const)('there is %s in %j', (lack, claims) => {
  expect(roleOf(of(claims), 'role', isRole)).toBe(lack)
})

it.each(['__proto__', 'constructor', 'sub.length', 'toString.name'])('no claim is inherited: %s', (path) => {
  expect(roleOf(of({}), path, isRole)).toBe('no_role')
})

it('the name is that of the subject, with an e-mail that the issuer has verified', () => {
  const email = 'lina@host.example'
  expect(operatorNameOf(of({ email, email_verified: true }))).toBe('oidc:s lina@host.example')
  expect(operatorNameOf(of({ email }))).toBe('oidc:s')
  expect(operatorNameOf(of({ email, email_verified: 'true' }))).toBe('oidc:s')
  expect(operatorNameOf(of({ email: 'lina\u202e@host.example', email_verified: true }))).toBe('oidc:s')
})

it.each(['', ' ', 'two words', 'ليلى', 'x'.repeat(256), 'line\n'])(
  'no name is made of the subject %j',
  (sub) => {
    expect(operatorNameOf({ sub })).toBe(null)
  },
)

it.each([
  ['amina', 'Amina', true],
  ['amina', 'lina', false],
  ['oidc:1 amina@host.example', 'oidc:1 lina@host.example', true],
  ['oidc:1', 'oidc:2', false],
  ['oidc:1 amina@host.example', 'oidc:2 amina@host.example', false],
  ['oidc:1 amina@host.example', 'lina', true],
])('%s and %s may be one person: %s', (one, other, isOne) => {
  expect(maybeOnePerson(one, other)).toBe(isOne)
  expect(maybeOnePerson(other, one)).toBe(isOne)
})
