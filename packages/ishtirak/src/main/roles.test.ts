// What each role may do, written down a second time: every operation of the operator's API is asked by every
// role, and every command that acts.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { PERMISSIONS, permissionNamed } from '../../../../test/support/permissions.js'
import { ATTEMPTS, CUSTOM_ROLES, customKey, ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { previewIdOf } from '../acts/act-routes.js'
import { actsOf, readingsOf } from '../acts/capability.js'
import { ROLES, type Role, rolesThatMay } from '../core/role.js'
import { statement } from '../database/database.js'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './command-host.js'
import { addAllOperatorCommands } from './operator-commands.js'

const selectAudit = statement(
  'test.roles.audit',
  'select actor, act, after from audit order by acted_at, actor collate "C"',
)

/** What a command says that was let through: most find nothing, and a month is not in turn. */
const DONE_OR_ABSENT = /^($|no |month_not_in_turn|conflict)/

const acts = actsOf<never>(CAPABILITIES)
const readings = readingsOf<never>(CAPABILITIES)
/** By the ids of the OpenAPI document. */
const methods: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(readings.map(({ operationId, method = 'GET' }) => [operationId, method])),
  ...Object.fromEntries(acts.map(({ operationId }) => [operationId, 'POST'])),
  ...Object.fromEntries(acts.map((act) => [previewIdOf(act), act.asksByPost ? 'POST' : 'GET'])),
}
const attempts = Object.entries(ATTEMPTS).flatMap(([name, list]) =>
  list.map((attempt) => ({ name, method: methods[name], ...attempt })),
)
const may = (role: Role, act: string | null) =>
  act === null || rolesThatMay(permissionNamed(act)).includes(role)

it('every operation is tried', () => {
  expect(Object.keys(ATTEMPTS).sort()).toEqual(Object.keys(methods).sort())
})

it('every operation that changes something asks for the role', () => {
  expect(attempts.filter(({ method, act }) => method === 'POST' && act === null)).toEqual([])
})

/** Written down a second time. */
const OWNER_ONLY: readonly string[] = [
  'payment.accept_large',
  'payment.keep',
  'user.grant_long',
  'user.end',
  'event.resend_waiting',
  'event.skip',
  'codes.create',
  'codes.revoke',
  'codes.revoke_code',
  'reconciliation.start',
  'month.reopen',
  'operator.create',
  'operator.block',
  'operator.unblock',
  'operator.set_role',
  'operator.new_key',
  'operator.revoke',
  'database.backup',
]

describe('a role', () => {
  it.each(OWNER_ONLY)('other than owner may not: %s', (act) => {
    expect(rolesThatMay(permissionNamed(act))).toEqual(['owner'])
  })

  it.each<[string, string]>([
    ['finding.close', 'accountant, owner'],
    ['month.close', 'accountant, owner'],
    ['payment.recheck', 'support, owner'],
    ['event.resend', 'support, owner'],
    ['user.grant', 'support, owner'],
    ['payment.read_proof', 'support, accountant, owner'],
    ['payment.read_receipt', 'support, cashier, accountant, owner'],
    ['drawer.count', 'cashier, accountant, owner'],
    ['drawer.confirm', 'cashier, accountant, owner'],
    ['payment.refund', 'accountant, owner'],
    ['payment.accept', 'accountant, owner'],
    ['payment.approve', 'accountant, owner'],
    ['payment.refuse', 'accountant, owner'],
    ['payment.record', 'cashier, owner'],
    ['statement.read', 'accountant, owner'],
    ['statement.import', 'accountant, owner'],
    ['statement.approve', 'accountant, owner'],
    ['bank_line.set_aside', 'accountant, owner'],
    ['payments.export', 'accountant, owner'],
    ['codes.export', 'accountant, owner'],
  ])('may %s as %s', (act, roles) => {
    expect(rolesThatMay(permissionNamed(act)).join(', ')).toBe(roles)
  })
})

