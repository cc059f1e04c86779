// PORT is not what the sandbox was started with, as in another terminal.
import { statSync } from 'node:fs'
import path from 'node:path'
import { verifyEvent } from '../../packages/client/src/verify-event.js'
import { emptyPostgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { runCommand, type ServiceProcess, startCommand, startService } from '../support/process.js'
import { Receiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'
import { call } from './calls.js'

const VIEWER_KEY = 'the-key-of-a-viewer-of-the-tests'

const folder = temporaryFolder()
let service: ServiceProcess
let receiver: Receiver
let elsewhere: Record<string, string>
beforeAll(async () => {
  await makeEmbeddedFolder(folder)
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
  receiver = await Receiver.start()
  const more = { OPERATOR_KEYS: `vera:viewer:${VIEWER_KEY}`, EVENTS_URL: receiver.url }
  service = await startService({ ...ports, DATA_DIR: folder, ...more })
  elsewhere = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder }
})
afterAll(async () => {
  await service.kill('SIGKILL')
  await receiver.goDown()
})

it('doctor asks the running service, and finds nothing wrong', async () => {
  const { code, output } = await runCommand(['doctor'], {
    ...elsewhere,
    PLATFORM_API_KEYS: 'a-key-of-the-platform-of-tests',
    DATABASE_URI: 'x',
  })
  for (const line of [
    `[ ok ] database: embedded, in use by the service at ${service.url}, which is ready`,
    '[ ok ] platform API: on',
    '[warn] configuration: nothing reads the variable DATABASE_URI\n       -> did you mean DATABASE_URL?',
  ])
    expect(output).toContain(line)
  expect(output).not.toContain('FAIL')
  expect(code).toBe(0)
})

it('a command that names another operator than the key of the sandbox is refused', async () => {
  // Two names would be two approvals.
  expect(await runCommand(['payments', 'list', '--as', 'karim'], elsewhere)).toMatchObject({
    code: 1,
    output: expect.stringContaining('the key says who acts'),
  })
})

it('`backup` asks the running service, which alone may open the database', async () => {
  const file = path.join(folder, 'beside.backup.gz')
  const oneAct = { code: 0, output: expect.stringContaining('audit: 1') }
  expect(await runCommand(['backup', file], elsewhere)).toMatchObject(oneAct)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const restored = await runCommand(['restore', file], { DATABASE_URL: await emptyPostgresUrl() })
  expect(restored).toMatchObject(oneAct)
  expect(restored.output).toContain('ishtirak reconcile --since 2')
  // The file is refused before the service is asked: the trail and the page Health know one backup.
  const exists = { code: 1, output: expect.stringContaining('exists already') }
  expect(await runCommand(['backup', file], elsewhere)).toMatchObject(exists)
  const trail = await runCommand(['operators', 'trail', '--act', 'database.backup', '--json'], elsewhere)
  expect(trail.output.match(/"database\.backup"/g)).toHaveLength(1)
  const second = await runCommand(['serve'], elsewhere)
  expect(second).toMatchObject({
    code: 1,
    output: expect.stringContaining(`in use by process ${service.pid}`),
  })
  expect(second.output).toContain('a second service needs a DATA_DIR of its own, not only another PORT')
  const locked = await runCommand(['restore', file], elsewhere)
  expect(locked).toMatchObject({ code: 1, output: expect.stringContaining('Stop the service, or set') })
})

it('`demo` fills the running sandbox, once and for an owner; no other service', async () => {
  const { status } = await fetch(`${service.url}/_sandbox/demo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${VIEWER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ users: 3, seed: 1 }),
  })
  expect(status).toBe(401)
  const small = ['demo', '--users', '3']
  const key = { CHARGILY_SECRET_KEY: CHARGILY_KEY, AUTH_JWT_SECRET: JWT_SECRET }
  for (const [words, more, code, said] of [
    [small, { DATA_DIR: path.join(folder, 'none') }, 1, 'no sandbox runs here'],
    [small, key, 1, 'a demo is for the sandbox'],
    [small, {}, 0, '3 users, and a year'],
    // The service is found by its data folder.
    [['payments', 'list', '--user-id', 'demo-0003'], {}, 0, 'demo-0003  pro'],
    [small, {}, 1, 'has a demo already'],
  ] as const) {
    const output = expect.stringContaining(said)
    expect(await runCommand(words, { ...elsewhere, ...more })).toMatchObject({ code, output })
  }
})

it('prints a key for a platform, and a secret that signs its events and samples of them', async () => {
  const given = (name: string) =>
    new RegExp(`export ${name}=(\\S+)`).exec(service.lines.join('\n'))?.[1] ?? ''
  await waitFor(() => given('EVENTS_SECRET') !== '')
  const ofAmine = () => receiver.received.filter(({ event }) => event.data.user_id === 'amine')
  const upgrade = '/platform/users/amine/upgrade'
  const { body } = await call(service, given('PLATFORM_API_KEY'), upgrade, { plan: 'pro' })
  const paid = new URLSearchParams({ payment_method: 'cib', outcome: 'paid' })
  await fetch(body.checkout_url, { method: 'POST', body: paid, redirect: 'manual' })
  await waitFor(() => ofAmine().length === 2)
  const sample = ['events', 'trigger', 'payment.refunded', '--user', 'amine', '--to', receiver.url]
  expect(await runCommand(sample, elsewhere)).toMatchObject({ code: 0 })
  const events = ofAmine().map(({ raw, headers }) => verifyEvent(raw, headers, given('EVENTS_SECRET')))
  expect((await Promise.all(events)).map(({ type }) => type)).toEqual([
    'payment.paid',
    'subscription.activated',
    'payment.refunded',
  ])
})

it('`events listen` forwards what comes from now on, and goes on where the receiver is down', async () => {
  const other = await Receiver.start()
  const listening = startCommand(['events', 'listen', '--forward-to', other.url], elsewhere)
  const lines = (part: RegExp) => listening.lines.filter((line) => part.test(line))
  await waitFor(() => lines(/go to/).length === 1)
  const [, secret = ''] = /EVENTS_SECRET=(\S+)/.exec(listening.lines.join()) ?? []
  const token = (await runCommand(['token', '--user', 'lina'], elsewhere)).output.trim()
  const buy = async () => {
    const { body } = await call(service, token, '/billing/upgrade', { plan: 'pro' })
    const paid = new URLSearchParams({ payment_method: 'cib', outcome: 'paid' })
    await fetch(body.checkout_url, { method: 'POST', body: paid, redirect: 'manual' })
  }
  await buy()
  await waitFor(() => lines(/ms {2}/).length === 2)
  const verified = other.received.map(({ raw, headers }) => verifyEvent(raw, headers, secret))
  expect((await Promise.all(verified)).map(({ data }) => data.user_id)).toEqual(['lina', 'lina'])
  const delivered = () => receiver.received.filter(({ event }) => event.data.user_id === 'lina')
  await waitFor(() => delivered().length === 2)
  expect(other.received.map(({ id, raw }) => [id, raw])).toEqual(delivered().map(({ id, raw }) => [id, raw]))
  expect(lines(/^payment\.paid {2}204 {2}\d+ ms {2}2/)).toHaveLength(1)
  await other.goDown()
  const granted = ['users', 'grant', 'lina', '--days', '1', '--why', 'a test']
  expect(await runCommand(granted, elsewhere)).toMatchObject({ code: 0 })
  await waitFor(() => lines(/^subscription\.granted {2}no answer \(.+\) {2}\d+ ms/).length === 1)
  await other.listen()
  expect(await runCommand(granted, elsewhere)).toMatchObject({ code: 0 })
  await waitFor(() => lines(/^subscription\.granted {2}204/).length === 1)
  await other.goDown()
  const keys = { CHARGILY_SECRET_KEY: CHARGILY_KEY, AUTH_JWT_SECRET: JWT_SECRET, EVENTS_SECRETS: secret }
  expect(
    await runCommand(['events', 'listen', '--forward-to', other.url], { ...elsewhere, ...keys }),
  ).toMatchObject({
    code: 1,
    output: expect.stringContaining('only in the sandbox'),
  })
})

it('shows what would have been mailed', async () => {
  const words = ['token', '--user', 'user-1', '--email', 'amine@example.dz', '--locale', 'en']
  const token = (await runCommand(words, elsewhere)).output.trim()
  const { body } = await call(service, token, '/billing/upgrade', { plan: 'pro' })
  const paid = new URLSearchParams({ payment_method: 'cib', outcome: 'paid' })
  await fetch(body.checkout_url, { method: 'POST', body: paid, redirect: 'manual' })
  const page = async () => (await fetch(`${service.url}/_sandbox/mails`)).text()
  await waitFor(async () => (await page()).includes('amine@example.dz'))
  expect(await page()).toMatch(/<h2[^>]*>[^<]*receipt/i)
  expect(await page()).toContain(`<a href="${service.url}/portal">${service.url}/portal</a>`)
  expect(await page()).toMatch(/<li>[^<]+\.pdf<\/li>/)
})
