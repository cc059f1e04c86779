// deploy/Containerfile, built without a registry and run by podman: without rights, on a root that cannot be
// written, within the memory and the system calls that the unit of systemd allows.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeOf, TRIED_NODES } from '../packages/installation.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'
import { read, root } from './files.js'
import { openPodman, type Podman } from './podman.js'
import { seccompProfile, settingOf } from './unit.js'

const IMAGE = 'localhost/ishtirak'

let podman: Podman
let folder: string

beforeAll(async () => {
  podman = openPodman()
  requireTool('systemd')
  folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-container-'))
  writeFileSync(path.join(folder, 'seccomp.json'), seccompProfile())
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { cwd: root, encoding: 'utf8' }).trim()
  const node = nodeOf(versionOfImage())
  await podman.run(
    ...['build', '--format', 'docker', '--layers=false', '--network', 'host', '--tag', IMAGE],
    // What `npm ci` has fetched and built for the tests is not fetched and built again: half a minute of
    // processor time.
    ...['--build-arg', `BASE=${await podman.makeBase(node)}`, '--volume', `${cache}:/root/.npm`],
    ...['--file', path.join(root, 'deploy/Containerfile'), '--ignorefile', contextWithBuild(), root],
  )
})
afterAll(async () => {
  await podman.close()
  await rm(folder, { recursive: true, force: true })
})

/** The newest of those that the packages are tried on, in the line of the image that is built from. */
function versionOfImage(): string {
  const [, line] = /^ARG BASE=\S+\/node:(\d+)-/m.exec(read('deploy/Containerfile')) ?? []
  const version = TRIED_NODES.find((tried) => tried.startsWith(`${line}.`))
  if (version === undefined) throw new Error(`Node ${line} is not tried`)
  return version
}

/** The context of the image, and what was built. */
function contextWithBuild(): string {
  buildOnce()
  const file = path.join(folder, 'ignore')
  const lines = read('.dockerignore').split('\n')
  expect(lines).toContain('packages/*/dist')
  writeFileSync(file, lines.filter((line) => line !== 'packages/*/dist').join('\n'))
  return file
}

interface Container {
  readonly name: string
  readonly url: string
  log(): Promise<string>
  ready(): Promise<void>
}

let started = 0

/** A copy of .env.example, filled in here and there. */
function environmentFile(values: Readonly<Record<string, string | number>>): string {
  const file = path.join(folder, `environment-${++files}`)
  const example = read('.env.example')
  writeFileSync(
    file,
    example.replace(/^(\w+)=$/gm, (line, name) => line + (values[name] ?? '')),
  )
  return file
}
let files = 0

/** With the embedded database. */
const MEMORY = ['--memory', settingOf('ishtirak.service', 'MemoryMax')]
const SECRETS = { AUTH_JWT_SECRET: JWT_SECRET, CHARGILY_SECRET_KEY: CHARGILY_KEY }

/** As docs/deploy.md starts it, but on the network of this machine, since there may be no other. */
async function start(
  options: readonly string[],
  values: Readonly<Record<string, string>> = {},
): Promise<Container> {
  const port = await freePort()
  const variables = {
    ...SECRETS,
    HOST: '127.0.0.1',
    PORT: port,
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    ...values,
  }
  const name = `service-${++started}`
  await podman.run(
    ...['run', '--detach', '--name', name, '--network', 'host', '--health-interval', 'disable'],
    ...['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
    // What the unit of systemd allows.
    ...['--security-opt', `seccomp=${path.join(folder, 'seccomp.json')}`],
    ...['--env-file', environmentFile({ DRAIN_SECONDS: 1, ...variables }), ...options, IMAGE],
  )
  const url = `http://127.0.0.1:${port}`
  const log = () => podman.run('logs', name)
  const ready = async () => {
    try {
      await waitFor(() =>
        fetch(`${url}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      )
    } catch (cause) {
      throw new Error(await log(), { cause })
    }
  }
  return { name, url, log, ready }
}

const inspect = (what: string, format: string) => podman.run('inspect', '--format', format, what)

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
  it('on a server runs in 256 MB, writes nowhere but /data, is healthy, and stops in time', async () => {
    const { name, url, ready } = await start(['--memory', '256m'], { DATABASE_URL: await postgresUrl() })
    await ready()
    expect(await podman.run('exec', name, 'node', '--version')).toBe(`v${versionOfImage()}`)
    expect((await fetch(`${url}/api/v1/billing/plans`)).status).toBe(200)
    await podman.run('healthcheck', 'run', name)
    const look = `const { writeFileSync } = require('node:fs')
      const write = (file) => {
        try { writeFileSync(file, ''); return 'written' } catch ({ code }) { return code }
      }
      const written = ['/x', '/app/x', '/tmp/x', '/data/x'].map(write)
      console.log(process.getuid(), ...written, process.constrainedMemory() / 2 ** 20)`
    expect(await podman.run('exec', name, 'node', '-e', look)).toBe('1000 EROFS EROFS EROFS written 256')
    await podman.run('stop', '--time', '30', name)
    expect(await inspect(name, '{{.State.ExitCode}} {{.State.OOMKilled}}')).toBe('0 false')
  })

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
})
