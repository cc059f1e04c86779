// A database or a backup (test/fixtures) of before 0001_schema is refused by all that opens it, in one sentence
// that names the last program that can. What `serve` and `migrate` say is in database/migrate.test.ts.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { restoreFrom } from '../../packages/ishtirak/src/backup/backup.js'
import { restoreBackup, writeBackup } from '../../packages/ishtirak/src/backup/backup.sql.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { readConfig } from '../../packages/ishtirak/src/main/config.js'
import { checkReadiness } from '../../packages/ishtirak/src/main/readiness.js'
import { examineDatabase } from '../../packages/ishtirak/src/overview/examine.js'
import { systemClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { DATABASE_KINDS } from '../support/database-kinds.js'
import { emptyPostgresUrl, readDump } from '../support/databases.js'
import { START } from '../support/world.js'

const BACKUP = fileURLToPath(new URL('../fixtures/schema-11.backup.gz', import.meta.url))
const refusalOf = (what: string) =>
  `the ${what} has schema 11 of before the first release, and this program cannot open it; ` +
  'the last one that can has 0039_events_without_reference as its newest migration (docs/upgrade.md)'

const selectTables = statement(
  'test.earlier.tables',
  `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
)

/** Of this program, as far as it is read. */
async function* aBackup() {
  yield '{"ishtirak_backup":2,"schema":1,"taken_at":"2026-11-21T12:00:00Z"}'
}

describe.each(DATABASE_KINDS)('schema 11 (%s)', (kind) => {
  let database: Database
  beforeAll(async () => {
    database =
      kind === 'pglite'
        ? await openMemory(readDump('emptyDumpPath'))
        : openPostgres({ url: await emptyPostgresUrl() })
    return () => database.close()
  })
  const tables = async () => (await database.query(selectTables)).map(({ name }) => name)

  it('in a backup: `restore` refuses it, and makes no table', async () => {
    expect(gunzipSync(readFileSync(BACKUP)).toString()).toMatch(/^{"ishtirak_backup":1,"schema":11,/)
    await expect(restoreFrom(BACKUP, database, null)).rejects.toMatchObject({
      name: 'RestoreRefused',
      message: refusalOf('backup'),
    })
    expect(await tables()).toEqual([])
  })

  it('in a database: backup, restore and doctor refuse it as well, and it stays', async () => {
    await database.script(
      `create table schema_migrations (version integer primary key, name text, checksum text);
       insert into schema_migrations
       select n, case n when 1 then '0001_billing.sql' end, '' from generate_series(1, 11) n`,
    )
    const message = refusalOf('database')
    const saved = writeBackup(database, START, () => undefined)
    await expect(saved).rejects.toMatchObject({ name: 'BackupRefused', message })
    await expect(restoreBackup(database, aBackup, null)).rejects.toMatchObject({ message })
    expect(await checkReadiness(database, systemClock())).toMatchObject({ ready: false })
    const found: string[] = []
    for await (const check of examineDatabase(readConfig({}), database, undefined))
      if (check.verdict === 'fail') found.push(check.found)
    expect(found).toEqual(['version 11 of before the first release'])
    expect(await tables()).toEqual(['schema_migrations'])
  })
})
