// The data of a service under test, and how it is read while the service is stopped: a folder that only one
// process may open, or a database on a server, which can be read at any time.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { freePort } from '../support/free-port.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'

export interface Installation {
  /** The service's configuration. */
  readonly env: Record<string, string>
  /**
   * Whether the database is read at this cycle: opening the embedded one does the recovery that the service
   * should do.
   */
  isAuditedAt(cycle: number): boolean
  /** Opens the database; the service must be stopped. */
  whileStopped<Result>(read: (database: Database) => Promise<Result>): Promise<Result>
  remove(): Promise<void>
}

const EMBEDDED_AUDIT_EVERY = 20

/** A new data folder, copied from `from` if given, because creating the database takes seconds. */
export async function embeddedInstallation(emulator: Emulator, from?: string): Promise<Installation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-faults-'))
  if (from !== undefined) await cp(from, folder, { recursive: true })
  return {
    env: { ...(await commonEnv(emulator)), DATA_DIR: folder },
    isAuditedAt: (cycle) => cycle % EMBEDDED_AUDIT_EVERY === 0,
    whileStopped: async (read) => await readAndClose(await openFolder(path.join(folder, 'database')), read),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** An existing, empty database. */
export async function serverInstallation(emulator: Emulator, url: string): Promise<Installation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-faults-'))
  return {
    env: { ...(await commonEnv(emulator)), DATA_DIR: folder, DATABASE_URL: url },
    isAuditedAt: () => true,
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
    BALANCE_MAX: '100000',
    LOG_LEVEL: 'info',
  }
}

async function readAndClose<Result>(
  database: Database,
  read: (database: Database) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(database)
  } finally {
    await database.close()
  }
}
