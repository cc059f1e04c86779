// The commands beside a running sandbox, typed in another terminal where PORT is not what the sandbox was
// started with.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyEvent } from '../../packages/client/src/verify-event.js'
import { emptyPostgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { Receiver } from '../support/receiver.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'

const VIEWER_KEY = 'the-key-of-a-viewer-of-the-tests'

let folder: string
let service: ServiceProcess
let receiver: Receiver
let elsewhere: Record<string, string>
beforeAll(async () => {
  buildOnce()
  folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-beside-'))
  await makeEmbeddedFolder(folder)
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
  receiver = await Receiver.start()
  const more = { OPERATOR_KEYS: `vera:viewer:${VIEWER_KEY}`, EVENTS_URL: receiver.url }
  service = await startService({ ...ports, DATA_DIR: folder, ...more })
  elsewhere = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: folder }
})
afterAll(async () => {
  await service.kill('SIGKILL')
  await receiver.goDown()
  rmSync(folder, { recursive: true, force: true })
})

it('doctor asks the running service, and finds nothing wrong', async () => {
  const keys = { PLATFORM_API_KEYS: 'the-new-key-of-the-platform,the-old-key-of-the-platform' }
  const { code, output } = await runCommand(['doctor'], { ...elsewhere, ...keys, DATABASE_URI: 'x' })
  expect(output).toContain(
    '[ ok ] secrets: old ones are set; the running service says when they were last used',
  )
  expect(output).toContain(
    `[ ok ] database: embedded, in use by the service at ${service.url}, which is ready`,
  )
  expect(output).toContain('[ ok ] platform API: on')
  expect(output).toContain(
    '[warn] configuration: DATABASE_URI is read by nothing\n       -> perhaps DATABASE_URL is meant',
  )
  expect(output).not.toContain('FAIL')
  expect(code).toBe(0)
})

it('the operator’s commands find the service by its data folder', async () => {
  expect(await runCommand(['payments', 'list'], elsewhere)).toMatchObject({ code: 0 })
})

it(
  'a command that names another operator than the key of the sandbox is refused: two names would be two ' +
    'approvals',
  async () => {
    expect(await runCommand(['payments', 'list', '--as', 'karim'], elsewhere)).toMatchObject({
      code: 1,
      output: expect.stringContaining('the key says who acts'),
    })
  },
)

it(
  '`backup` asks the running service, which has the embedded database to itself, and restores ' + 'elsewhere',
  async () => {
    const file = path.join(folder, 'beside.backup.gz')
    const backup = await runCommand(['backup', file], elsewhere)
    expect(backup).toMatchObject({ code: 0, output: expect.stringContaining('audit: 1') })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const restored = await runCommand(['restore', file], { DATABASE_URL: await emptyPostgresUrl() })
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('audit: 1') })
  },
)

it(
  'a second service on the same data folder is refused, with the owner of the folder and the ' + 'remedy',
  async () => {
    const { code, output } = await runCommand(['serve'], elsewhere)
    expect(code).toBe(1)
    expect(output).toContain(`in use by process ${service.pid}`)
    expect(output).toContain('a second service needs a DATA_DIR of its own, not only another PORT')
  },
)

it('`demo` is for an owner of the running sandbox', async () => {
  const { status } = await fetch(`${service.url}/_sandbox/demo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${VIEWER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ users: 3, seed: 1 }),
  })
  expect(status).toBe(401)
})

it(
  '`demo` fills the running sandbox, once; not a service with a key of the provider, and not where none ' +
    'runs',
  async () => {
    const small = ['demo', '--users', '3']
    const none = await runCommand(small, { ...elsewhere, DATA_DIR: path.join(folder, 'none') })
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining('no sandbox runs here') })
    const key = { CHARGILY_SECRET_KEY: CHARGILY_KEY, AUTH_JWT_SECRET: JWT_SECRET }
    const real = await runCommand(small, { ...elsewhere, ...key })
    expect(real).toMatchObject({ code: 1, output: expect.stringContaining('a demo is for the sandbox') })
    const first = await runCommand(small, elsewhere)
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining('3 users, and a year') })
    const asked = await runCommand(['payments', 'list', '--user', 'demo-0003'], elsewhere)
    expect(asked).toMatchObject({ code: 0, output: expect.stringContaining('demo-0003  pro') })
    const second = await runCommand(small, elsewhere)
    expect(second).toMatchObject({ code: 1, output: expect.stringContaining('has a demo already') })
  },
)

it('prints a key for a platform, and a secret that signs its events and samples of them', async () => {
  const given = (name: string) =>
    new RegExp(`export ${name}=(\\S+)`).exec(service.lines.join('\n'))?.[1] ?? ''
  await waitFor(() => given('EVENTS_SECRET') !== '')
  const ofAmine = () => receiver.received.filter(({ event }) => event.data.user_id === 'amine')
  const headers = { authorization: `Bearer ${given('PLATFORM_API_KEY')}`, 'content-type': 'application/json' }
  const user = `${service.url}/api/v1/platform/users/amine`
  const bought = await fetch(`${user}/upgrade`, { method: 'POST', headers, body: '{"plan":"pro"}' })
  const { checkout_url: page } = await bought.json()
  const paid = new URLSearchParams({ payment_method: 'cib', outcome: 'paid' })
  await fetch(page, { method: 'POST', body: paid, redirect: 'manual' })
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

it('its page of documents gives a token and a key that open it', async () => {
  const page = await (await fetch(`${service.url}/docs`)).text()
  const filledIn = (field: string) => new RegExp(`id="${field}" value="([^"]+)"`).exec(page)?.[1]
  const statusOf = async (path: string, field: string) =>
    (
      await fetch(`${service.url}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${filledIn(field)}` },
      })
    ).status
  expect(await statusOf('billing/status', 'token')).toBe(200)
  expect(await statusOf(`platform/users/${filledIn('user')}`, 'key')).toBe(200)
})
