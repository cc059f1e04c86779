import { randomUUID } from 'node:crypto'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, dropDatabase, withDatabaseName } from '../support/admin.js'
import { startServer } from '../support/postgres-server.js'

export interface Databases {
  readonly urls: readonly string[]
  remove(): Promise<void>
}

export async function openDatabases(kind: 'pglite' | 'postgres', count: number): Promise<Databases> {
  const each = Array.from({ length: count })
  if (kind === 'pglite') return { urls: each.map(() => 'memory:'), remove: async () => undefined }
  const given = process.env.TEST_DATABASE_URL
  const server = given === undefined ? await startServer() : null
  const serverUrl = given ?? server?.url ?? ''
  const names = each.map(() => `simulation_${randomUUID().replaceAll('-', '')}`)
  for (const name of names) await createDatabase(serverUrl, name)
  const urls = names.map((name) => withDatabaseName(serverUrl, name))
  for (const url of urls) await hurry(url)
  return {
    urls,
    remove: async () => {
      for (const name of names) await dropDatabase(serverUrl, name)
      await server?.remove()
    },
  }
}

/** Generic plans do not depend on earlier statements: quicker to make, and the same in every replay. */
export const STEADY_PLANS = 'plan_cache_mode = force_generic_plan'

/** Power loss is tested elsewhere (test/faults), so commits need not wait for the disk. */
async function hurry(url: string): Promise<void> {
  const database = openPostgres({ url, maxConnections: 1 })
  const name = new URL(url).pathname.slice(1)
  const settings = ['synchronous_commit = off', STEADY_PLANS]
  await database.script(settings.map((setting) => `alter database ${name} set ${setting};`).join('\n'))
  await database.close()
}
