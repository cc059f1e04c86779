// Chooses the database, and loads no other: a server for a postgres URL, else the embedded one. It refuses
// URLs that it does not understand rather than falling back to an empty database.
import { missingPackages } from '../runtime/package.js'
import type { Database } from './database.js'

export interface DatabaseOptions {
  /** `postgres://…`, or `memory:` for one that is gone when it is closed. Default: embedded, in `dataDir`. */
  readonly url?: string
  /** The folder of the embedded database, `./data` by default. Created if it is missing. */
  readonly dataDir?: string
  /** Connections to a server; see `PostgresOptions`. */
  readonly maxConnections?: number
  /** The schema that every statement goes to; by default the database's own, `public`. */
  readonly schema?: string
  readonly log?: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** Called when the embedded database has failed until the process restarts. */
  readonly onFailure?: () => void
}

/** The URL of a database that we do not know. */
export class UnknownDatabase extends Error {
  override readonly name = 'UnknownDatabase'
}

/** None of these characters can end the setting that the name goes into. */
const SCHEMA_NAME = /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/

function schemaName(name: string): string {
  // A host in JavaScript may give null, which the pattern would read as a name.
  if (typeof name === 'string' && SCHEMA_NAME.test(name)) return name
  throw new TypeError('a schema is named by a to z, 0 to 9 and _, not beginning with a digit or pg_')
}

/** The package of the embedded database, which is optional, is not installed. */
export class EmbeddedDatabaseMissing extends Error {
  override readonly name = 'EmbeddedDatabaseMissing'
}

/** Throws `EmbeddedDatabaseMissing`, `DataFolderLocked`, `DataFolderUnusable`; a server is not asked yet. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, dataDir = './data', log, onFailure, ...pool } = options
  const schema = options.schema === undefined ? {} : { schema: schemaName(options.schema) }
  if (url === undefined) {
    const { openFolder } = await loadEmbedded()
    return await openFolder(dataDir, {
      ...schema,
      onFailure: (error) => {
        log?.error({ err: error }, 'the embedded database has failed; restart the process')
        onFailure?.()
      },
    })
  }
  if (url === 'memory:') return await (await loadEmbedded()).openMemory(undefined, schema)
  // The URL is not repeated: it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new UnknownDatabase('DATABASE_URL is neither postgres://… nor memory:')
  const { openPostgres } = await import('./server/postgres.js')
  return openPostgres({
    ...pool,
    url,
    onConnectionLost: (error) => log?.warn({ err: error }, 'an idle database connection was lost'),
  })
}

async function loadEmbedded() {
  const [missing] = missingPackages(['@electric-sql/pglite'])
  if (missing === undefined) return await import('./embedded/pglite.js')
  throw new EmbeddedDatabaseMissing(
    `the embedded database is not installed: npm install ${missing}, ` +
      `or set DATABASE_URL to a PostgreSQL server`,
  )
}