it.each(ROLES)('the table of the documentation is made of what %s may', (role) => {
  const [, row] =
    new RegExp(`^\\| \`${role}\` \\| (.*) \\|$`, 'm').exec(readFileSync('docs/operator.md', 'utf8')) ?? []
  const has = PERMISSIONS.filter(({ roles }) =>
    role === 'owner' ? roles.length === 0 : rolesThatMay({ name: '', roles }).includes(role),
  )
  const names = has.map(({ name, bound }) => `\`${name}${bound ? `(${bound.most})` : ''}\``)
  const all = role === 'owner' ? 'all, and alone ' : ''
  expect(row).toBe(role === 'viewer' ? 'nothing' : `${all}${names.sort().join(', ')}`)
})

describeScenario('roles', ({ database }) => {
  let world: World
  /** For what commands write. */
  let folder: string
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-roles-'))
    world = await createWorld(database(), { env: ROLES_ENV, isNew: true })
  })
  afterEach(() => world.stop())
  afterEach(() => rmSync(folder, { recursive: true }))
  afterEach(() => {
    delete process.env.OPERATOR_KEY
  })

  it.each(ROLES)('over HTTP, %s may do what the table says and nothing else', async (role) => {
    const operator = operatorOf(world, ROLE_KEYS[role])
    for (const { name, method, path, body, act } of attempts) {
      const answer = await (method === 'GET' ? operator.get(path) : operator.post(path, body))
      const refused = answer.status === 403 ? [answer.body.code, answer.body.act] : []
      expect([name, ...refused]).toEqual(may(role, act) ? [name] : [name, 'role_not_allowed', act])
    }
  })

  it('over HTTP, a role of OPERATOR_ROLES may do what it is made of and nothing else', async () => {
    await world.stop()
    const OPERATOR_ROLES = 'till=cashier+payment.refund; night=payment.recheck,user.grant(40),operator.revoke'
    const keys = Object.keys(CUSTOM_ROLES).map((role) => `${role}:${role}:${customKey(role)}`)
    world = await createWorld(database(), {
      env: { ...ROLES_ENV, OPERATOR_ROLES, OPERATOR_KEYS: keys.join() },
    })
    for (const [role, names] of Object.entries(CUSTOM_ROLES)) {
      const operator = operatorOf(world, customKey(role))
      for (const { name, method, path, body, act } of attempts) {
        const answer = await (method === 'GET' ? operator.get(path) : operator.post(path, body))
        const refused = answer.status === 403 ? [answer.body.code, answer.body.act] : []
        const isMeant = act === null || names.includes(act)
        expect([role, name, ...refused]).toEqual(
          isMeant ? [role, name] : [role, name, 'role_not_allowed', act],
        )
      }
    }
  })

  it.each(ROLES)('by command, %s may do the same', async (role) => {
    process.env.OPERATOR_KEY = ROLE_KEYS[role]
    for (const { command, act } of attempts) {
      if (!command) continue
      const args = command.map((arg) => (/^no-/.test(arg) ? path.join(folder, arg) : arg))
      const said = await run([...args, '--url', world.url]).then(
        () => '',
        ({ message }) => message,
      )
      if (may(role, act)) expect([args, said]).toEqual([args, expect.stringMatching(DONE_OR_ABSENT)])
      else
        expect([args, said]).toEqual([
          args,
          expect.stringMatching(`^role_not_allowed: .*\n  act: ${act}\n  role: ${role}\n`),
        ])
    }
  })

  it('a refusal is in the audit trail, once a minute with the number of those in between', async () => {
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
    const viewer = operatorOf(world, ROLE_KEYS.viewer)
    expect((await viewer.post('/payments/x/accept', {})).body.code).toBe('validation_failed')
    expect((await viewer.get('/payments/x')).body.code).toBe('not_found')
  })
})

/** What commands print does not stand among the results of the tests. */
async function run(args: readonly string[]): Promise<void> {
  const program = new Command('ishtirak')
  addAllOperatorCommands(program, CAPABILITIES, commandHost)
  const { write } = process.stdout
  process.stdout.write = () => true
  try {
    await program.parseAsync(args, { from: 'user' })
  } finally {
    process.stdout.write = write
  }
}
