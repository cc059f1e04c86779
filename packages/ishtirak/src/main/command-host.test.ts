import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { listen } from '../../../../test/support/listen.js'
import { addBackupCommands } from '../backup/backup-capability.js'
import { eventSettings } from '../events/settings.js'
import { commandHost } from './command-host.js'
import { readConfig } from './config.js'
import { explainFailure } from './doctor.js'
import { runningSandbox, signToken } from './sandbox.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

const AWAY = 'no sandbox in this folder: run it where you ran `npm start`, with the same DATA_DIR, or '

it.each(['', 'memory:', 'postgres://127.0.0.1:1/none'])(
  'DATABASE_URL=%s: they create nothing',
  async (url) => {
    const folder = path.join(tmpdir(), 'ishtirak-of-no-sandbox')
    for (const name of ['CHARGILY_SECRET_KEY', 'NODE_ENV', 'AUTH_JWT_SECRET']) vi.stubEnv(name, '')
    vi.stubEnv('DATA_DIR', folder)
    vi.stubEnv('DATABASE_URL', url)
    const missing = url.startsWith('postgres') ? 'not CHARGILY_SECRET_KEY' : `${AWAY}give \`--url\``
    await expect(commandHost.openClient({})).rejects.toThrow(missing)
    await expect(signToken(readConfig(process.env), 'user-1')).rejects.toThrow(`${AWAY}set AUTH_JWT_SECRET`)
    const toReceiver = commandHost.config(eventSettings, { EVENTS_URL: 'http://127.0.0.1:1' })
    await expect(toReceiver).rejects.toThrow(`${AWAY}set EVENTS_SECRETS`)
    const restore = new Command().exitOverride()
    addBackupCommands(restore, commandHost)
    const ofNoFile = restore.parseAsync(['restore', '/nowhere/f'], { from: 'user' }).catch(Object)
    expect(explainFailure(await ofNoFile, process.env)).toMatch(/no such file .*'\/nowhere\/f'$/)
    if (!url.startsWith('postgres'))
      await expect(commandHost.onDatabase(async () => null)).rejects.toThrow(AWAY)
    expect(existsSync(folder)).toBe(false)
  },
)

it('a sandbox of another folder is not asked', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response())
  expect(await runningSandbox(readConfig({ DATA_DIR: '/nowhere/ishtirak' }))).toBeNull()
  fetched.mockRestore()
})

it('of a live shop they name its DATA_DIR', async () => {
  vi.stubEnv('CHARGILY_SECRET_KEY', 'test_sk_123456789012345678901234567890')
  vi.stubEnv('AUTH_JWT_SECRET', 'a-secret-of-the-tests-with-32-bytes')
  vi.stubEnv('DATA_DIR', path.join(tmpdir(), 'ishtirak-of-no-shop'))
  await expect(commandHost.openClient({})).rejects.toThrow('run it with the DATA_DIR of the service')
})

it('an answer that breaks off is told in a sentence', async () => {
  const breaking = createServer((_, answer) => void answer.write(' ', () => answer.destroy()))
  await using server = await listen(breaking)
  const { url } = server
  vi.stubEnv('OPERATOR_KEY', 'a-key')
  const client = await commandHost.openClient({ url })
  const asked = client.ask({ method: 'POST', path: '/books/verification' }).catch(Object)
  expect(explainFailure(await asked, process.env)).toBe(
    `the answer from ${url} broke off (other side closed): its log may say why; try again`,
  )
})
