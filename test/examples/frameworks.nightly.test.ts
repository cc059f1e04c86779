// Platforms as the READMEs in clients/ show them, against a service.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { emptyDatabase } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { OLD_SECRET, SECRET } from '../support/receiver.js'
import { requireTool, type SystemTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { PATIENCE } from '../support/wait-for.js'
import { createWorld, type World } from '../support/world.js'

const OTHER_SECRET = `whsec_${'C'.repeat(42)}A=`
const clients = path.resolve(import.meta.dirname, '../../clients')
const programs = path.join(import.meta.dirname, 'languages')

interface Platform {
  readonly name: string
  readonly tools: readonly SystemTool[]
  readonly command: (port: number) => readonly string[]
}
const php = (file: string) => (port: number) => ['php', '-S', `127.0.0.1:${port}`, path.join(programs, file)]
const python = (file: string) => () => ['/usr/bin/python3', path.join(programs, file)]
const PLATFORMS: readonly Platform[] = [
  { name: 'plain PHP', tools: ['php-curl', 'php-sqlite3'], command: php('plain.php') },
  {
    name: 'Laravel',
    tools: ['php-curl', 'php-sqlite3', 'php-laravel-framework'],
    command: php('laravel/index.php'),
  },
  { name: 'WSGI', tools: ['python3'], command: python('wsgi_app.py') },
  { name: 'Django', tools: ['python3-django'], command: python('django_app.py') },
]

let world: World
const folder = temporaryFolder()
beforeAll(async () => {
  await cp(path.join(programs, 'laravel'), folder, { recursive: true })
  for (const written of ['bootstrap/cache', 'storage', 'vendor/composer'])
    await mkdir(path.join(folder, written), { recursive: true })
  // As Composer writes it: by this the framework finds the package's service provider.
  const manifest = await readFile(path.join(clients, 'php/composer.json'), 'utf8')
  await writeFile(path.join(folder, 'vendor/composer/installed.json'), `{"packages":[${manifest}]}`)
  world = await createWorld(await emptyDatabase('pglite'))
})
afterAll(() => world.stop())

describe.each(PLATFORMS)('a platform in $name', ({ name, tools, command }) => {
  const processes: ChildProcess[] = []
  const start = async (variables: Record<string, string> = {}) => {
    const port = await freePort()
    const [program = '', ...parameters] = command(port)
    const database = path.join(folder, `${port}.sqlite`)
    await writeFile(database, '')
    const { PATH = '' } = process.env
    const env = {
      PATH,
      PORT: String(port),
      PYTHONPATH: path.join(clients, 'python'),
      FOLDER: folder,
      DATABASE: database,
      ISHTIRAK_URL: world.url,
      ISHTIRAK_API_KEY: PLATFORM_KEY,
      ISHTIRAK_EVENTS_SECRETS: `${SECRET},${OLD_SECRET}`,
      ...variables,
    }
    processes.push(spawn(program, parameters, { env, stdio: 'ignore' }))
    const ask = (method: string, place: string, headers: Record<string, string> = {}, body = '') =>
      fetch(`http://127.0.0.1:${port}${place}`, {
        method,
        redirect: 'manual',
        headers: { 'x-user': `${name}-1`, ...headers },
        ...(method === 'POST' ? { body } : {}),
      })
    await vi.waitFor(() => ask('GET', '/stored'), PATIENCE)
    return ask
  }
  let ask: Awaited<ReturnType<typeof start>>
  const deploy = async (id: string, on = ask) => {
    const answer = await on('POST', `/deploys/${id}`)
    return `${answer.status} ${await answer.text()}`
  }
  const stored = async () => (await ask('GET', '/stored')).json()

  beforeAll(async () => {
    for (const tool of tools) requireTool(tool)
    ask = await start()
  })
  afterAll(async () => {
    for (const child of processes) {
      child.kill()
      await once(child, 'exit')
    }
  })

  it('deploys while the plan allows it', async () => {
    for (let count = 1; count <= 10; count++)
      expect(await deploy(`d-${count}`)).toBe(`200 started d-${count}`)
    expect(await deploy('d-10')).toBe('200 started d-10')
    expect(await deploy('d-11')).toBe('429 again at 2026-11-21T23:00:00Z')
  })

  it('sends its users to the portal and to pay', async () => {
    const leads = async (method: string, place: string, target: string) => {
      const { status, headers } = await ask(method, place)
      expect([status, headers.get('location')]).toEqual([302, expect.stringContaining(target)])
    }
    await leads('GET', '/portal', `${world.url}/portal/`)
    await leads('POST', '/upgrade', world.emulator.url)
  })

  it('goes on in an outage, and stops where the key is wrong', async () => {
    const alone = await start({ ISHTIRAK_URL: `http://127.0.0.1:${await freePort()}` })
    expect(await deploy('d-12', alone)).toBe('200 started d-12')
    const mistaken = await start({ ISHTIRAK_API_KEY: 'another key' })
    expect(await deploy('d-12', mistaken)).not.toContain('started')
    expect((await mistaken('POST', '/deploys/d-12')).status).toBe(500)
  })

  const body = JSON.stringify({ type: 'payment.paid', timestamp: '2026-11-21T12:00:00Z', data: {} })
  const signed = (id: string, secret: string, secondsAgo = 0) => {
    const at = new Date(Date.now() - secondsAgo * 1_000)
    const signature = new Webhook(secret).sign(id, at, body)
    const seconds = String(Math.floor(at.getTime() / 1_000))
    return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature }
  }
  const send = async (headers: Record<string, string>, on = ask) => {
    const sent = { 'content-type': 'application/json', ...headers }
    return (await on('POST', '/billing/events', sent, body)).status
  }

  it('takes events once each, under both secrets, only if signed and of these minutes', async () => {
    expect(await send(signed('evt_1', SECRET))).toBe(204)
    expect(await stored()).toEqual(['payment.paid'])
    expect(await send(signed('evt_1', SECRET, 5))).toBe(204)
    expect(await stored()).toEqual(['payment.paid'])
    expect(await send(signed('evt_2', OLD_SECRET))).toBe(204)
    for (const headers of [signed('evt_3', OTHER_SECRET), signed('evt_3', SECRET, 301), {}])
      expect(await send(headers)).toBe(401)
    expect(await stored()).toEqual(['payment.paid', 'payment.paid'])
  })

  it('takes no event while no secret is set, and says so', async () => {
    const without = await start({ ISHTIRAK_EVENTS_SECRETS: '' })
    expect(await send(signed('evt_5', SECRET), without)).toBe(500)
  })
})
