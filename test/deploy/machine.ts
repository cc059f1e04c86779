// A network and mounts that no other process sees, for programs with fixed ports and places. Needs root.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { PATH } from './files.js'

const exec = promisify(execFile)

export interface Machine {
  run(program: string, ...parameters: readonly string[]): Promise<string>
  /** Until the machine is closed, or the process is ended. */
  start(env: Readonly<Record<string, string>>, program: string, ...parameters: readonly string[]): Started
  close(): Promise<void>
}

export interface Started {
  said(): string
  hasEnded(): boolean
  end(): Promise<number | null>
}

const SET_UP = `set -e
ip link set lo up
ip addr add 172.30.250.10/24 dev lo
mount -t tmpfs tmpfs /var/log
mkdir /var/log/nginx /var/log/caddy
mount --bind "$0" /etc/hosts
echo ready
exec cat`

/** Hands connections to port 5432 of the machine to a socket in the file system. */
const FORWARD = `const net = require('node:net')
net.createServer((client) => {
  const server = net.connect(process.argv[1])
  client.pipe(server).pipe(client)
  for (const end of [client, server]) end.on('error', () => { client.destroy(); server.destroy() })
}).listen(5432, '0.0.0.0')`

/** `names` lead to the machine itself; its port 5432 to `postgres`, an address of this one. */
export async function openMachine(
  folder: string,
  names: readonly string[],
  postgres: string,
): Promise<Machine> {
  const hosts = path.join(folder, 'hosts')
  writeFileSync(hosts, `127.0.0.1 localhost ${names.join(' ')}\n`)
  const keeper = spawn('unshare', ['--net', '--mount', 'sh', '-c', SET_UP, hosts], {
    ...{ env: { PATH }, stdio: ['pipe', 'pipe', 'inherit'] },
  })
  const ended = once(keeper, 'exit').then(() => Promise.reject(new Error('no machine of its own: root?')))
  ended.catch(() => undefined)
  await Promise.race([once(keeper.stdout, 'data'), ended])
  const inside = (words: readonly string[]) => [
    ...['--target', String(keeper.pid), '--net', '--mount', '--', ...words],
  ]
  const children: ChildProcess[] = []
  const start: Machine['start'] = (env, ...words) => {
    // A file: what opens /dev/stdout cannot open a socket, which a pipe of Node's is.
    const log = path.join(folder, `log-${children.length}`)
    const output = openSync(log, 'a')
    const child = spawn('nsenter', inside(words), { env, stdio: ['ignore', output, output] })
    closeSync(output)
    children.push(child)
    const end = async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child.exitCode
    }
    return { said: () => readFileSync(log, 'utf8'), hasEnded: () => child.exitCode !== null, end }
  }
  const socket = path.join(folder, 'postgres')
  const { hostname, port } = new URL(postgres)
  const gate = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.pipe(server).pipe(client)
    for (const one of [client, server])
      one.on('error', () => {
        client.destroy()
        server.destroy()
      })
  }).listen(socket)
  await once(gate, 'listening')
  start({ PATH }, process.execPath, '-e', FORWARD, socket)
  return {
    run: async (...words) => (await exec('nsenter', inside(words), { env: { PATH } })).stdout,
    start,
    close: async () => {
      for (const child of children) child.kill('SIGTERM')
      gate.close()
      keeper.kill('SIGTERM')
      await once(keeper, 'exit')
    },
  }
}
