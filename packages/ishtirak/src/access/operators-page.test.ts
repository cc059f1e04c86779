import { beforeEach, expect, it } from 'vitest'
import { actOften, type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'

/** As a program that signs in every minute. */
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

  const sessions = async () => (await operatorOf(world, ROLE_KEYS.viewer).get('/sessions')).body

  it('lists those who are signed in, newest first, until their eight hours are over', async () => {
    const { data, audit } = await sessions()
    expect(data).toMatchObject([
      { operator: 'support', role: 'support', signed_in_by: 'key', created_at: '2026-11-21T12:01:00Z' },
      { operator: 'owner', expires_at: '2026-11-21T20:00:00Z' },
    ])
    expect(audit).toMatchObject([{ act: 'operator.sign_in', actor: 'support' }, { actor: 'owner' }])
    const { text } = await support.open('/console/operators')
    expect(wordsOf(text)).toMatch(/support support operator key .* This session owner owner operator key/)
    expect(text).not.toContain('/revoke')
    world.clock.advance(8 * 3_600_000 - 60_000)
    expect((await sessions()).data).toHaveLength(1)
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
    const [{ session_id: id }] = (await sessions()).data
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
    const { audit } = await sessions()
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
    // The journal is in the order of the milliseconds.
    world.clock.advance(1)
    await api.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await actOften(database(), { userId: '', act: 'operator.revoke', times: 60 })
    const open = async (query: string) => {
      const { text } = await owner.open(`/console/trail${query}`)
      const [, trail = ''] = /<h2 id="trail"(.*?)<\/section>/s.exec(text) ?? []
      const next = /href="[^"]*(\?[^"]*cursor=[^"#]*)/.exec(trail)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const words = wordsOf(trail).match(/owner (Days granted|Refund recorded|Session ended)/g)
      return { next, words: words ?? wordsOf(trail), isSmall: Buffer.byteLength(text) < 60_000 }
    }
    const { words: granted } = await open('?act=user.grant&actor=owner&day=2026-11-21')
    expect(granted).toEqual(['owner Days granted'])
    expect((await open(`?about=${paymentId}`)).words).toEqual(['owner Refund recorded'])
    expect((await open('?about=user-1')).words).toEqual(['owner Refund recorded', 'owner Days granted'])
    expect((await open('?actor=nobody')).words).toContain('Nothing matches the filter.')
    const { next, isSmall } = await open('?act=operator.revoke')
    expect([isSmall, next.includes('act=operator.revoke')]).toEqual([true, true])
    expect((await open(next)).words.length).toBeGreaterThan(0)
    expect((await owner.open('/console/trail?day=2026-02-31')).status).toBe(422)
  })

  it('lets no other role end one', async () => {
    const [, { session_id: id }] = (await sessions()).data
    const path = `/console/sessions/${id}/revoke`
    expect((await support.open(path)).status).toBe(403)
    const fields = { why: 'x', operation_id: 'x'.repeat(22), version: '0' }
    expect((await support.submit(path, fields)).status).toBe(403)
    const { text } = await owner.open('/console/trail')
    expect(wordsOf(text)).toContain('support Refused Role not allowed: End the session')
    expect((await owner.open()).status).toBe(200)
  })
})
