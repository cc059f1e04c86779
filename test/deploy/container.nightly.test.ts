// A container with the embedded database, and one whose variables are empty.
import { expect, it } from 'vitest'
import { environmentFile, IMAGE, inspect, podman, start } from './container.js'
import { settingOf } from './unit.js'

const MEMORY = ['--memory', settingOf('ishtirak.service', 'MemoryMax')]

it('with empty variables is no sandbox', async () => {
  const unfilled = podman.run('run', '--rm', '--env-file', environmentFile({}), IMAGE)
  await expect(unfilled).rejects.toThrow('CHARGILY_SECRET_KEY is missing')
})

it('listens outside, and when killed leaves its embedded database in the volume to the next', async () => {
  const options = [...MEMORY, '--volume', 'billing:/data']
  const first = await start(options, { HOST: '' })
  await first.ready()
  expect((await fetch(`${first.url.replace('127.0.0.1', '127.0.0.2')}/healthz`)).status).toBe(200)
  await podman.run('healthcheck', 'run', first.name)
  await podman.run('kill', '--signal', 'KILL', first.name)
  await podman.run('wait', first.name)
  const second = await start(options)
  await second.ready()
  expect(await first.log()).toContain('schema brought up to date')
  expect(await second.log()).not.toContain('schema brought up to date')
  await podman.run('stop', '--time', '30', second.name)
  expect(await inspect(second.name, '{{.State.ExitCode}} {{.State.OOMKilled}}')).toBe('0 false')
})
