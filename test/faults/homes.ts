// Where a service under test keeps its data, and how its books are read while it is dead: a folder that only one process
// may open, or a database on a server that anybody may ask at any time.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { freePort } from '../support/free-port.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'

export interface Home {
  /** What the service is started with. */
  readonly env: Record<string, string>
  /** Whether the books are read at this cycle: opening the embedded database takes a recovery away from the service. */
  booksAreOpenEvery(cycle: number): boolean
  /** Opens the books; no service may be running on them. */
  whileStopped<Result>(read: (books: Database) => Promise<Result>): Promise<Result>
  remove(): Promise<void>
}

const EMBEDDED_BOOKS_EVERY = 20

/** A new data folder; `from` is one that is copied, since creating the database costs seconds. */
export async function embeddedHome(emulator: Emulator, from?: string): Promise<Home> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-faults-'))
  if (from !== undefined) await cp(from, folder, { recursive: true })
  return {
    env: { ...(await commonEnv(emulator)), DATA_DIR: folder },
    booksAreOpenEvery: (cycle) => cycle % EMBEDDED_BOOKS_EVERY === 0,
    whileStopped: async (read) => await readAndClose(await openFolder(path.join(folder, 'database')), read),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A database that exists and that the service may fill. */
export async function serverHome(emulator: Emulator, url: string): Promise<Home> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-faults-'))
  return {
    env: { ...(await commonEnv(emulator)), DATA_DIR: folder, DATABASE_URL: url },
    booksAreOpenEvery: () => true,
    whileStopped: async (read) => await readAndClose(openPostgres({ url, maxConnections: 1 }), read),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function commonEnv(emulator: Emulator): Promise<Record<string, string>> {
  return {
    PORT: String(await freePort()),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: emulator.url,
    AUTH_JWT_SECRET: JWT_SECRET,
    LOG_LEVEL: 'info',
  }
}

async function readAndClose<Result>(
  books: Database,
  read: (books: Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(books)
  } finally {
    await books.close()
  }
}
