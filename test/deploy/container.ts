// Built without a registry. Containers have no rights, a read-only root and the system calls of the unit.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { nodeOf, TRIED_NODES } from '../packages/installation.js'
import { freePort } from '../support/free-port.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'
import { read, root } from './files.js'
import { openPodman, type Podman } from './podman.js'
import { seccompProfile } from './unit.js'

export const IMAGE = 'localhost/ishtirak'

export let podman: Podman
const folder = temporaryFolder()

beforeAll(async () => {
  podman = openPodman()
  requireTool('systemd')
  writeFileSync(path.join(folder, 'seccomp.json'), seccompProfile())
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { cwd: root, encoding: 'utf8' }).trim()
  const node = nodeOf(versionOfImage())
  await podman.run(
    ...['build', '--format', 'docker', '--layers=false', '--network', 'host', '--tag', IMAGE],
    // Fetching and building again what `npm ci` did takes half a minute of processor time.
    ...['--build-arg', `BASE=${await podman.makeBase(node)}`, '--volume', `${cache}:/root/.npm`],
    ...['--file', path.join(root, 'deploy/Containerfile'), '--ignorefile', contextWithBuild(), root],
  )
})
afterAll(() => podman.close())

/** The newest of those that the packages are tried on, in the line of the image that is built from. */
export function versionOfImage(): string {
  const [, line] = /^ARG BASE=\S+\/node:(\d+)-/m.exec(read('deploy/Containerfile')) ?? []
  const version = TRIED_NODES.find((tried) => tried.startsWith(`${line}.`))
  if (version === undefined) throw new Error(`Node ${line} is not tried`)
  return version
}

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

export function environmentFile(values: Readonly<Record<string, string | number>>): string {
  const file = path.join(folder, `environment-${++files}`)
  const example = read('.env.example')
  writeFileSync(
    file,
    example.replace(/^(\w+)=$/gm, (line, name) => line + (values[name] ?? '')),
  )
  return file
}
let files = 0

const SECRETS = { AUTH_JWT_SECRET: JWT_SECRET, CHARGILY_SECRET_KEY: CHARGILY_KEY }

/** As docs/deploy.md starts it, but on the network of this machine, since there may be no other. */
export async function start(
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

export const inspect = (what: string, format: string) => podman.run('inspect', '--format', format, what)
