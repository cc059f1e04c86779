// Operators of any cell see one shop: what one service with all users would show, and what it lacks where a
// cell is gone.
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  CELLS_KEY,
  type CellWorlds,
  createCells,
  describeCells,
  usersOfCells,
} from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freePort } from '../../../../test/support/free-port.js'
import { listen } from '../../../../test/support/listen.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { Receiver } from '../../../../test/support/receiver.js'
import { relay } from '../../../../test/support/relay.js'
import { START, type World } from '../../../../test/support/world.js'
import type { CheckResult } from '../acts/check.js'
import { statement } from '../database/database.js'
import { CELL_HEADER, ROWS_PATH } from './cell-calls.js'

const actsAbout = statement(
  'test.shop.acts',
  'select actor, act, reason from audit where user_id = $1 order by acted_at',
)
const linkRequests = statement('test.shop.links', 'select email from portal_link_requests')
const refusals = statement('test.shop.refusals', `select actor from audit where act = 'operator.refused'`)

const consoleOf = (world: World, cookie: string) => world.call('GET', '/console', { headers: { cookie } })

describeCells('operators see one shop', (databases) => {
  const underReview = async (cells: CellWorlds, users: readonly string[]) => {
    const [{ emulator }] = cells.worlds as [CellWorlds['worlds'][number]]
    for (const user of users) {
      emulator.setFaults({ wrong_amount: { times: 1 } })
      await cells.of(user).as(user).buy()
      await cells.advance(1)
    }
  }

  it('the inbox of each cell is that of all', async () => {
    await using cells = await createCells(databases)
    const users = usersOfCells(cells, 2)
    await underReview(cells, users)
    for (const world of cells.worlds) {
      const { body } = await operatorOf(world).get('/inbox')
      expect(body.data.map((entry: { user_id: string }) => entry.user_id)).toEqual(users)
      expect(Object.values(body.counts)).toContain(6)
      expect(body).not.toHaveProperty('cells_missing')
    }
  })

  const gone = {
    'that is stopped': async () => ({
      servers: [`127.0.0.1:${await freePort()}`],
      stop: async () => undefined,
    }),
    'that hangs': async () => answering(() => undefined),
    'that lies': async () => answering((response) => response.end('[]')),
    'that breaks off': async () => answering((response) => response.destroy()),
  }
  it.each(Object.entries(gone))('a cell %s is named, and the rest is there in time', async (_, start) => {
    const { servers, stop } = await start()
    await using cells = await createCells(databases, { addresses: { b: servers } })
    const users = usersOfCells(cells, 1)
    await underReview(cells, users)
    const [a] = cells.worlds
    const began = performance.now()
    const { status, body } = await operatorOf(a as World).get('/inbox')
    await stop()
    expect(status).toBe(200)
    expect(body.cells_missing).toEqual(['b'])
    expect(body.data.map((entry: { user_id: string }) => entry.user_id)).toEqual([users[0], users[2]])
    expect(performance.now() - began).toBeLessThan(3_500)
  })

  it('a cell with another key is not asked and does not ask', async () => {
    const CELLS_KEY = 'another secret that is longer than 32 bytes'
    await using cells = await createCells(databases, { envOf: (name) => (name === 'c' ? { CELLS_KEY } : {}) })
    const missing = cells.worlds.map(
      async (world) => (await operatorOf(world).get('/inbox')).body.cells_missing,
    )
    expect(await Promise.all(missing)).toEqual([['c'], ['c'], ['a', 'b']])
  })

  it('events that wait are counted over all cells, and sent again by all', async () => {
    const receiver = await Receiver.start()
    receiver.behave = () => 500
    await using cells = await createCells(databases, { env: receiver.variables })
    const users = usersOfCells(cells, 1)
    for (const user of users) await cells.of(user).as(user).buy()
    await cells.advance(1)
    const [, b] = cells.worlds as [World, World]
    const { body } = await operatorOf(b).get('/events')
    expect(body.waiting).toEqual({ users: 3, events: body.data.length })
    receiver.behave = () => 204
    receiver.received.length = 0
    expect((await operatorOf(b).post('/events/resend-waiting', {})).status).toBe(200)
    await cells.advance(0)
    for (const user of users) expect(receiver.sequencesOf(user)[0]).toBe(1)
    await receiver.goDown()
  })

  it('a key is changed: each cell takes the old and the new', async () => {
    const both = `the new secret that is longer than 32 bytes,${CELLS_KEY}`
    await using cells = await createCells(databases, {
      envOf: (name) => (name === 'a' ? {} : { CELLS_KEY: both }),
    })
    const [a, b] = cells.worlds.map((world) => operatorOf(world))
    expect((await b?.get('/inbox'))?.body.cells_missing).toEqual(['a'])
    expect((await a?.get('/inbox'))?.body).not.toHaveProperty('cells_missing')
  })

  it('what is of one user goes to their cell, and an act stands in its trail', async () => {
    await using cells = await createCells(databases)
    const users = usersOfCells(cells, 1)
    const [a] = cells.worlds as [World]
    const operator = operatorOf(a)
    for (const user of users) {
      const { paymentId } = await cells.of(user).as(user).buy()
      expect((await operator.get(`/users/${user}`)).body).toMatchObject({ user_id: user, plan: 'pro' })
      expect((await operator.payment(paymentId)).payment).toMatchObject({ user_id: user, status: 'paid' })
      const why = 'ticket 4711'
      const preview = await operator.get(`/payments/${paymentId}/refund`)
      expect(preview.status).toBe(200)
      const { status, body } = await operator.post(`/payments/${paymentId}/refund`, { why })
      expect([status, body.payment.status]).toEqual([200, 'refunded'])
      const { rows } = {
        rows: await databases[cells.worlds.indexOf(cells.of(user))]?.query(actsAbout, [user]),
      }
      expect(rows).toEqual([{ actor: 'amina', act: 'payment.refund', reason: why }])
      const trail = await operator.get(`/audit?user_id=${user}&act=payment.refund`)
      expect(trail.body.data).toMatchObject([{ actor: 'amina', user_id: user, why }])
    }
    const { body } = await operator.get('/audit?act=payment.refund')
    expect(body.data.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual([...users].sort())
  })

  it('a role holds at every cell, and its refusal stands in the trail of the user’s cell', async () => {
    const OPERATOR_KEYS = `amina:${OPERATOR_KEY},vera:viewer:the-key-of-a-viewer-of-tests`
    await using cells = await createCells(databases, { env: { OPERATOR_KEYS } })
    const [user = ''] = usersOfCells(cells, 1).slice(1)
    const { paymentId } = await cells.of(user).as(user).buy()
    const [a] = cells.worlds as [World]
    const refused = await operatorOf(a, 'the-key-of-a-viewer-of-tests').post(
      `/payments/${paymentId}/refund`,
      {
        why: 'a try',
      },
    )
    expect([refused.status, refused.body.code]).toEqual([403, 'role_not_allowed'])
    await cells.advance(60)
    const rows = await databases[1]?.query(refusals)
    expect(rows).toEqual([{ actor: 'vera' }])
  })

  it('one whose cell is gone is not there; the others are', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { addresses: { b: servers } })
    const [first = '', second = '', third = ''] = usersOfCells(cells, 1)
    for (const user of [first, second, third]) await cells.of(user).as(user).buy()
    const operator = operatorOf(cells.worlds[0] as World)
    const gone = await operator.get(`/users/${second}`)
    expect([gone.status, gone.body.cell]).toEqual([503, 'b'])
    expect((await operator.get(`/users/${third}`)).status).toBe(200)
  })

  it('a request to another cell is as odd as it came', async () => {
    await using cells = await createCells(databases)
    const [, user = ''] = usersOfCells(cells, 1)
    await cells.of(user).as(user).buy()
    const { host, hostname, port } = new URL((cells.worlds[0] as World).url)
    const address = `/api/v1/operator/users/${user}`
    for (const target of [address, `http://${host}${address}`]) {
      const lines = [`GET ${target} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${OPERATOR_KEY}`]
      const ofConnection = ['te: trailers', 'trailer: x', 'upgrade: h2c', 'connection: close', '', '']
      const connection = connect(Number(port), hostname)
      connection.write([...lines, ...ofConnection].join('\r\n'))
      const answer = await text(connection)
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(answer).toContain(`"user_id":"${user}"`)
    }
  })

  it('the drawer is one, whichever cell is asked', async () => {
    const OPERATOR_KEYS = `amina:${OPERATOR_KEY},sara:owner:the-key-of-a-second-owner`
    await using cells = await createCells(databases, { env: { OPERATOR_KEYS } })
    const [a, b, c] = cells.worlds as [World, World, World]
    for (const user of usersOfCells(cells, 1)) {
      const taken = { plan: 'pro', method: 'cash', amount: 2020, new_user: true, reference: user }
      const { status } = await operatorOf(b).post(`/users/${user}/record`, { ...taken, why: 'at the desk' })
      expect(status).toBe(200)
    }
    const days = await Promise.all(
      cells.worlds.map(async (world) => (await operatorOf(world).get('/drawer/2026-11-21')).body),
    )
    expect(days[0]).toMatchObject({ by_method: [{ slips: 3 }, { slips: 0 }] })
    expect(days).toEqual([days[0], days[0], days[0]])
    const cash = days[0].by_method[0].expected
    const counted = await operatorOf(b).post('/drawer/2026-11-21/count', { cash, cheques: 0 })
    expect(counted.body.count).toMatchObject({ cash_difference: 0, counted_by: 'amina' })
    const closed = await operatorOf(c, 'the-key-of-a-second-owner').post('/drawer/2026-11-21/confirm', {})
    expect(closed.body.state).toBe('closed')
    expect((await operatorOf(a).get('/drawer/2026-11-21')).body).toEqual(closed.body)
  })

  describe('a month that one cell is asked to close', () => {
    const afterNovember = (Date.parse('2026-11-30T23:00:00Z') - START) / 1000 + 601
    const stateOf = async (world: World) =>
      (await operatorOf(world).get('/months/2026-11')).body.closed ?? null
    const sold = async (cells: CellWorlds) => {
      for (const user of usersOfCells(cells, 1)) await cells.of(user).as(user).buy()
      await cells.advance(afterNovember)
    }

    it('is closed by all, and reopened by all', async () => {
      await using cells = await createCells(databases)
      const [a, b, c] = cells.worlds as [World, World, World]
      await sold(cells)
      const close = await operatorOf(b).post('/months/2026-11/close', {})
      expect([close.status, close.body]).toMatchObject([200, {}])
      const states = await Promise.all(cells.worlds.map(stateOf))
      expect(states).toEqual([states[0], states[0], states[0]])
      expect(states[0]).toMatchObject({ by: 'amina' })
      expect(await operatorOf(c).post('/months/2026-11/close', {})).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      })
      const { ask, submit } = await enterConsole(c, OPERATOR_KEY)
      const form = await ask('/console/months/2026-11/reopen')
      const sent = await submit(form.path, { ...form.fields, why: 'a mistake' })
      expect(sent.status).toBe(303)
      expect(await Promise.all(cells.worlds.map(stateOf))).toEqual([null, null, null])
      const again = await enterConsole(a, OPERATOR_KEY)
      const toClose = await again.ask('/console/months/2026-11/close')
      expect((await again.submit(toClose.path, { ...toClose.fields, why: 'mended' })).status).toBe(303)
      expect(await Promise.all(cells.worlds.map(stateOf))).not.toContain(null)
    })

    it('stays open while a cell is gone; who has closed it already is not in the way then', async () => {
      const port = await freePort()
      await using cells = await createCells(databases, { addresses: { c: [`127.0.0.1:${port}`] } })
      const [a, , c] = cells.worlds as [World, World, World]
      await sold(cells)
      const close = () => operatorOf(a).post('/months/2026-11/close', {})
      expect(await close()).toMatchObject({ status: 503, body: { cell: 'c' } })
      const goAway = await relay(port, c)
      expect((await close()).status).toBe(200)
      expect(await stateOf(a)).toMatchObject({ by: 'amina' })
      await goAway()
    })
  })

  it('a file names no user, and is not searched for one', async () => {
    await using cells = await createCells(databases)
    const file = 'x'.repeat(5 * 1024 * 1024)
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'text/csv' }
    const began = performance.now()
    const { status, body } = await (cells.worlds[0] as World).call('POST', '/api/v1/operator/buyers/import', {
      body: file,
      headers,
    })
    expect([status, body.code]).toEqual([422, 'file_not_accepted'])
    // As an object of its bytes it took five seconds and a gigabyte.
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('an operator made at one cell is known at all, and blocked at all at once', async () => {
    await using cells = await createCells(databases)
    const [a, b, c] = cells.worlds as [World, World, World]
    const made = await operatorOf(a).post('/operators/create', { name: 'karim', role: 'support', why: 'new' })
    const { key } = made.body
    expect(made.status).toBe(200)
    const again = await operatorOf(b).post('/operators/create', { name: 'Karim', role: 'owner', why: 'new' })
    expect(again.status).toBe(409)
    const { audit } = (await operatorOf(c).get('/sessions')).body
    expect(audit.map(({ act }: { act: string }) => act)).toContain('operator.create')
    const console = await enterConsole(b, key)
    const inConsole = await consoleOf(c, console.cookie)
    expect([(await operatorOf(c, key).get('/inbox')).status, inConsole.status]).toEqual([200, 200])
    const blocked = await operatorOf(b).post('/operators/karim/block', { why: 'left' })
    expect(blocked.status).toBe(200)
    expect((await operatorOf(c, key).get('/inbox')).status).toBe(401)
    expect((await consoleOf(c, console.cookie)).status).toBe(303)
  })

  it('a session of the console is good at all cells, and ended at all', async () => {
    await using cells = await createCells(databases)
    const [a, b, c] = cells.worlds as [World, World, World]
    const { cookie } = await enterConsole(b, OPERATOR_KEY)
    const page = await consoleOf(a, cookie)
    expect(page.status).toBe(200)
    const form_token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ form_token }).toString()
    expect((await c.call('POST', '/console/sign-out', { body, headers })).status).toBe(303)
    expect((await consoleOf(b, cookie)).status).toBe(303)
  })

  it('the pages of the console show all cells, and the page of a user comes from their cell', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { addresses: { c: servers } })
    const users = usersOfCells(cells, 1)
    for (const user of users) await cells.of(user).as(user).buy()
    const { open } = await enterConsole(cells.worlds[0] as World, OPERATOR_KEY)
    const list = (await open('/console/users')).text
    expect(users.map((user) => list.includes(user))).toEqual([true, true, false])
    expect(list).toContain('these cells do not answer: c')
    const page = await open(`/console/users/${users[1]}`)
    expect([page.status, page.text.includes(users[1] ?? '')]).toEqual([200, true])
    const gone = await open(`/console/users/${users[2]}`)
    expect([gone.status, gone.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    expect(gone.text).toContain('Cell c does not answer')
    expect((await open('/console/users.csv')).status).toBe(503)
  })

  it('the health of a cell says which others answer', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { addresses: { c: servers } })
    const [a] = cells.worlds as [World]
    const { body } = await operatorOf(a).get('/health')
    const found = body.checks.filter(({ subject }: CheckResult) => subject === 'cells')
    expect(found).toMatchObject([
      { verdict: 'ok', found: 'cell b answers' },
      // A signature by a clock of another minute is refused, as one by another key.
      { verdict: 'warn', found: 'cell c does not answer', remedy: expect.stringMatching(/CELLS_KEY.*clock/) },
    ])
    const { open } = await enterConsole(a, OPERATOR_KEY)
    expect((await open('/console/health')).text).toContain('cell c does not answer')
  })

  it('a user who asks for a link by mail gets it, whichever cell they asked', async () => {
    await using cells = await createCells(databases, { env: { SMTP_URL: 'smtp://127.0.0.1:1' } })
    const body = new URLSearchParams({ email: 'lina@atlas.example' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await cells.worlds[0]?.call('POST', '/portal/link', { body, headers }))?.status).toBe(303)
    const asked = await Promise.all(databases.map((database) => database.query(linkRequests)))
    expect(asked.flat()).toEqual(databases.map(() => ({ email: 'lina@atlas.example' })))
  })

  it.each([
    ['none', {}],
    ['one of nobody', { [CELL_HEADER]: `a.${START}.c2lnbmVk` }],
  ])('without a signature nothing is read: %s', async (_, headers) => {
    await using cells = await createCells(databases)
    const [a] = cells.worlds
    const body = { name: 'inbox.counts', parameters: [] }
    expect((await a?.call('POST', ROWS_PATH, { body, headers }))?.status).toBe(401)
  })
})

/** A server that is no cell. */
async function answering(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response))
  const listening = await listen(server)
  return { servers: [new URL(listening.url).host], stop: listening[Symbol.asyncDispose] }
}
