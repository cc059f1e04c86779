// The page of the service's health, and the operation that it shows.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { permissionNamed } from '../../../../test/support/permissions.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { ROLES, rolesThatMay } from '../core/role.js'
import { statement } from '../database/database.js'

const switchOff = statement(
  'test.health_page.switch_off',
  `insert into event_endpoint (url, deliver_from, disabled_at, disabled_because)
   values ('http://127.0.0.1:9/events', '2026-01-01', '2026-11-21', 'answered 410')`,
)

describeScenario('the health of the service', ({ database }) => {
  let world: World
  beforeEach(async () => {
    const secrets = {
      EVENTS_ALLOW_PRIVATE: 'true',
      EVENTS_SECRETS: `whsec_${'A'.repeat(32)}`,
      EVENTS_URL: 'http://127.0.0.1:9/events',
    }
    // Before the start, so that nothing is sent.
    await database().query(switchOff, [])
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, ...secrets } })
  })
  afterEach(() => world.stop())

  it('is what doctor says, with each job and when it last ran', async () => {
    const before = (await operatorOf(world).get('/health')).body
    const found = Object.fromEntries(
      before.checks.map(({ subject, verdict }: Record<string, string>) => [subject, verdict]),
    )
    expect(found).toMatchObject({ database: 'ok', schema: 'ok', clock: 'ok', provider: 'ok', mail: 'warn' })
    expect(before.checks).toContainEqual({
      subject: 'events',
      verdict: 'fail',
      found: 'EVENTS_URL is switched off: answered 410',
      remedy: 'mend the receiver, then: ishtirak events resend-waiting',
    })
    const job = { name: 'check-due-payments', every_seconds: 10, last_failed_at: null }
    expect(before.jobs).toContainEqual({ ...job, last_run_at: null })
    await world.advance(3_600)
    const { jobs } = (await operatorOf(world).get('/health')).body
    expect(jobs).toContainEqual({ ...job, last_run_at: '2026-11-21T13:00:00Z' })
  })

  it('has a page, with the last comparison and what waits for the platform', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    expect(wordsOf((await visit.open('/console/health')).text)).toContain('There has been no comparison yet.')
    await operatorOf(world).post('/reconciliations/start', { since: '2026-11-01', why: 'x' })
    const { text } = await visit.open('/console/health')
    const words = wordsOf(text)
    for (const part of [
      'failed Events EVENTS_URL is switched off: answered 410 mend the receiver',
      'Started by amina',
      'The platform’s address switched off',
      'Events waiting 2',
      'Payment booked user-1',
      'Deliver events to the platform 1 s',
    ])
      expect([part, words.includes(part)]).toEqual([part, true])
    expect(text).not.toContain(paymentId)
    expect(bytesOf(text, world)).toBeLessThan(60_000)
  })

  it(
    'says that nothing is sent where no address is set, also where an earlier one was switched ' + 'off',
    async () => {
      await world.stop()
      world = await createWorld(database(), { env: OPERATOR_ENV })
      await world.as('user-1').buy()
      const words = wordsOf((await (await enterConsole(world, OPERATOR_KEY)).open('/console/health')).text)
      expect(words).toContain('Events sending is off: events are written and kept')
      expect(words).toContain('address none is set: events are kept, and not sent Events waiting 2')
      expect(words).not.toContain('switched off')
    },
  )

  it(
    'sends an event again, skips it, and starts a comparison; each once, and with its line in the ' + 'trail',
    async () => {
      await world.as('user-1').buy()
      const visit = await enterConsole(world, OPERATOR_KEY)
      const [event] = (await operatorOf(world).get('/events?state=waiting')).body.data
      const acts: readonly [
        path: string,
        fields: Record<string, string>,
        at: string,
        act: string,
        words: string,
      ][] = [
        [
          `/console/events/${event.id}/resend`,
          {},
          '/console/users/user-1',
          'event.resend',
          'Events sent again',
        ],
        [
          `/console/events/${event.id}/skip`,
          { why: 'x' },
          '/console/users/user-1',
          'event.skip',
          'Event skipped',
        ],
        [
          '/console/events/resend-waiting',
          {},
          '/console/health',
          'event.resend_waiting',
          'All waiting events sent again',
        ],
        [
          '/console/reconciliations/start',
          { since: '2026-11-01' },
          '/console/health',
          'reconciliation.start',
          'Comparison started',
        ],
      ]
      for (const [path, fields, at, act, words] of acts) {
        // The page shows the newest five acts, and of one instant any.
        world.clock.advance(1_000)
        const { text } = await visit.open(path)
        const operation_id = /name="operation_id" value="([^"]+)"/.exec(text)?.[1] ?? ''
        const submit = () => visit.submit(path, { operation_id, version: '0', ...fields })
        const [first, ...others] = await Promise.all([submit(), submit(), submit()])
        const to = first?.headers.get('location') ?? ''
        expect([act, ...others.map(({ headers }) => headers.get('location'))]).toEqual([act, to, to])
        expect([act, to.slice(world.base.length).split('=')[0]]).toEqual([act, `${at}?done`])
        expect([act, (await submit()).headers.get('location')]).toEqual([act, to])
        const done = await visit.open(to.slice(world.base.length))
        const trail = done.text.slice(done.text.indexOf('id="trail"'))
        expect(trail.split(`<bdi>${words}</bdi>`)).toHaveLength(2)
        expect(
          (await visit.submit(path, { operation_id, version: '0', ...fields, form_token: 'x' })).status,
        ).toBe(403)
      }
      expect((await operatorOf(world).get('/reconciliations')).body.data).toHaveLength(1)
      expect((await operatorOf(world).get('/events')).body.endpoint.disabled_at).toBeNull()
    },
  )

  it('sends an event again once, however much later the form is sent again', async () => {
    await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const [event] = (await operatorOf(world).get('/events?state=waiting')).body.data
    const resend = await visit.ask(`/console/events/${event.id}/resend`)
    await visit.submit(resend.path, resend.fields)
    const skip = await visit.ask(`/console/events/${event.id}/skip`)
    await visit.submit(skip.path, { ...skip.fields, why: 'x' })
    expect((await visit.submit(resend.path, resend.fields)).headers.get('location')).toContain('?done=act_')
    const { data } = (await operatorOf(world).get('/events')).body
    expect(data.find(({ id }: { id: string }) => id === event.id).state).toBe('set_aside')
  })

  it('asks again for a reason or a day that cannot be, as it was typed', async () => {
    await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const [event] = (await operatorOf(world).get('/events?state=waiting')).body.data
    for (const [path, field, typed] of [
      [`/console/events/${event.id}/skip`, 'why', ' '],
      [`/console/events/${event.id}/resend`, 'why', '\u200b'],
      ['/console/events/resend-waiting', 'why', '\u200b'],
      ['/console/reconciliations/start', 'since', '2026-02-31'],
    ] as const) {
      const { fields } = await visit.ask(path)
      const again = await visit.submit(path, { ...fields, [field]: typed })
      expect([path, again.status]).toEqual([path, 422])
      expect(again.text).toContain(`aria-describedby="wrong-${field}"`)
      expect(fieldsOfAct(again.text)).toMatchObject({ operation_id: expect.any(String), [field]: typed })
    }
  })

  it('lets each role do what it may, and nothing else', async () => {
    await world.stop()
    world = await createWorld(database(), { env: ROLES_ENV })
    await world.as('user-1').buy()
    const [event] = (await operatorOf(world, ROLE_KEYS.owner).get('/events')).body.data
    const [found, expected]: [unknown[], unknown[]] = [[], []]
    for (const role of ROLES) {
      const visit = await enterConsole(world, ROLE_KEYS[role])
      for (const [path, act] of [
        [`/console/events/${event.id}/resend`, 'event.resend'],
        [`/console/events/${event.id}/skip`, 'event.skip'],
        ['/console/events/resend-waiting', 'event.resend_waiting'],
        ['/console/reconciliations/start', 'reconciliation.start'],
      ] as const) {
        const may = rolesThatMay(permissionNamed(act)).includes(role)
        const operation_id = `${role}-of-${act}`.padEnd(22, '-').slice(0, 22).replaceAll('.', '_')
        const fields = { operation_id, version: '0', why: 'x', since: '2026-11-01' }
        found.push([role, act, (await visit.open(path)).status, (await visit.submit(path, fields)).status])
        expected.push([role, act, ...(may ? [200, 303] : [403, 403])])
      }
    }
    expect(found).toEqual(expected)
  })
})
