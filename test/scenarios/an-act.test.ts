// An act that is declared once is there in all six ways: over HTTP with its preview, in the OpenAPI document,
// as a command with its help, as a form of the console, as a call of a host that mounts the service, and as a
// call of the client.
import { Command } from 'commander'
import { Type } from 'typebox'
import { createOperator } from '../../packages/client/src/index.js'
import { act, change, reason } from '../../packages/ishtirak/src/acts/act.js'
import { recordAct } from '../../packages/ishtirak/src/acts/audit.sql.js'
import type { Capability } from '../../packages/ishtirak/src/acts/capability.js'
import { addOperatorCommands } from '../../packages/ishtirak/src/acts/commands.js'
import { BillingError } from '../../packages/ishtirak/src/core/error.js'
import type { Role } from '../../packages/ishtirak/src/core/role.js'
import type { ChangeDeps } from '../../packages/ishtirak/src/ledger/change-user.js'
import { loadUser } from '../../packages/ishtirak/src/ledger/load.js'
import { type SubjectDeps, USER } from '../../packages/ishtirak/src/ledger/subjects.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { commandHost } from '../../packages/ishtirak/src/main/command-host.js'
import { createOperatorCalls } from '../../packages/ishtirak/src/main/operator-calls.js'
import { enterConsole } from '../support/console.js'
import { describeWorld } from '../support/describe-world.js'
import { operatorOf } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'

const flag = act<ChangeDeps & SubjectDeps>()({
  name: 'user.flag',
  roles: ['support'],
  on: USER,
  operationId: 'flagUser',
  summary: 'Flag a user for a second look',
  description: 'Others see it.',
  input: Type.Object(
    { level: Type.Integer({ minimum: 1, maximum: 5, description: 'How urgent it is' }), why: reason },
    { additionalProperties: false },
  ),
  plan: async (deps, { id, input: { level }, by }) => {
    const { version } = await loadUser(deps, id)
    if (level === 5) throw new BillingError('conflict', { extra: { level: 5 } })
    return {
      version,
      changes: [change.count('Level', null, level)],
      save: () => recordAct(deps, by, { userId: id, after: { level } }),
    }
  },
})
const flags: Capability<ChangeDeps & SubjectDeps> = { name: 'flags', acts: [flag] }

