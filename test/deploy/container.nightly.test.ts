// Containers: with the embedded database, on a server with little memory, and with empty variables.
import { postgresUrl } from '../support/databases.js'
import { environmentFile, IMAGE, inspect, podman, start } from './container.js'
import { settingOf } from './unit.js'

const MEMORY = ['--memory', settingOf('ishtirak.service', 'MemoryMax')]

it('with empty variables is no sandbox', async () => {
  const unfilled = podman.run('run', '--rm', '--env-file', environmentFile({}), IMAGE)
  await expect(unfilled).rejects.toThrow('CHARGILY_SECRET_KEY is missing')
})

it('on a server runs in 256 MB', async () => {
  const { name, url, ready } = await start(['--memory', '256m'], { DATABASE_URL: await postgresUrl() })
  await ready()
  expect((await fetch(`${url}/api/v1/billing/plans`)).status).toBe(200)
  const look = 'console.log(process.constrainedMemory() / 2 ** 20)'
  expect(await podman.run('exec', name, 'node', '-e', look)).toBe('256')
  await podman.run('stop', '--time', '30', name)
  expect(await inspect(name, '{{.State.ExitCode}} {{.State.OOMKilled}}')).toBe('0 false')
})

it('listens outside, and when killed leaves its embedded database in the volume to the next', async () => {
  const options = [...MEMORY, '--volume', 'billing:/data']
  const first = await start(options, { HOST: '' })
  await first.ready()
  expect((await fetch(`${first.url.replace('127.0.0.1', '127.0.0.2')}/healthz`)).status).toBe(200)
  await podman.run('healthcheck', 'run', first.name)
  const database = await databaseOf(first.name)
  await podman.run('kill', '--signal', 'KILL', first.name)
  await podman.run('wait', first.name)
  const second = await start(options)
  await second.ready()
  expect(await databaseOf(second.name)).toBe(database)
  await podman.run('stop', '--time', '30', second.name)
  expect(await inspect(second.name, '{{.State.ExitCode}} {{.State.OOMKilled}}')).toBe('0 false')
})

/** Which file it is, and since when. */
function databaseOf(container: string): Promise<string> {
  const look = 'const { ino, birthtimeMs } = fs.statSync("/data/database/postgres/PG_VERSION")'
  return podman.run('exec', container, 'node', '-e', `${look}; console.log(ino, birthtimeMs)`)
}
