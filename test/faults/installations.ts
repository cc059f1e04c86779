// A folder that only one process may open, or a database on a server.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'

export interface Installation {
  /** The service's configuration. It listens on any port, since the emulator has nothing to tell it. */
  readonly env: Record<string, string>
  /** Every how many cycles the database is read: opening the embedded one recovers it for the service. */
  readonly auditEvery: number
  whileStopped<Result>(read: (database: Database) => Promise<Result>): Promise<Result>
  remove(): Promise<void>
}

/** A folder is copied from `from`, because creating one takes seconds. */
export async function install(
  emulator: Emulator,
  { url, from }: { readonly url?: string; readonly from?: string } = {},
): Promise<Installation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-faults-'))
  if (from !== undefined) await cp(from, folder, { recursive: true })
  return {
    env: {
      ...{ PORT: '0', DATA_DIR: folder, ...(url !== undefined && { DATABASE_URL: url }) },
      ...{ CHARGILY_SECRET_KEY: CHARGILY_KEY, CHARGILY_API_URL: emulator.url },
      ...{ AUTH_JWT_SECRET: JWT_SECRET, BALANCE_MAX: '100000', LOG_LEVEL: 'info' },
    },
    auditEvery: url === undefined ? 20 : 1,
    whileStopped: (read) =>
      url === undefined ? readFolder(path.join(folder, 'database'), read) : readServer(url, read),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const readFolder = async <Result>(folder: string, read: (database: Database) => Promise<Result>) =>
  readAndClose(await openFolder(folder), read)

export const readServer = <Result>(url: string, read: (database: Database) => Promise<Result>) =>
  readAndClose(openPostgres({ url, maxConnections: 1 }), read)

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
