import { actOften, type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { payOtherwise } from '../../../../test/support/other-amount.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { BillingError } from '../core/error.js'
import { confirmDrawer } from '../desk/drawer.js'
import { blockOperator, setOperatorRole } from './operator-acts.js'

const stored = sql(`select (select jsonb_agg(o) from operators o)::text
     || (select jsonb_agg(a) from audit a)::text as all_rows`)

const OPERATOR_ROLES = 'till=cashier+payment.refund;small=payment.accept(1999);enough=payment.accept(2000)'

describeWorld('operators that an owner makes', { env: { OPERATOR_ROLES } }, ({ world, database }) => {
  const owner = () => operatorOf(world, ROLE_KEYS.owner)
  const make = async (name: string, role = 'support', more: object = {}) =>
    (await owner().post('/operators/create', { name, role, why: 'hired', ...more })).body
  const act = (name: string, verb: string, more: object = {}) =>
    owner().post(`/operators/${name}/${verb}`, { why: 'x', ...more })
  const statusOf = async (key: string) => (await operatorOf(world, key).get('/payments')).status

  it('get a key once, which opens what their role may, and is nowhere but in the answer', async () => {
    const { key, ...made } = await make('samira', 'till', { operation_id: 'hire-1' })
    expect(key).toMatch(/^opk_[\w-]{43}$/)
    expect(made).toMatchObject({ name: 'samira', role: 'till', source: 'console', blocked_at: null })
    expect(await make('samira', 'till', { operation_id: 'hire-1' })).toMatchObject({ ...made, key: null })
    const samira = operatorOf(world, key)
    expect((await samira.get('/payments')).status).toBe(200)
    expect((await samira.post('/payments/x/refund', { why: 'x' })).status).toBe(404)
    const refused = { code: 'role_not_allowed', role: 'till' }
    expect((await samira.post('/payments/x/keep', { why: 'x' })).body).toMatchObject(refused)
    expect(String((await database().query(stored, []))[0]?.all_rows)).not.toContain(key)
    const { data } = (await owner().get('/operators')).body
    expect(data).toHaveLength(7)
    expect(data.at(-1)).toEqual(made)
    expect(data[0]).toMatchObject({ name: 'amina', source: 'environment', created_at: null })
  })

  it('have a name of their own and a role that there is, and are made by owners alone', async () => {
    await make('samira')
    const refusalOf = async (name: string, role = 'support') => {
      const { status, body } = await owner().post('/operators/create', { name, role, why: 'x' })
      return [status, body.source]
    }
    for (const name of ['samira', 'Samira']) expect(await refusalOf(name)).toEqual([409, 'console'])
    for (const name of ['owner', 'OWNER']) expect(await refusalOf(name)).toEqual([409, 'environment'])
    for (const name of ['oidc:1', 'two words', '']) expect((await refusalOf(name))[0]).toBe(422)
    expect((await refusalOf('x', 'boss'))[0]).toBe(422)
    const { key } = await make('amel', 'accountant')
    const accountant = operatorOf(world, key)
    const boss = { name: 'y', role: 'owner', why: 'x' }
    expect((await accountant.post('/operators/create', boss)).status).toBe(403)
    expect((await accountant.post('/operators/amel/new-key', { why: 'x' })).status).toBe(403)
    expect((await act('support', 'block')).body).toMatchObject({ code: 'conflict', source: 'environment' })
    expect((await act('nobody', 'block')).body).toMatchObject({ code: 'not_found', operator: 'nobody' })
  })

  it('are refused from their blocking on, by key and in the console, and let in again', async () => {
    const { key } = await make('samira')
    const visit = await enterConsole(world, key)
    expect((await visit.open('/console')).status).toBe(200)
    expect((await act('samira', 'block')).body.blocked_at).toBe('2026-11-21T12:00:00Z')
    expect([await statusOf(key), (await visit.open('/console')).status]).toEqual([401, 303])
    expect((await act('samira', 'block')).body.code).toBe('conflict')
    expect((await act('samira', 'unblock')).body.blocked_at).toBe(null)
    // An ended session stays ended.
    expect([await statusOf(key), (await visit.open('/console')).status]).toEqual([200, 303])
  })

  it('get a new key, and the one before ends with its sessions; another role counts at once', async () => {
    const { key } = await make('samira')
    const visit = await enterConsole(world, key)
    const { key: next } = (await act('samira', 'new-key')).body
    expect([await statusOf(key), await statusOf(next)]).toEqual([401, 200])
    expect((await visit.open('/console')).status).toBe(303)
    expect((await act('samira', 'set-role', { role: 'accountant' })).body.role).toBe('accountant')
    expect((await operatorOf(world, next).post('/payments/x/refund', { why: 'x' })).status).toBe(404)
  })

  it('accept as much as the bound of their role, by what was asked for or came', async () => {
    const id = await payOtherwise(world, 'user-1', { charged: 1_500 })
    const accept = async (role: string) => {
      const by = operatorOf(world, (await make(role, role)).key)
      const previewed = await by.get(`/payments/${id}/accept`)
      const { status, body } = await by.post(`/payments/${id}/accept`, { why: 'seen' })
      return [previewed.status, status, body.act, body.most]
    }
    expect(await accept('small')).toEqual([403, 403, 'payment.accept_large', 1_999])
    expect(await accept('enough')).toEqual([200, 200, undefined, undefined])
  })

  it('are made in the console, where the key is shown once and the list has its acts', async () => {
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    const path = '/console/operators/create'
    const { text: asked } = await visit.open(`${path}?name=samira&role=support`)
    const fields = { ...fieldsOfAct(asked), name: 'samira', role: 'support', why: 'hired' }
    const { status, text } = await visit.submit(path, fields)
    const [key = ''] = /opk_[\w-]{43}/.exec(text) ?? []
    expect([status, await statusOf(key)]).toEqual([200, 200])
    const again = await visit.submit(path, fields)
    expect([again.status, again.text.includes('opk_')]).toEqual([303, false])
    const { text: list } = await visit.open('/console/operators')
    expect(wordsOf(list)).toMatch(/samira support the console .* may act Block New key Another role/)
    expect(list).not.toContain('opk_')
    const viewer = await enterConsole(world, ROLE_KEYS.viewer)
    expect((await viewer.open('/console/operators')).text).not.toContain('/block"')
  })

  it('one owner is left of two who block each other at once, and is not made another role', async () => {
    const parts = { ...world.service.parts, operatorKeys: [] }
    await make('amel', 'owner')
    await make('badis', 'owner')
    const by = (name: string) => ({ name, role: 'owner' })
    const block = (name: string, other: string) =>
      doAct(parts, blockOperator, callBy(by(name), other, { why: 'x' })).then(
        () => 'blocked',
        (error: unknown) => (error instanceof BillingError ? error.extra.last_owner : error),
      )
    const outcomes = await Promise.all([block('amel', 'badis'), block('badis', 'amel')])
    expect(outcomes.toSorted()).toEqual(['blocked', true])
    const { data } = (await owner().get('/operators')).body
    const made = data.filter(({ source }: Record<string, unknown>) => source === 'console')
    const [left, ...others] = made.filter((one: Record<string, unknown>) => one.blocked_at === null)
    expect([made.length, others]).toEqual([2, []])
    const demote = doAct(parts, setOperatorRole, callBy(by('x'), left.name, { role: 'viewer', why: 'x' }))
    await expect(demote).rejects.toMatchObject({ code: 'conflict', extra: { last_owner: true } })
    // The environment has an owner, so this one is not the last.
    expect((await act(left.name, 'block')).status).toBe(200)
  })

  it('an owner whose name the environment has by now is not the one who is left', async () => {
    await make('amel', 'owner')
    await make('badis', 'owner')
    const [key] = world.service.parts.operatorKeys
    if (!key) throw new Error('the environment has no operator')
    const parts = { ...world.service.parts, operatorKeys: [{ ...key, name: 'Amel', role: 'viewer' }] }
    const block = doAct(parts, blockOperator, callBy({ name: 'x', role: 'owner' }, 'badis', { why: 'x' }))
    await expect(block).rejects.toMatchObject({ code: 'conflict', extra: { last_owner: true } })
  })

  it('are one person for a second approval: by the key before, by a new one, and signed in', async () => {
    const { key } = await make('Samira', 'cashier')
    const day = '/drawer/2026-11-21'
    await operatorOf(world, key).post(`${day}/count`, { cash: 0, cheques: 0 })
    const confirmed = async (by: string) => {
      const { status, body } = await operatorOf(world, by).post(`${day}/confirm`, {})
      return [status, body.code]
    }
    const second = [409, 'second_operator_needed']
    expect(await confirmed(key)).toEqual(second)
    const { key: next } = (await act('Samira', 'new-key')).body
    expect(await confirmed(next)).toEqual(second)
    const visit = await enterConsole(world, next)
    expect((await visit.open(`/console${day}/confirm`)).status).toBe(409)
    // The environment may have the name by now, in another spelling.
    const parts = { ...world.service.parts, operatorKeys: [] }
    const by = callBy({ name: 'samira', role: 'owner' }, '2026-11-21', {})
    await expect(doAct(parts, confirmDrawer, by)).rejects.toMatchObject({ code: second[1] })
    expect(await confirmed(ROLE_KEYS.cashier)).toEqual([200, undefined])
  })
})

const signInOften = sql(`insert into operator_sessions
     (id, session_digest, operator, role, signed_in_by, key_digest, created_at, expires_at)
   select 'ops_' || n, n, 'program', 'viewer', 'key', n, '2026-11-21T12:00:00Z', '2026-11-21T20:00:00Z'
     from generate_series(1, 480) n`)
describeWorld('operators in the console', {}, ({ world, database }) => {
  let owner: ConsoleVisit
  let support: ConsoleVisit
  beforeEach(async () => {
    owner = await enterConsole(world, ROLE_KEYS.owner)
    world.clock.advance(60_000)
    support = await enterConsole(world, ROLE_KEYS.support)
  })

  const read = async (path: string) => (await operatorOf(world, ROLE_KEYS.viewer).get(path)).body.data
  const sessions = () => read('/sessions')

  it('lists those who are signed in, newest first, until their eight hours are over', async () => {
    expect(await sessions()).toMatchObject([
      { operator: 'support', role: 'support', signed_in_by: 'key', created_at: '2026-11-21T12:01:00Z' },
      { operator: 'owner', expires_at: '2026-11-21T20:00:00Z' },
    ])
    expect(await read('/audit')).toMatchObject([
      { act: 'operator.sign_in', actor: 'support' },
      { actor: 'owner' },
    ])
    const { text } = await support.open('/console/operators')
    expect(wordsOf(text)).toMatch(/support support operator key .* This session owner owner operator key/)
    expect(text).not.toContain('/revoke')
    world.clock.advance(8 * 3_600_000 - 60_000)
    expect(await sessions()).toHaveLength(1)
  })

  it('shows the newest and how many there are besides, however many signed in', async () => {
    await database().query(signInOften, [])
    await actOften(database(), { userId: '', act: 'operator.revoke', times: 60 })
    const { text } = await owner.open('/console/operators')
    expect(text.match(/\/revoke"/g)).toHaveLength(40)
    expect(wordsOf(text)).toContain('Older sessions that are not shown: 442.')
    expect(bytesOf(text, world)).toBeLessThan(60_000)
  })

  it('ends a session for a reason, once, however often the form is sent', async () => {
    const [{ session_id: id }] = await sessions()
    const path = `/console/sessions/${id}/revoke`
    const page = await owner.open(path)
    expect(wordsOf(page.text)).toMatch(/Session · support 21 November 2026 at 21:01/)
    const fields = fieldsOfAct(page.text)
    expect((await owner.submit(path, fields)).status).toBe(422)
    const send = () => owner.submit(path, { ...fields, why: 'lost laptop' })
    const answers = [...(await Promise.all([send(), send()])), await send()]
    const targets = new Set(answers.map(({ headers }) => headers.get('location')))
    expect([...targets]).toEqual([expect.stringMatching(/\/console\/operators\?done=act_/)])
    expect((await support.open()).status).toBe(303)
    const audit = await read('/audit')
    expect(audit).toHaveLength(3)
    expect(audit.filter(({ act }: { act: string }) => act === 'operator.revoke')).toMatchObject([
      { actor: 'owner', why: 'lost laptop', after: { session_id: id, operator: 'support' } },
    ])
    expect((await owner.open(path)).status).toBe(409)
    const again = await operatorOf(world, ROLE_KEYS.owner).post(`/sessions/${id}/revoke`, { why: 'x' })
    expect([again.status, again.body]).toMatchObject([409, { code: 'already_revoked' }])
    expect(again.body.revoked_at).toMatch(/^2026-11-21T/)
  })

  it('has acts in the journal, found by a filter that the next page keeps', async () => {
    const api = operatorOf(world, ROLE_KEYS.owner)
    const { paymentId } = await world.as('user-1').buy()
    await api.post('/users/user-1/grant', { days: 3, why: 'an outage' })
    // The journal is sorted by milliseconds.
    world.clock.advance(1)
    await api.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await actOften(database(), { userId: '', act: 'operator.revoke', times: 60 })
    const open = async (query: string) => {
      const { text } = await owner.open(`/console/trail${query}`)
      const [trail = ''] = /<main.*<\/main>/s.exec(text) ?? []
      const next = /href="[^"]*(\?[^"]*cursor=[^"#]*)/.exec(trail)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const words = wordsOf(trail).match(/owner (Days granted|Refund recorded|Session ended)/g)
      return { next, words: words ?? wordsOf(trail), isSmall: Buffer.byteLength(text) < 60_000 }
    }
    const { words: granted } = await open('?act=user.grant&actor=owner&day=2026-11-21')
    expect(granted).toEqual(['owner Days granted'])
    expect((await open(`?payment_id=${paymentId}`)).words).toEqual(['owner Refund recorded'])
    expect((await open('?user_id=user-1')).words).toEqual(['owner Refund recorded', 'owner Days granted'])
    expect((await open('?actor=nobody')).words).toContain('Nobody and nothing matches.')
    const { next, isSmall } = await open('?act=operator.revoke')
    expect([isSmall, next.includes('act=operator.revoke')]).toEqual([true, true])
    expect((await open(next)).words.length).toBeGreaterThan(0)
    expect((await owner.open('/console/trail?day=2026-02-31')).status).toBe(422)
  })

  it('lets no other role end one', async () => {
    const [, { session_id: id }] = await sessions()
    const path = `/console/sessions/${id}/revoke`
    expect((await support.open(path)).status).toBe(403)
    const fields = { why: 'x', operation_id: 'x'.repeat(22), version: '0' }
    expect((await support.submit(path, fields)).status).toBe(403)
    const { text } = await owner.open('/console/trail')
    expect(wordsOf(text)).toContain('support Refused Role not allowed: End the session')
    expect((await owner.open()).status).toBe(200)
  })
})
