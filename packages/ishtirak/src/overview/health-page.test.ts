// The page of the service's health, and the operation that it shows.

import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { createChargily } from '../checkout/gateways/chargily/chargily.js'
import { examineService, watchGateways } from './examine.js'

const switchOff = sql(`insert into event_endpoint (url, deliver_from, disabled_at, disabled_because)
   values ('http://127.0.0.1:9/events', '2026-01-01', '2026-11-21', 'answered 410')`)

const START = '/console/reconciliations/start'

const ENV = {
  EVENTS_ALLOW_PRIVATE: 'true',
  EVENTS_SECRETS: `whsec_${'A'.repeat(32)}`,
  EVENTS_URL: 'http://127.0.0.1:9/events',
}

describeScenario('the health of the service', ({ database }) => {
  let world: World
  beforeEach(async () => {
    // Before the start, so that nothing is sent.
    await database().query(switchOff, [])
    world = await createWorld(database(), { env: ENV })
  })
  afterEach(() => world.stop())

  it('is what doctor says, with each job and when it last ran', async () => {
    const before = (await operatorOf(world).get('/health')).body
    const found = Object.fromEntries(
      before.checks.map(({ subject, verdict }: Record<string, string>) => [subject, verdict]),
    )
    expect(found).toMatchObject({ database: 'ok', schema: 'ok', clock: 'ok', provider: 'ok', mail: 'warn' })
    expect(before.checks).toContainEqual({
      ...{ subject: 'events', verdict: 'fail', found: 'EVENTS_URL is switched off: answered 410' },
      remedy: 'repair the receiver, then run: ishtirak events resend-waiting',
    })
    const job = { name: 'check-due-payments', every_seconds: 10, last_failed_at: null }
    expect(before.jobs).toContainEqual({ ...job, last_run_at: null })
    await world.advance(3_600)
    const { jobs } = (await operatorOf(world).get('/health')).body
    expect(jobs).toContainEqual({ ...job, last_run_at: '2026-11-21T13:00:00Z' })
  })

  it('names a variable of the environment only to owners', async () => {
    const found = async (role: 'owner' | 'viewer') =>
      wordsOf((await (await enterConsole(world, ROLE_KEYS[role])).open('/console/health')).text)
    const remedy = 'set SMTP_URL to send receipts and reminders'
    expect([(await found('owner')).includes(remedy), (await found('viewer')).includes(remedy)]).toEqual([
      true,
      false,
    ])
  })

  it('says where the mail of the sandbox is', async () => {
    const config = { ...world.config, sandbox: { port: 0 } }
    const services = { database: database(), clock: world.clock }
    const checks = await examineService(config, services, { gateways: [], capabilities: [] })
    const found = 'kept in memory; /_sandbox/mails shows the newest'
    expect(checks).toContainEqual(expect.objectContaining({ subject: 'mail', verdict: 'ok', found }))
  })

  it('warns of an embedded database of a live shop that was never backed up', async () => {
    const away = createChargily({ secretKey: 'live_sk_0123456789', apiUrl: 'http://127.0.0.1:9' })
    const ofBackup = async () => {
      const services = { database: database(), clock: world.clock }
      const checks = await examineService(world.config, services, {
        gateways: watchGateways([away]),
        capabilities: [],
      })
      return checks.filter(({ subject }) => subject === 'backup').map(({ verdict }) => verdict)
    }
    const isEmbedded = database().kind === 'pglite'
    expect(await ofBackup()).toEqual(isEmbedded ? ['warn'] : [])
    expect((await operatorOf(world).get('/backup')).status).toBe(200)
    expect(await ofBackup()).toEqual(isEmbedded ? ['ok'] : [])
  })

  it('has a page, with the last reconciliation and what waits for the platform', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    expect(wordsOf((await visit.open('/console/health')).text)).toContain(
      'There has been no reconciliation yet.',
    )
    const french = await enterConsole(world, OPERATOR_KEY, 'fr')
    expect(wordsOf((await french.open('/console/health')).text)).toMatch(/ Horloge à \d+(,\d)? s au plus /)
    await operatorOf(world).post('/reconciliations/start', { since: '2026-11-01', why: 'x' })
    const { text } = await visit.open('/console/health')
    const words = wordsOf(text)
    for (const part of [
      ...['failed Events EVENTS_URL is switched off: answered 410 repair the receiver', 'Started by amina'],
      ...['The platform’s address switched off', 'Events waiting 2', 'Payment booked user-1'],
      'Deliver events to the platform 1 s',
    ])
      expect([part, words.includes(part)]).toEqual([part, true])
    expect(text).not.toContain(paymentId)
    expect(bytesOf(text, world)).toBeLessThan(60_000)
  })

  it('says that nothing is sent where no address is set, or an earlier one was switched off', async () => {
    await world.stop()
    world = await createWorld(database())
    await world.as('user-1').buy()
    const words = wordsOf((await (await enterConsole(world, OPERATOR_KEY)).open('/console/health')).text)
    expect(words).toContain('Events sending is off: events are written and kept')
    expect(words).toContain('address none is set: events are kept, and not sent Events waiting 2')
    expect(words).not.toContain('switched off')
  })

  it('resends an event, skips it and starts a reconciliation; each once, and in the trail', async () => {
    await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const [event] = (await operatorOf(world).get('/events?state=waiting')).body.data
    const own = `/console/events/${event.id}`
    for (const [path, fields, at, words] of [
      [`${own}/resend`, {}, '/console/users/user-1', 'Events sent again'],
      [`${own}/skip`, { why: 'x' }, '/console/users/user-1', 'Event skipped'],
      ['/console/events/resend-waiting', {}, '/console/health', 'All waiting events sent again'],
      [START, { since: '2026-11-01' }, '/console/health', 'Reconciliation started'],
    ] as const) {
      // The page shows the newest five acts, and of one instant any.
      world.clock.advance(1_000)
      const { fields: asked } = await visit.ask(path, `?${new URLSearchParams(fields)}`)
      const submit = (more = {}) => visit.submit(path, { ...asked, ...fields, ...more })
      const [first, ...others] = await Promise.all([submit(), submit(), submit()])
      const to = first?.headers.get('location') ?? ''
      expect([words, ...others.map(({ headers }) => headers.get('location'))]).toEqual([words, to, to])
      expect([words, to.slice(world.base.length).split('=')[0]]).toEqual([words, `${at}?done`])
      expect([words, (await submit()).headers.get('location')]).toEqual([words, to])
      const done = await visit.open(to.slice(world.base.length))
      const trail = done.text.slice(done.text.indexOf('id="trail"'))
      expect(trail.split(`<bdi>${words}</bdi>`)).toHaveLength(2)
      expect((await submit({ form_token: 'x' })).status).toBe(403)
    }
    expect((await operatorOf(world).get('/reconciliations')).body.data).toHaveLength(1)
    expect((await operatorOf(world).get('/events')).body.endpoint.disabled_at).toBeNull()
  })
})
