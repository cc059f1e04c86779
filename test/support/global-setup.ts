// Before all tests: a PostgreSQL server with a migrated template, and the dump of a migrated embedded database. Each
// test file makes its own database from them, which takes a moment instead of seconds.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-tests-'))
  const templateName = `ishtirak_template_${process.pid}`
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startServer() : undefined
  const serverUrl = given ?? server?.url ?? ''
  const teardown = async () => {
    rmSync(folder, { recursive: true, force: true })
    if (server === undefined) await dropDatabase(serverUrl, templateName)
    else await server.remove()
  }
  try {
    const dumpPath = join(folder, 'migrated.tar')
    await Promise.all([createTemplate(serverUrl, templateName), writeDump(dumpPath)])
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

async function writeDump(path: string): Promise<void> {
  const database = await openMemory()
  try {
    await migrate(database)
    const dump = await database.dump()
    writeFileSync(path, new Uint8Array(await dump.arrayBuffer()))
  } finally {
    await database.close()
  }
}
