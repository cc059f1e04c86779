// Opens a server for a postgres URL, else the embedded database, and loads only that one. An unknown URL is
// refused, because an empty embedded database in its place would be worse.
import { missingPackages } from '../runtime/package.js'
import type { Database } from './database.js'
import type { FolderOptions } from './embedded/pglite.js'
import type { PostgresOptions } from './server/postgres.js'

export interface DatabaseOptions
  extends Pick<PostgresOptions, 'maxConnections' | 'schema'>,
    Pick<FolderOptions, 'isBare'> {
  /** `postgres://…`, or `memory:` for one that is lost when it is closed. Default: embedded, in `dataDir`. */
  readonly url?: string
  /** The folder of the embedded database; `./data` by default. It is created if it is missing. */
  readonly dataDir?: string
  readonly log?: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
  /** Called if the embedded database has failed. It stays failed until the process restarts. */
  readonly onFailure?: () => void
}

/** No character here can end the setting that the name is put into. */
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

/** Throws `EmbeddedDatabaseMissing`, `DataFolderLocked`, `DataFolderUnusable`. No server is called yet. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, dataDir = './data', isBare = false, log, onFailure, ...pool } = options
  const schema = options.schema === undefined ? {} : { schema: schemaName(options.schema) }
  if (url === undefined) {
    const { openFolder } = await loadEmbedded()
    return await openFolder(dataDir, {
      ...{ ...schema, isBare },
      onFailure: (error) => {
        log?.error({ err: error }, 'the embedded database has failed; restart the process')
        onFailure?.()
      },
    })
  }
  if (url === 'memory:') return await (await loadEmbedded()).openMemory(undefined, schema)
  // The message leaves out the URL, which may contain a password.
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new TypeError('the URL of the database is neither postgres://… nor memory:')
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
