// What each role may do is written down a second time in the documentation.

import { readFileSync } from 'node:fs'
import { describeScenario } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { PERMISSIONS, permissionNamed } from '../../../../test/support/permissions.js'
import { ATTEMPTS, CUSTOM_ROLES, customKey, ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'
import { previewIdOf } from '../acts/act-routes.js'
import { actsOf, readingsOf } from '../acts/capability.js'
import { ROLES, type Role, rolesThatMay } from '../core/role.js'
import { CAPABILITIES } from './capabilities.js'

const selectAudit = sql('select actor, act, after from audit order by acted_at, actor collate "C"')

const acts = actsOf<never>(CAPABILITIES)
const readings = readingsOf<never>(CAPABILITIES)
const methods: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(readings.map(({ operationId, method = 'GET' }) => [operationId, method])),
  ...Object.fromEntries(acts.map(({ operationId }) => [operationId, 'POST'])),
  ...Object.fromEntries(acts.map((act) => [previewIdOf(act), act.secret ? 'POST' : 'GET'])),
}
const attempts = Object.entries(ATTEMPTS).flatMap(([name, list]) =>
  list.map((attempt) => ({ name, method: methods[name], ...attempt })),
)
const may = (role: Role, act: string) => rolesThatMay(permissionNamed(act)).includes(role)

it('every operation is tried, and each that changes something asks for the role', () => {
  expect(Object.keys(ATTEMPTS).sort()).toEqual(Object.keys(methods).sort())
  expect(attempts.filter(({ method, act }) => method === 'POST' && act === null)).toEqual([])
})

it('the list of the documentation is made of what each role may', () => {
  const text = readFileSync('docs/operator.md', 'utf8')
  for (const role of ROLES) {
    const [, listed = ''] =
      new RegExp(`^\\* \\*\\*${role}\\*\\*: ((?:.+\\n)(?: {2}.+\\n)*)`, 'm').exec(text) ?? []
    const row = listed.trim().replace(/\s+/g, ' ')
    const has = PERMISSIONS.filter(({ roles }) =>
      role === 'owner' ? roles.length === 0 : rolesThatMay({ name: '', roles }).includes(role),
    )
    const names = has.map(({ name, bound }) => `\`${name}${bound ? `(${bound.most})` : ''}\``)
    const all = role === 'owner' ? 'all, and alone ' : ''
    expect([role, row]).toEqual([role, role === 'viewer' ? 'nothing' : `${all}${names.sort().join(', ')}`])
  }
})

const OPERATOR_ROLES = 'till=cashier+payment.refund; night=payment.recheck,user.grant(40),operator.revoke'
const CUSTOM_KEYS = Object.keys(CUSTOM_ROLES).map((role) => `${role}:${role}:${customKey(role)}`)
const ENV = { ...ROLES_ENV, OPERATOR_ROLES, OPERATOR_KEYS: [ROLES_ENV.OPERATOR_KEYS, ...CUSTOM_KEYS].join() }

describeScenario('roles', ({ database }) => {
  it('over HTTP, a role may do what its table says and nothing else', async () => {
    await using world = await createWorld(database(), { env: ENV })
    const custom = Object.entries(CUSTOM_ROLES)
    const all: readonly (readonly [string, string, (act: string) => boolean])[] = [
      ...(['viewer', 'owner'] as const).map((role) => {
        return [role, ROLE_KEYS[role], (act: string) => may(role, act)] as const
      }),
      ...custom.map(([role, acts]) => [role, customKey(role), (act: string) => acts.includes(act)] as const),
    ]
    for (const [role, key, isMeant] of all) {
      const operator = operatorOf(world, key)
      for (const { name, method, path, body, act } of attempts) {
        const answer = await (method === 'GET' ? operator.get(path) : operator.post(path, body))
        const refused = answer.status === 403 ? [answer.body.code, answer.body.act] : []
        const isFree = act === null || isMeant(act)
        expect([role, name, ...refused]).toEqual([role, name, ...(isFree ? [] : ['role_not_allowed', act])])
      }
    }
  })

  it('a refusal is in the audit trail, once a minute with the number of those in between', async () => {
    await using world = await createWorld(database(), { env: ENV })
    const support = operatorOf(world, ROLE_KEYS.support)
    const refund = () => support.post('/payments/x/refund', { why: 'x' })
    for (let n = 0; n < 3; n++) await refund()
    await operatorOf(world, 'some-other-key-of-20-characters').get('/payments')
    await operatorOf(world, 'yet-another-key-of-20-characters').get('/payments')
    world.clock.advance(60_000)
    await refund()
    const refusal = { code: 'role_not_allowed', act: 'payment.refund' }
    expect(await database().query(selectAudit, [])).toEqual([
      { actor: '(unknown)', act: 'operator.refused', after: { code: 'invalid_operator_key', refused: 1 } },
      { actor: 'support', act: 'operator.refused', after: { ...refusal, refused: 1 } },
      { actor: 'support', act: 'operator.refused', after: { ...refusal, refused: 3 } },
    ])
  })

  it('a role has no say over what is refused for another reason', async () => {
    await using world = await createWorld(database(), { env: ENV })
    const viewer = operatorOf(world, ROLE_KEYS.viewer)
    expect((await viewer.post('/payments/x/accept', {})).body.code).toBe('validation_failed')
    expect((await viewer.get('/payments/x')).body.code).toBe('not_found')
  })
})