describeWorld('an act that is declared once', { capabilities: [...CAPABILITIES, flags] }, ({ world }) => {
  beforeEach(() => world.as('user-1').buy())
  afterEach(() => {
    delete process.env.OPERATOR_KEY
  })

  const callsOf = (name: string, role: Role) =>
    createOperatorCalls(world.service.parts, world.service.acts)({ name, role })
  const owner = () => operatorOf(world, ROLE_KEYS.owner)
  const PATH = '/users/user-1/flag'
  const trail = async () =>
    ((await owner().get('/users/user-1')).body.audit as { act: string; after: object; why: string }[])
      .filter(({ act }) => act === 'user.flag' || act === 'operator.refused')
      .map(({ act, after, why }) => ({ act, after, why }))

  it('is a route that asks for role and input, answers its subject and stands in the trail', async () => {
    expect((await owner().post(PATH, { level: 2, why: 'ticket 1' })).body.user_id).toBe('user-1')
    expect(await trail()).toEqual([{ act: 'user.flag', after: { level: 2 }, why: 'ticket 1' }])
    const wrong = (await owner().post(PATH, { level: 6, why: 'x' })).body
    expect(wrong.errors).toMatchObject([{ pointer: '/level', code: 'too_large' }])
    expect((await owner().post('/users/nobody/flag', { level: 1, why: 'x' })).status).toBe(404)
    const viewer = await operatorOf(world, ROLE_KEYS.viewer).post(PATH, { level: 1, why: 'x' })
    expect([viewer.status, viewer.body.act]).toEqual([403, 'user.flag'])
  })

  it('is shown beforehand at the same address, and changes nothing by that', async () => {
    const { body } = await owner().get(`${PATH}?level=3`)
    expect(body.changes).toEqual([{ kind: 'count', what: 'Level', of: null, before: null, after: 3 }])
    expect((await owner().get(`${PATH}?level=5`)).status).toBe(409)
    expect(await trail()).toEqual([])
  })

  it('is done once under one operation_id, also at one moment; anything else is refused', async () => {
    const request = { level: 2, why: 'ticket 1', operation_id: 'op 1' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner().post(PATH, request)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await trail()).toHaveLength(1)
    const other = await owner().post(PATH, { ...request, level: 3 })
    expect([other.status, other.body]).toMatchObject([409, { code: 'conflict', asked: { level: 2 } }])
  })

  it('leaves a refusal in the trail, and is refused the same when it is sent again', async () => {
    const request = { level: 5, why: 'ticket 1', operation_id: 'op 1' }
    for (const answer of [await owner().post(PATH, request), await owner().post(PATH, request)])
      expect([answer.status, answer.body.level]).toEqual([409, 5])
    const after = { act: 'user.flag', code: 'conflict', level: 5 }
    expect(await trail()).toMatchObject([{ act: 'operator.refused', after }])
  })

  it('is in the document of operators, with its preview, and in no other', async () => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
    const { paths } = (await world.call('GET', '/openapi-operator.json', { headers })).body
    expect(paths['/api/v1/operator/users/{user_id}/flag']).toMatchObject({
      post: { operationId: 'flagUser', summary: 'Flag a user for a second look' },
      get: { operationId: 'previewFlagUser' },
    })
    expect((await world.call('GET', '/openapi.json')).text).not.toContain('flag')
  })

  it('is a command, with its help and its preview', async () => {
    process.env.OPERATOR_KEY = ROLE_KEYS.owner
    const named = (of: Command | undefined, name: string) => of?.commands.find((one) => one.name() === name)
    expect(named(named(programOf(), 'users'), 'flag')?.helpInformation()).toMatch(
      /Flag a user for a second look[\s\S]*--level <level>[\s\S]*--why/,
    )
    const shown = await run(['users', 'flag', 'user-1', '--level', '2', '--preview', '--url', world.url])
    expect(shown).toMatch(/Level/)
    expect(await trail()).toEqual([])
    await run(['users', 'flag', 'user-1', '--level', '2', '--why', 'ticket 1', '--url', world.url])
    expect(await trail()).toHaveLength(1)
  })

  it('is a form of the console: asked, shown beforehand, done once and told', async () => {
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    expect((await visit.open('/console/users/user-1')).text).toContain('>user.flag</a>')
    expect((await visit.open('/console/users/user-1/flag')).text).toContain('How urgent it is')
    const { path, words, fields } = await visit.ask('/console/users/user-1/flag', '?level=4')
    expect(words).toContain('Level 4')
    const send = () => visit.submit(path, { ...fields, why: 'ticket 1' })
    const answers = [await send(), await send()]
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
    expect(await trail()).toEqual([{ act: 'user.flag', after: { level: 4 }, why: 'ticket 1' }])
  })

  it('is in the console for the roles that may, and refused to the others, asked or sent', async () => {
    const address = '/console/users/user-1/flag'
    for (const [role, may] of [
      ['support', true],
      ['viewer', false],
    ] as const) {
      const own = await enterConsole(world, ROLE_KEYS[role])
      const page = (await own.open('/console/users/user-1')).text
      expect([role, page.includes(`href="${world.base}${address}"`)]).toEqual([role, may])
      for (const path of [address, `${address}?level=4`])
        expect([role, (await own.open(path)).status]).toEqual([role, may ? 200 : 403])
      const fields = { level: '4', why: 'x', operation_id: 'x'.repeat(22), version: '1' }
      const sent = await own.submit(address, fields)
      expect([role, sent.status === 403]).toEqual([role, !may])
    }
  })

  it('is a call of a host that mounts the service', async () => {
    const amina = callsOf('amina', 'owner')
    const preview = await amina.preview('user.flag', 'user-1', { level: 1 })
    expect(preview).toMatchObject({ changes: [{ after: 1 }] })
    const done = await amina.act('user.flag', 'user-1', { level: 1, why: 'x' })
    expect(done).toMatchObject({ user_id: 'user-1' })
    const unknown = amina.act('user.unknown', 'user-1', {})
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
    expect(await trail()).toHaveLength(1)
    // Sent again it is the same, also with a member that is undefined.
    const request = { days: 3, plan: undefined, why: 'x', operation_id: 'op 1' }
    for (const sent of [request, request]) await amina.act('user.grant', 'user-1', sent)
    expect((await owner().get('/users/user-1')).body.audit).toHaveLength(2)
  })

  it('is refused to a host as over HTTP: a wrong role is in the trail, bad text is no bug', async () => {
    const refused = callsOf('vic', 'viewer').act('user.flag', 'user-1', { level: 1, why: 'x' })
    await expect(refused).rejects.toMatchObject({ code: 'role_not_allowed' })
    const after = { act: 'user.flag', code: 'role_not_allowed' }
    const { data } = (await owner().get('/audit?act=operator.refused')).body
    expect(data).toMatchObject([{ actor: 'vic', act: 'operator.refused', after }])
    const amina = callsOf('amina', 'owner')
    const tooMuch = amina.act('user.flag', 'user-1', { level: 9, why: 'x' })
    await expect(tooMuch).rejects.toMatchObject({ code: 'validation_failed' })
    for (const call of [
      () => amina.act('user.flag', 'user-1\0', { level: 1, why: 'x' }),
      () => amina.preview('user.flag', 'user-1\0', { level: 1 }),
      () => amina.act('user.flag', 'user-1', { level: 1, why: 'x \ud800' }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('is a call of the client', async () => {
    const operator = createOperator({ url: world.url, apiKey: ROLE_KEYS.owner })
    const preview = await operator.preview('user.flag', 'user-1', { level: 1 })
    expect(preview.changes).toMatchObject([{ after: 1 }])
    const answer = await operator.act('user.flag', 'user-1', { level: 1, why: 'x', operation_id: 'op' })
    expect(answer.user_id).toBe('user-1')
    const refused = operator.act('user.flag', 'nobody', { level: 1, why: 'x' })
    await expect(refused).rejects.toMatchObject({ code: 'not_found' })
  })
})

function programOf(): Command {
  const program = new Command('ishtirak').exitOverride()
  addOperatorCommands(program, [...CAPABILITIES, flags], commandHost)
  return program
}

async function run(args: readonly string[]): Promise<string> {
  const { write } = process.stdout
  const printed: string[] = []
  process.stdout.write = (text) => printed.push(String(text)) > 0
  try {
    await programOf().parseAsync(args, { from: 'user' })
  } finally {
    process.stdout.write = write
  }
  return printed.join('')
}
