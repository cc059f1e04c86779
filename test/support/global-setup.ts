// Before all tests: a PostgreSQL server with a migrated template, and the dump of a migrated embedded database. Each
// test file makes its own database from them, which takes a moment instead of seconds.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/store/migrate.js'
import { openMemory } from '../../src/store/pglite.js'
import { openPostgres } from '../../src/store/postgres.js'
import { createDatabase, dropDatabase, withDatabaseName } from './admin.js'
import { startServer } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the server in which others may be created. */
    serverUrl: string
    /** The migrated database from which the tests' own are copied. */
    templateName: string
    /** A tar file: the migrated embedded database. */
    dumpPath: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const templateName = `ishtirak_template_${process.pid}`
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startServer() : undefined
  const serverUrl = given ?? server?.url ?? ''
  const teardown = async () => {
    if (server === undefined) await dropDatabase(serverUrl, templateName)
    else await server.remove()
  }
  try {
    const [dumpPath] = await Promise.all([migratedDump(), createTemplate(serverUrl, templateName)])
    project.provide('serverUrl', serverUrl)
    project.provide('templateName', templateName)
    project.provide('dumpPath', dumpPath)
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

/**
 * Creating an embedded database takes seconds, loading its dump half of one: the dump is kept for the next run, under
 * a name that says what it was made from.
 */
async function migratedDump(): Promise<string> {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/ishtirak-tests')
  const path = join(folder, `${fingerprint()}.tar`)
  if (existsSync(path)) return path
  // What was made from other migrations will hardly be asked for again.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const database = await openMemory()
  try {
    await migrate(database)
    const dump = await database.dump()
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, new Uint8Array(await dump.arrayBuffer()))
    renameSync(unfinished, path)
    return path
  } finally {
    await database.close()
  }
}

function fingerprint(): string {
  const root = join(import.meta.dirname, '../..')
  const migrations = readdirSync(join(root, 'migrations')).sort()
  const files = [
    ...migrations.map((name) => join(root, 'migrations', name)),
    join(root, 'src/store/migrate.ts'),
    join(root, 'node_modules/@electric-sql/pglite/package.json'),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
