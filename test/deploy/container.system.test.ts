// deploy/Containerfile, built without a registry and run by podman on a server's database.
import { postgresUrl } from '../support/databases.js'
import { IMAGE, inspect, podman, start, versionOfImage } from './container.js'

describe('the image', () => {
  it('runs as a user without rights, has a volume and a health check', async () => {
    expect(await inspect(IMAGE, '{{.Config.User}} {{.Config.StopSignal}} {{.Config.Volumes}}')).toBe(
      '1000:1000 SIGTERM map[/data:{}]',
    )
    expect(await inspect(IMAGE, '{{.HealthCheck.Test}}')).toContain('/healthz')
  })

  it('holds what the service needs to run and no tool of its development', async () => {
    const list = `const { readdirSync } = require('node:fs')
      const folders = ['.', 'packages', 'packages/ishtirak', 'node_modules', 'node_modules/@ishtirak']
      console.log(folders.map((folder) => readdirSync(folder).join()).join(' '))`
    const [top, packages, service, modules, ours] = (
      await podman.run('run', '--rm', '--network', 'none', '--entrypoint', 'node', IMAGE, '-e', list)
    ).split(' ')
    expect(top).toBe('node_modules,package.json,packages')
    expect([packages, ours]).toEqual(['chargily-emulator,client,ishtirak', 'client'])
    expect(service?.split(',')).toEqual(expect.arrayContaining(['bin', 'dist', 'migrations', 'package.json']))
    expect(service?.split(',').filter((name) => ['src', 'test', 'tsconfig.json'].includes(name))).toEqual([])
    expect(modules?.split(',')).toEqual(expect.arrayContaining(['fastify', 'pg']))
    expect(modules?.split(',').filter((name) => ['typescript', 'vitest', 'knip'].includes(name))).toEqual([])
  })
})

describe('a container', () => {
  it('on a server writes nowhere but /data, is healthy, and stops in time', async () => {
    const { name, url, ready } = await start([], { DATABASE_URL: await postgresUrl() })
    await ready()
    expect(await podman.run('exec', name, 'node', '--version')).toBe(`v${versionOfImage()}`)
    expect((await fetch(`${url}/api/v1/billing/plans`)).status).toBe(200)
    await podman.run('healthcheck', 'run', name)
    const look = `const { writeFileSync } = require('node:fs')
      const write = (file) => {
        try { writeFileSync(file, ''); return 'written' } catch ({ code }) { return code }
      }
      const written = ['/x', '/app/x', '/tmp/x', '/data/x'].map(write)
      console.log(process.getuid(), ...written)`
    expect(await podman.run('exec', name, 'node', '-e', look)).toBe('1000 EROFS EROFS EROFS written')
    await podman.run('stop', '--time', '30', name)
    expect(await inspect(name, '{{.State.ExitCode}}')).toBe('0')
  })
})
