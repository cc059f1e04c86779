// A PostgreSQL server with a migrated template and dumps of the embedded database, which all tests copy.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { type EmbeddedDatabase, openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, dropDatabases, withDatabaseName } from './admin.js'
import { DATABASE_KINDS, MOUNTED_SCHEMA } from './database-kinds.js'
import { nightlyReminder, readNightlyRecord } from './nightly-age.js'
import { startServer } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string
    /** The same server through the pooler of TEST_POOLER_URL, if there is one. */
    connectUrl: string
    templateName: string
    /** A tar file: the migrated embedded database. */
    dumpPath: string
    /** The same in a schema of its own, which a session has to name. */
    schemaDumpPath: string
    emptyDumpPath: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const templateName = `ishtirak_template_${process.pid}`
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startServer() : undefined
  const serverUrl = given ?? server?.url ?? ''
  const teardown = async () => {
    // The tests' own are named after it.
    if (server === undefined) await dropDatabases(serverUrl, templateName)
    else await server.remove()
  }
  console.info(`Tests run on ${DATABASE_KINDS.join(' and ')}.`)
  const reminder = nightlyReminder(readNightlyRecord(), Date.now())
  if (reminder !== null) console.info(reminder)
  try {
    // In turn: while the embedded database computes, the time limits of the server's queries would run out.
    const dumps = await makeDumps()
    await createTemplate(serverUrl, templateName)
    const provided = {
      serverUrl,
      connectUrl: process.env.TEST_POOLER_URL ?? serverUrl,
      templateName,
      ...dumps,
    }
    for (const [name, value] of Object.entries(provided))
      project.provide(name as keyof typeof provided, value)
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}

async function createTemplate(serverUrl: string, templateName: string): Promise<void> {
  await createDatabase(serverUrl, templateName)
  const database = openPostgres({ url: withDatabaseName(serverUrl, templateName), maxConnections: 1 })
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
}

/** Creating a database takes seconds, loading its dump half of one. The name says what it is made from. */
async function makeDumps() {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/ishtirak-tests')
  const named = (name: string) => join(folder, `${fingerprint()}${name}.tar`)
  const dumps = {
    ...{ dumpPath: named(''), schemaDumpPath: named(`-${MOUNTED_SCHEMA}`), emptyDumpPath: named('-empty') },
  }
  if (Object.values(dumps).every((path) => fs.existsSync(path))) return dumps
  fs.mkdirSync(folder, { recursive: true })
  removeOld(folder)
  const database = await openMemory()
  try {
    await writeDump(database, dumps.emptyDumpPath)
    await migrate(database)
    await writeDump(database, dumps.dumpPath)
  } finally {
    await database.close()
  }
  const mounted = await openMemory(new Blob([fs.readFileSync(dumps.emptyDumpPath)]), {
    schema: MOUNTED_SCHEMA,
  })
  try {
    await migrate(mounted)
    await writeDump(mounted, dumps.schemaDumpPath)
  } finally {
    await mounted.close()
  }
  return dumps
}

/** A run beside this one may still use what was made from other migrations. */
function removeOld(folder: string): void {
  const hourMs = 3_600_000
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - fs.statSync(path).mtimeMs > hourMs) fs.rmSync(path, { recursive: true, force: true })
  }
}

/** Another run may be reading or writing the same name. */
async function writeDump(database: EmbeddedDatabase, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`
  const { pglite } = database as unknown as { readonly pglite: PGlite }
  const dump = await pglite.dumpDataDir('none')
  fs.writeFileSync(unfinished, new Uint8Array(await dump.arrayBuffer()))
  fs.renameSync(unfinished, path)
}

function fingerprint(): string {
  const root = join(import.meta.dirname, '../..')
  const migrations = fs.readdirSync(join(root, 'packages/ishtirak/migrations')).sort()
  const files = [
    ...migrations.map((name) => join(root, 'packages/ishtirak/migrations', name)),
    join(root, 'packages/ishtirak/src/database/migrate.ts'),
    join(root, 'node_modules/@electric-sql/pglite/package.json'),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(fs.readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
