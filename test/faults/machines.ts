// Machines in Linux namespaces, each with a network card, processes and a disk of its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { waitFor } from '../support/wait-for.js'

/** Debian keeps servers where only root looks. */
export const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

/** Runs a command in a computer of its own. What is started, mounted and connected there ends with it. */
export const ISOLATED = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
]

/** In memory, so that etcd shares no disk with three databases and nothing is left behind. */
const DISKS = '/run/machines'
const BRIDGE = 'lan'
/** The lines of a statement after its first, in PostgreSQL's log. */
const CONTINUED = /^\t.*\n/gm

/** Call it once, in the isolated process. */
export function createNetwork(address: string): void {
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run')
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
  run('ip', 'address', 'add', `${address}/24`, 'dev', BRIDGE)
  run('ip', 'link', 'set', BRIDGE, 'up')
}

// A server that refuses to run as root gets a user namespace in which the files of this machine are its own.
const BOOT = `
set -e
for place in $PLACES; do mount --bind "$DISK$place" "$place"; done
mount -t tmpfs tmpfs /run
mkdir /run/postgresql
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip address add "$ADDRESS/24" dev eth0
ip link set eth0 up
as() { user=$1; shift; unshare --user --map-user="$user" --map-group="$user" -- "$@"; }
eval "$SERVICES"
wait
`

export interface MachineOptions {
  readonly name: string
  readonly address: string
  /** Its files are laid over those of /etc. */
  readonly etc: string
  readonly folders: readonly string[]
  /** Shell commands, each in the background; \`as USER COMMAND\` runs one as another user. */
  readonly services: readonly string[]
}

export class Machine {
  readonly name: string
  readonly address: string
  readonly #env: Record<string, string>
  #process: ChildProcess | undefined
  #log = ''

  constructor({ name, address, etc, folders, services }: MachineOptions) {
    this.name = name
    this.address = address
    const disk = path.join(DISKS, name)
    const places = ['/etc', ...folders]
    for (const folder of places) mkdirSync(path.join(disk, folder), { recursive: true })
    // Who is not root may not read all of it.
    spawnSync('cp', ['-a', '/etc/.', path.join(disk, 'etc')], { stdio: 'ignore' })
    cpSync(etc, path.join(disk, 'etc'), { recursive: true })
    this.#env = {
      ...{ PATH, LANG: 'C.UTF-8', ADDRESS: address, DISK: disk, PLACES: places.join(' ') },
      SERVICES: services.map((service) => `${service} &`).join('\n'),
    }
  }

  get log(): string {
    return this.#log
  }

  async boot(): Promise<void> {
    const namespaces = ['--net', '--mount', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']
    const child = spawn('unshare', [...namespaces, 'sh', '-c', BOOT], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = child
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.#log += chunk.toString().replace(CONTINUED, '')
      })
    const id = child.pid ?? 0
    const children = () => readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim()
    await waitFor(
      () => children() !== '',
      () => this.#log,
    )
    run('ip', 'link', 'add', this.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', children())
    run('ip', 'link', 'set', this.name, 'master', BRIDGE, 'up')
  }

  /** As a power failure: every process ends at once (SIGKILL). The disk stays, and `boot` starts from it. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child) return
    this.#process = undefined
    const ended = once(child, 'close')
    // With it the first process of the machine is killed, and with that one all others.
    child.kill('SIGKILL')
    await ended
  }

  cutNetwork(): void {
    run('ip', 'link', 'set', this.name, 'down')
  }

  mendNetwork(): void {
    run('ip', 'link', 'set', this.name, 'up')
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { env: { PATH }, stdio: ['ignore', 'ignore', 'inherit'] })
}
