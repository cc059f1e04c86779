// In transaction mode. Versions before 1.21 keep no prepared statements, so the URL turns them off.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plannerSettings } from '../../packages/ishtirak/src/database/session.js'
import { freePort } from '../support/free-port.js'
import { requireTool } from '../support/system-tools.js'
import { waitFor } from '../support/wait-for.js'

export interface Pooler {
  readonly url: string
  readonly version: string
  close(): Promise<void>
}

/** Debian installs it outside the usual PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`

export async function startPgbouncer(serverUrl: string): Promise<Pooler> {
  const [version = ''] = requireTool('pgbouncer').split('\n')
  const server = new URL(serverUrl)
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-pgbouncer-'))
  const port = await freePort()
  writeConfiguration(folder, server, port)
  const asWhom = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn('pgbouncer', [...asWhom, join(folder, 'pgbouncer.ini')], {
    env: { PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  await waitFor(
    () => log.includes('process up') || child.exitCode !== null,
    () => log,
  )
  if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${log}`)
  const url = new URL(serverUrl)
  url.port = String(port)
  url.searchParams.set('statements', 'unnamed')
  const close = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: url.href, version, close }
}

/** The role's settings from deploy/pooler.sql: a transaction pooler carries no session settings. */
export function roleSettings(role: string): readonly string[] {
  const limits = ['statement_timeout=15000', 'idle_in_transaction_session_timeout=60000']
  return [...limits, ...plannerSettings].map((setting) => `alter role ${role} set ${setting}`)
}

function writeConfiguration(folder: string, server: URL, port: number): void {
  // PgBouncer refuses to run as root: another user must be able to read this.
  chmodSync(folder, 0o755)
  const { username, password } = server
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
`,
  )
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
