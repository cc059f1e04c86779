// An act on many: counted before, done to each once however processes die, and a result for each.

import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { performOrRepeat } from '../acts/perform.js'
import { BillingError } from '../core/error.js'
import { type Database, DatabaseUnavailable, type Row, type Statement } from '../database/database.js'
import { recordPayment } from '../desk/record-payment.js'
import { grantDays } from '../grants/grant.js'
import { claimTargets, markTargets } from './bulk.sql.js'
import type { BulkDeps } from './bulk-act.js'
import { workOff } from './work-off.js'

const WHY = 'outage of the 21st'
const OUTAGE = { active_from: '2026-11-21', active_until: '2026-11-21' }

/** User, grants, days. */
const ONCE_EACH = ['a', 'b', 'c'].map((user) => [user, 1, 7])

const selectGrants = sql(
  'select user_id, count(*)::int as grants, sum(days)::int as days from grants group by 1 order by 1',
)

const selectEvents = sql('select id from outbox order by sequence')

describeWorldOnEach('an act on many', {}, ({ world, database }) => {
  const owner = operatorOf(world, ROLE_KEYS.owner)
  beforeEach(async () => {
    for (const userId of ['a', 'b', 'c']) await pay(userId)
    await setProfile(world, 'd', { name: 'Never' })
  })

  /** At the desk, which takes no provider. */
  const pay = (userId: string) => {
    const paid = { plan: 'pro', method: 'cheque', amount: 2000, reference: `cheque of ${userId}` }
    const call = callBy(ownerNamed('tests'), userId, { ...paid, new_user: true, why: 'x' })
    return doAct(world.service.parts, recordPayment, call)
  }

  const grants = async () =>
    (await database().query(selectGrants, [])).map(({ user_id, grants, days }) => [user_id, grants, days])
  const grantAll = { act: 'user.grant', filter: OUTAGE, input: { days: 7 }, why: WHY }
  const start = async (body: object, operator = owner) => (await operator.post('/bulk/start', body)).body
  const work = (id: string) => workOff(world.service.parts, id, { most: 1_000 })
  /** Simulates a process whose queries pass through `seen`. */
  const watched = (
    seen: (sent: Statement, send: () => Promise<readonly Row[]>) => Promise<readonly Row[]>,
  ): BulkDeps => {
    const query: Database['query'] = (sent, ...given) => seen(sent, () => database().query(sent, ...given))
    return { ...world.service.parts, database: Object.assign(Object.create(database()), { query }) }
  }
  const results = async (id: string) => {
    const { data } = (await owner.get(`/bulk/${id}/results`)).body
    return data.map((one: Record<string, string>) => [one.target, one.code ?? one.result])
  }

  it('says before what it would do, and then does it to each, with one reason', async () => {
    const { why: _, ...asked } = grantAll
    const preview = (await owner.post('/bulk/start/preview', asked)).body
    const changed = preview.changes.filter(({ kind }: { kind: string }) => kind === 'access')
    expect(preview.changes[0]).toMatchObject({ what: 'bulkTargets', after: 3 })
    expect(changed.map(({ of }: { of: string }) => of)).toEqual(['a', 'b', 'c'])
    expect(changed[0].after.current_period_end).toBe('2026-12-28T12:00:00Z')
    expect(await grants()).toEqual([])
    const begun = await start({ ...grantAll, operation_id: 'outage-1' })
    expect(begun).toMatchObject({ targets: 3, left: 3, finished_at: null })
    // A payment after the confirmation is not on the list.
    await pay('late')
    await world.advance(1)
    const done = (await owner.get(`/bulk/${begun.id}`)).body
    expect(done).toMatchObject({ done: 3, refused: 0, left: 0 })
    expect(done.finished_at).not.toBeNull()
    expect(await grants()).toEqual(ONCE_EACH)
    const { data } = (await owner.get('/audit?act=user.grant')).body
    expect(data.map((act: { why: string }) => act.why)).toEqual([WHY, WHY, WHY])
    // Sent again, it is answered with how far it is; asking for something else it is refused.
    expect((await start({ ...grantAll, operation_id: 'outage-1' })).id).toBe(begun.id)
    const longer = { ...grantAll, input: { days: 8 }, operation_id: 'outage-1' }
    const other = await owner.post('/bulk/start', longer)
    expect(other.status).toBe(409)
    expect((await owner.get('/bulk')).body.data).toHaveLength(1)
  })

  it('gives its results as a file, of which the trail tells', async () => {
    const { id } = await start(grantAll)
    await work(id)
    const fileFor = (role: 'viewer' | 'support') =>
      world.call('GET', `/api/v1/operator/bulk/${id}/file`, {
        headers: { authorization: `Bearer ${ROLE_KEYS[role]}` },
      })
    expect((await fileFor('support')).text).toBe('target,result,code\r\na,done,\r\nb,done,\r\nc,done,\r\n')
    expect((await fileFor('viewer')).status).toBe(403)
    const { data } = (await owner.get('/audit?act=bulk.export')).body
    expect(data).toMatchObject([{ actor: 'support', after: { file: id, bulk_id: id } }])
    const pages = [await owner.get('/bulk?limit=1')]
    expect(pages.map(({ body }) => body)).toMatchObject([{ data: [{ id }], next_cursor: null }])
    const beyond = Buffer.from('[253402300799999]').toString('base64url')
    expect((await owner.get(`/bulk/${id}/results?cursor=${beyond}`)).body.data).toEqual([])
  })

  it('is begun once of two sendings at the same moment', async () => {
    const send = () => start({ ...grantAll, operation_id: 'outage' })
    const sent = await Promise.all([send(), send()])
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    await work(sent[0].id)
    expect((await grants()).map(([, count]) => count)).toEqual([1, 1, 1])
  })

  it('takes payments and events by their ids, and refuses one that nobody has', async () => {
    const payments = (await owner.get('/payments')).body.data.map(({ id }: { id: string }) => id)
    const events = (await database().query(selectEvents)).map(({ id }) => String(id))
    for (const [act, known] of [
      ['payment.recheck', payments],
      ['event.resend', events],
    ] as const) {
      expect(known.length).toBeGreaterThanOrEqual(3)
      const { id } = await start({ act, ids: [...known, 'none'], why: WHY })
      await work(id)
      expect(await results(id)).toEqual([...known.map((one: string) => [one, 'done']), ['none', 'not_found']])
    }
  })

  it('is confirmed for the very list that was shown: another one is shown, and asked for again', async () => {
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    const of = { act: 'user.grant', 'of.ends_from': '2026-12-01' }
    const path = '/console/bulk/start'
    // Without one, its page says where it begins.
    expect((await visit.ask('/console/bulk')).words).toContain('then “Act on all of these”')
    await setProfile(world, 'b', { name: 'Zahra' })
    const opened = await visit.open(`${path}?on=user&of.ends_from=2026-12-01`)
    // The link from the list of users carries what is in the list. Nothing was typed, so nothing is wrong.
    expect([opened.status, opened.text.includes('role="alert"')]).toEqual([200, false])
    const choices = [...opened.text.matchAll(/<option value="([^"]+)/g)]
    const [harmless, ...others] = choices.map(([, act]) => act)
    expect([harmless, others.slice(-2)]).toEqual(['user.grant', expect.arrayContaining(['user.end'])])
    const chosen = await visit.submit(path, of)
    expect([chosen.status, chosen.text.includes('role="alert"')]).toEqual([200, false])
    expect((await visit.submit(path, { ...of, days: '' })).status).toBe(422)
    const asked = await visit.ask(path, `?${new URLSearchParams({ ...of, days: '7' })}`)
    expect(asked.words).toContain('Targets 3')
    expect(asked.words).toContain('Access · Zahra')
    const confirm = (fields: Record<string, string>) => visit.submit(path, { ...fields, ...of, why: WHY })
    // One leaves and one enters: as many as before, and others.
    await owner.post('/users/a/end', { why: 'fraud' })
    await pay('e')
    for (const times of [1, 2]) {
      const { status, text } = await confirm(asked.fields)
      expect([times, status]).toEqual([times, 409])
      expect(wordsOf(text)).toMatch(/Nothing was done yet.* Targets 3 /)
    }
    expect((await owner.get('/bulk')).body.data).toEqual([])
    await pay('f')
    const again = await confirm(asked.fields)
    expect(wordsOf(again.text)).toContain('Targets 4')
    const done = await confirm(fieldsOfAct(again.text))
    expect(done.status).toBe(303)
    const [bulk] = (await owner.get('/bulk')).body.data
    expect(bulk).toMatchObject({ targets: 4, why: WHY })
    await work(bulk.id)
    expect((await grants()).map(([user]) => user)).toEqual(['b', 'c', 'e', 'f'])
    expect((await visit.ask(`/console/bulk/${bulk.id}`)).words).toContain('Zahra b done')
  })

  it('counts once where a process dies between the act and its mark, or two work at once', async () => {
    const { id } = await start(grantAll)
    const { parts } = world.service
    const now = world.clock.now()
    const [claimed] = await claimTargets(database(), id, { now, leaseMs: 120_000, most: 1 })
    const by = { operator: { name: 'owner', role: 'owner' as const }, reason: WHY, operationId: id }
    const call = { id: claimed?.target ?? '', input: { days: 7, why: WHY }, by }
    await performOrRepeat(grantDays, parts, call)
    // Killed here. Two others find the rest, and the lease's end gives them what it left.
    await Promise.all([work(id), work(id)])
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 2, left: 1, finished_at: null })
    world.clock.advance(121_000)
    await Promise.all([work(id), work(id)])
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 3, left: 0 })
    expect(await grants()).toEqual(ONCE_EACH)
  })

  it('counts once what somebody did meanwhile under its name, though a first try does not look', async () => {
    const { id } = await start(grantAll)
    const { parts } = world.service
    const by = { operator: { name: 'owner', role: 'owner' as const }, reason: WHY, operationId: id }
    const call = { id: 'b', input: { days: 7, why: WHY }, by }
    await performOrRepeat(grantDays, parts, call)
    await work(id)
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 3, refused: 0, left: 0 })
    expect((await grants()).map(([, count]) => count)).toEqual([1, 1, 1])
  })

  /** As where the database takes what is changed for one user, and its answer is lost. */
  const losesAnswers = () =>
    watched(async ({ name }, send) => {
      const rows = await send()
      if (/^(settlements|audit)\./.test(name)) throw new DatabaseUnavailable('the answer is lost')
      return rows
    })

  it('tells none as failed that was done and whose answer is lost, and waits longer each time', async () => {
    const { id } = await start({ ...grantAll, filter: undefined, ids: ['a'] })
    const claims = []
    for (let tries = 0; tries <= 6; tries++) {
      claims.push(await workOff(losesAnswers(), id, { most: 1_000 }))
      world.clock.advance(121_000)
    }
    // Each attempt is leased for longer than the one before.
    expect(claims).toEqual([1, 1, 0, 1, 0, 0, 1])
    expect(await grants()).toEqual([['a', 1, 7]])
    const { data } = (await owner.get(`/bulk/${id}/results`)).body
    expect(data).toEqual([{ target: 'a', result: null, code: 'database_unavailable' }])
    world.clock.advance(3 * 121_000)
    await work(id)
    expect(await results(id)).toEqual([['a', 'done']])
    expect(await grants()).toEqual([['a', 1, 7]])
  })

  it('stops at once what waits for an answer, and says that it may have been done', async () => {
    const { id } = await start(grantAll)
    await workOff(losesAnswers(), id, { most: 1_000 })
    await owner.post(`/bulk/${id}/stop`, { why: 'the database is gone for a day' })
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 0, stopped: 3, left: 0 })
    expect(await results(id)).toEqual(['a', 'b', 'c'].map((user) => [user, 'outcome_unknown']))
    const visit = await enterConsole(world, ROLE_KEYS.owner)
    expect((await visit.ask(`/console/bulk/${id}`)).words).toContain(
      'c stopped may have been done: look before repeating it',
    )
  })

  it('says done of what was done, whatever a slower process says of an earlier attempt', async () => {
    const { id } = await start({ ...grantAll, filter: undefined, ids: ['a'] })
    const failing = vi.spyOn(grantDays, 'plan').mockRejectedValue(new BillingError('provider_unavailable'))
    for (let attempt = 1; attempt <= 2; attempt++) {
      await work(id)
      world.clock.advance(attempt * 121_000)
    }
    const slow = watched(async ({ name }, send) => {
      if (name !== 'bulk.mark') return send()
      // It hangs before it says that the third has failed; another does it, and is slow too.
      failing.mockRestore()
      world.clock.advance(363_000)
      const other = watched(async (sent, sendOther) => {
        if (sent.name === 'bulk.mark') await send()
        return sendOther()
      })
      await workOff(other, id, { most: 1_000 })
      return []
    })
    await workOff(slow, id, { most: 1_000 })
    expect(await grants()).toEqual([['a', 1, 7]])
    expect(await results(id)).toEqual([['a', 'done']])
  })

  it('gives the others their turn where some fail by a bug', async () => {
    const broken = Array.from({ length: 8 }, (_, place) => `x${place}`)
    const { id } = await start({ ...grantAll, filter: undefined, ids: [...broken, 'a'] })
    const { plan } = grantDays
    const failing = vi.spyOn(grantDays, 'plan').mockImplementation(async (deps, call) => {
      if (call.id !== 'a') throw new Error('a bug')
      return plan(deps, call)
    })
    await work(id)
    failing.mockRestore()
    expect(await results(id)).toEqual([...broken.map((user) => [user, 'internal_error']), ['a', 'done']])
  })

  it('gives each act on many its turn, a chunk at a time', async () => {
    const many = Array.from({ length: 150 }, (_, place) => `x${place}`)
    const first = await start({ ...grantAll, filter: undefined, ids: many })
    world.clock.advance(1_000)
    const second = await start({ ...grantAll, filter: undefined, ids: ['a'] })
    const chunks: string[] = []
    const deps = watched(async ({ name }, send) => {
      if (name === 'bulk.mark') chunks.push((await results(second.id))[0]?.[1])
      return send()
    })
    await workOff(deps, null, { most: 1_000 })
    // Before the second chunk of the first list, the second list is done.
    expect(chunks).toEqual([null, null, 'done'])
    expect((await owner.get(`/bulk/${first.id}`)).body).toMatchObject({ refused: 150, left: 0 })
  })

  it('has a refusal as a result; ids count once, and one that nobody has is refused', async () => {
    const ids = ['a', 'nobody', 'a', 'b']
    const support = operatorOf(world, ROLE_KEYS.support)
    await support.post('/users/b/grant', { days: 29, why: WHY })
    const { id } = await start({ act: 'user.grant', ids, input: { days: 2 }, why: WHY }, support)
    await work(id)
    expect(await results(id)).toEqual([
      ['a', 'done'],
      ['nobody', 'not_found'],
      ['b', 'role_not_allowed'],
    ])
    const ended = await start({ act: 'user.end', ids: ['a', 'd'], why: WHY })
    await work(ended.id)
    expect(await results(ended.id)).toEqual([
      ['a', 'done'],
      ['d', 'conflict'],
    ])
  })

  it('is stopped by hand, and where the operator is not known any more', async () => {
    const { id } = await start(grantAll)
    const stopped = await owner.post(`/bulk/${id}/stop`, { why: 'wrong list' })
    expect(stopped.body).toMatchObject({ stopped: 3, left: 0, stopped_because: 'owner: wrong list' })
    expect((await owner.post(`/bulk/${id}/stop`, { why: 'again' })).status).toBe(409)
    const next = await start(grantAll)
    await workOff({ ...world.service.parts, operatorKeys: [] }, next.id, { most: 10 })
    expect((await owner.get(`/bulk/${next.id}`)).body.stopped_because).toBe('operator_unknown')
    expect(await grants()).toEqual([])
  })

  it('leaves nothing open where it is stopped and the process that was at it dies', async () => {
    const { id } = await start(grantAll)
    const claim = { leaseMs: 60_000, most: 2 }
    const tried = await claimTargets(database(), id, { ...claim, now: world.clock.now() })
    const waiting = tried.map(({ place }) => ({ place, result: null, code: 'database_unavailable' }))
    await markTargets(database(), id, waiting)
    world.clock.advance(61_000)
    await claimTargets(database(), id, { ...claim, now: world.clock.now() })
    const stopped = await owner.post(`/bulk/${id}/stop`, { why: 'wrong list' })
    expect(stopped.body).toMatchObject({ stopped: 1, left: 2, stopped_because: 'owner: wrong list' })
    expect((await owner.post(`/bulk/${id}/stop`, { why: 'again' })).status).toBe(409)
    await work(id)
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ stopped: 1, left: 2 })
    world.clock.advance(121_000)
    await work(id)
    const after = (await owner.get(`/bulk/${id}`)).body
    expect(after).toMatchObject({ done: 0, stopped: 3, left: 0, finished_at: expect.any(String) })
    // It died with two of them.
    expect((await results(id)).map(([, became]: string[]) => became)).toEqual([
      'outcome_unknown',
      'outcome_unknown',
      'stopped',
    ])
    expect(await grants()).toEqual([])
  })

  it('goes on with nothing where the operator is blocked in the middle of it', async () => {
    const wanted = { name: 'nadia', role: 'owner', why: WHY }
    const nadia = operatorOf(world, (await owner.post('/operators/create', wanted)).body.key)
    const ids = Array.from({ length: 201 }, (_, place) => `x${place}`)
    const asked = { act: 'user.grant', ids: [...ids, 'a'], input: { days: 2 }, why: WHY }
    const { id } = await start(asked, nadia)
    let claims = 0
    const deps = watched(async ({ name }, send) => {
      if (name === 'bulk.claim') claims++
      if (name === 'bulk.claim' && claims === 2) await owner.post('/operators/nadia/block', { why: 'left' })
      return send()
    })
    await workOff(deps, id, { most: 1_000 })
    const after = (await owner.get(`/bulk/${id}`)).body
    expect(await grants()).toEqual([])
    expect(after).toMatchObject({ refused: 200, stopped: 2, left: 0, stopped_because: 'operator_unknown' })
  })

  it('is refused to an act that is none on many, to a list that does not fit, and to a role', async () => {
    const uids = Array.from({ length: 10_001 }, (_, n) => `u${n}`)
    const bodies: Readonly<Record<string, readonly [body: object, pointer: string]>> = {
      'an act that asks something else for each': [{ act: 'payment.approve', ids: ['x'] }, '/act'],
      'an address for many': [
        { act: 'user.correct_address', ids: ['a'], input: { email: 'x@y.dz' } },
        '/act',
      ],
      'a key that is lost': [{ act: 'operator.new_key', ids: ['a'] }, '/act'],
      'one count for many days': [{ act: 'drawer.count', ids: ['2026-11-20'] }, '/act'],
      'a month': [{ act: 'month.close', ids: ['2026-10'] }, '/act'],
      'an act on nothing': [{ act: 'codes.create', ids: ['x'] }, '/act'],
      'no act': [{ act: 'x', ids: ['x'] }, '/act'],
      'input that does not fit': [{ act: 'user.grant', ids: ['a'], input: { days: 0 } }, '/days'],
      'no list': [{ act: 'user.end' }, '/filter'],
      'two lists': [{ act: 'user.end', ids: ['a'], filter: { plan: 'pro' } }, '/filter'],
      'everybody, by a filter that was forgotten': [{ act: 'user.end', filter: {} }, '/filter'],
      'an empty list': [{ act: 'user.end', filter: { plan: 'none' } }, '/filter'],
      'a filter of nothing': [{ act: 'user.end', filter: { color: "'; --" } }, '/color'],
      '10,001 ids': [{ act: 'user.end', ids: uids }, '/ids'],
    }
    const found = []
    for (const [name, [body]] of Object.entries(bodies)) {
      const { status, body: refused } = await owner.post('/bulk/start', { ...body, why: WHY })
      found.push([name, status, refused.errors?.[0].pointer])
    }
    expect(found).toEqual(Object.entries(bodies).map(([name, [, pointer]]) => [name, 422, pointer]))
    const support = operatorOf(world, ROLE_KEYS.support)
    for (const body of [
      { act: 'user.end', ids: ['a'] },
      { ...grantAll, input: { days: 31 } },
    ]) {
      const { status, body: refused } = await support.post('/bulk/start', { ...body, why: WHY })
      expect([status, refused.code]).toEqual([403, 'role_not_allowed'])
    }
    expect((await owner.get('/bulk')).body.data).toEqual([])
  })
})
