// Starts the example as its README says, with the real service and the emulator.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { movableClock, systemClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { emptyDatabase } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { listen } from '../support/listen.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { checkoutIdOf, createWorld, type World } from '../support/world.js'

const root = path.resolve(import.meta.dirname, '../..')
const EVENTS_SECRET = `whsec_${Buffer.from('a secret of the tests, 24 bytes').toString('base64')}`

let world: World
let platform: ChildProcess
let platformUrl: string

beforeAll(async () => {
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--if-stale'])
  const port = await freePort()
  world = await createWorld(await emptyDatabase('pglite'), {
    // The platform is another process and has the machine's time, so the events must be of that time too.
    clock: movableClock(systemClock()),
    env: {
      EVENTS_URL: `http://127.0.0.1:${port}/events`,
      EVENTS_SECRETS: EVENTS_SECRET,
      EVENTS_ALLOW_PRIVATE: 'true',
      QUOTA_TIMEZONE: zoneWhereItIsNoon(),
    },
  })
  platform = startPlatform(world.url, { PORT: String(port) })
  platformUrl = await urlOf(platform)
})

afterAll(async () => {
  platform.kill()
  await world.stop()
})

function startPlatform(billingUrl: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['examples/deploy-platform/server.js'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...{ PORT: '0', BILLING_URL: billingUrl, PLATFORM_API_KEY: PLATFORM_KEY }, EVENTS_SECRET, ...env },
  })
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  const [line] = await once(createInterface({ input: stdout ?? process.stdin }), 'line')
  return String(line)
}

/** No day ends while this test runs. (Etc/GMT-5 is five hours ahead of UTC: POSIX counts to the west.) */
function zoneWhereItIsNoon(): string {
  const ahead = 12 - new Date().getUTCHours()
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

async function call(method: string, where: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${platformUrl}${where}`, {
    method,
    headers: { 'x-user': 'amine', ...headers },
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

it('refuses the 11th deploy of a day on free, sells pro, and takes the next after payment', async () => {
  for (let n = 1; n <= 10; n++) {
    const { status, body } = await call('POST', '/deploys')
    expect([status, body.remaining]).toEqual([201, 10 - n])
  }
  const refused = await call('POST', '/deploys')
  expect([refused.status, refused.body.error]).toEqual([429, 'You have made 10 of 10 deploys today.'])

  const { body: opened } = await call('POST', '/upgrade')
  await world.emulator.pay(checkoutIdOf(opened.checkout_url), 'paid', 'edahabia')
  await world.emulator.settled()
  const taken = await call('POST', '/deploys')
  expect([taken.status, taken.body.remaining]).toEqual([201, 39])
  const again = await call('POST', '/upgrade')
  expect([again.status, again.body.code]).toEqual([409, 'already_subscribed'])

  const seen = async () => {
    await world.service.runner.runAll()
    return (await call('GET', '/')).body
  }
  await expect.poll(seen).toMatchObject({ plan: 'pro', last_event: 'subscription.activated' })
})

it('gives the place of a broken build back', async () => {
  const headers = { 'x-user': 'broken' }
  expect((await call('POST', '/deploys?broken', headers)).status).toBe(422)
  expect((await call('POST', '/deploys', headers)).body.remaining).toBe(9)
})

it('believes no event that is not signed', async () => {
  const headers = { 'webhook-id': 'evt', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }
  expect((await fetch(`${platformUrl}/events`, { method: 'POST', headers })).status).toBe(401)
})

it('does not start with a wrong key, and says why', async () => {
  const wrong = startPlatform(world.url, { PLATFORM_API_KEY: 'not_the_key_of_the_platform' })
  const [said, [code]] = await Promise.all([text(wrong.stderr ?? process.stdin), once(wrong, 'exit')])
  expect([code, said]).toEqual([1, expect.stringContaining('billing refuses apiKey')])
})

it('deploys while billing is away, and never once it refuses the key', async () => {
  let answer = 503
  await using billing = await listen(
    createServer((_request, response) => response.writeHead(answer).end('{"code":"of_the_test"}')),
  )
  const other = startPlatform(billing.url)
  const said = text(other.stderr ?? process.stdin)
  const url = await urlOf(other)
  const statuses = []
  for (answer of [503, 401, 403, 500])
    statuses.push((await fetch(`${url}/deploys`, { method: 'POST' })).status)
  expect(statuses).toEqual([201, 500, 500, 201])
  other.kill()
  expect((await said).match(/billing refuses apiKey/g)).toHaveLength(2)
})
