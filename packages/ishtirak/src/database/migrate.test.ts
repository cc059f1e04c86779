import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_KINDS } from '../../../../test/support/database-kinds.js'
import { emptyDatabase, emptyPostgresUrl, readDump } from '../../../../test/support/databases.js'
import { sql } from '../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { ConstraintViolation, type Database } from './database.js'
import { openMemory } from './embedded/pglite.js'
import { migrate, SchemaMismatch, schemaFit } from './migrate.js'
import { openPostgres } from './server/postgres.js'

/** Tables without a comment, and constraints with a name that PostgreSQL made. */
const selectUnnamed = sql(`select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and obj_description(oid, 'pg_class') is null and relname <> 'schema_migrations'
    union all
   select conname from pg_constraint
    where connamespace = current_schema()::regnamespace and contype <> 'n'
      and conname ~ '_(check|key|fkey|pkey)\\d*$' and conrelid <> 'schema_migrations'::regclass`)
const things = sql('select id from things order by id')

const FIRST = 'create table things (id integer primary key);\ninsert into things values (1);'
let directory = ''
beforeEach(() => {
  directory = temporaryFolder()
  write('0001_things.sql', FIRST)
  write('0002_more.sql', 'insert into things values (2);')
})

const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql)

describe.each(DATABASE_KINDS)('migrations (%s)', (kind) => {
  let database: Database
  let url = ''
  beforeAll(async () => {
    url = kind === 'postgres' ? await emptyPostgresUrl() : ''
    database = kind === 'postgres' ? openPostgres({ url }) : await openMemory(readDump('emptyDumpPath'))
    return () => database.close()
  })
  beforeEach(() => database.script('drop schema public cascade; create schema public'))

  it('are applied once, in order, and a new file to what is there', async () => {
    expect(await schemaFit(database)).toMatchObject({ current: 0 })
    expect(await migrate(database, { directory })).toEqual({
      applied: ['0001_things.sql', '0002_more.sql'],
      version: 2,
    })
    expect(await migrate(database, { directory })).toEqual({ applied: [], version: 2 })
    expect(await database.query(things)).toEqual([{ id: 1 }, { id: 2 }])
    expect(await schemaFit(database, { directory })).toMatchObject({ current: 2, expected: 2, runs: true })
    write('0003_third.sql', 'insert into things values (3);')
    expect(await migrate(database, { directory })).toEqual({ applied: ['0003_third.sql'], version: 3 })
  })

  it('a file that fails is named, and leaves nothing of itself, and those before it stay', async () => {
    write('0003_faulty.sql', 'insert into things values (3); insert into things values (3);')
    const failed = migrate(database, { directory })
    await expect(failed).rejects.toThrow('the migration 0003_faulty.sql failed, and nothing of it was kept: ')
    await expect(failed).rejects.toMatchObject({ cause: expect.any(ConstraintViolation) })
    expect(await schemaFit(database)).toMatchObject({ current: 2 })
    expect(await database.query(things)).toEqual([{ id: 1 }, { id: 2 }])
    write('0003_faulty.sql', 'insert into things values (3);')
    expect(await migrate(database, { directory })).toMatchObject({ applied: ['0003_faulty.sql'] })
  })

  it('several at once apply each file once', async () => {
    const others = kind === 'postgres' ? [openPostgres({ url }), openPostgres({ url })] : []
    const all = [database, ...others, database]
    const results = await Promise.all(all.map((each) => migrate(each, { directory })))
    expect(results.flatMap(({ applied }) => applied).sort()).toEqual(['0001_things.sql', '0002_more.sql'])
    expect(results.map(({ version }) => version)).toEqual(all.map(() => 2))
    expect(await database.query(things)).toEqual([{ id: 1 }, { id: 2 }])
    await Promise.all(others.map((other) => other.close()))
  })

  it('a newer database is refused with both numbers, unless all that is newer allows this code', async () => {
    write('0003_column.sql', '-- oldest-code: 2\nalter table things add column note text;')
    write('0004_table.sql', '-- oldest-code: 1\ncreate table notes (id integer);')
    await migrate(database, { directory })
    for (const name of ['0003_column.sql', '0004_table.sql']) rmSync(join(directory, name))
    expect(await migrate(database, { directory })).toEqual({ applied: [], version: 4 })
    expect(await schemaFit(database, { directory })).toMatchObject({ current: 4, expected: 2, runs: true })
    // Older code knows less than the third file requires, whatever the fourth allows.
    rmSync(join(directory, '0002_more.sql'))
    const refused = migrate(database, { directory })
    await expect(refused).rejects.toBeInstanceOf(SchemaMismatch)
    await expect(refused).rejects.toThrow('newer than this code, which knows 1; code that knows 2 or later')
    expect(await schemaFit(database, { directory })).toMatchObject({
      current: 4,
      expected: 1,
      oldestCode: 2,
      runs: false,
    })
  })

  it('a migration that names no older code allows none', async () => {
    await migrate(database, { directory })
    rmSync(join(directory, '0002_more.sql'))
    await expect(migrate(database, { directory })).rejects.toThrow('code that knows 2 or later')
  })

  it('a database with a file of another build is refused; other line ends are no other file', async () => {
    await migrate(database, { directory })
    write('0001_things.sql', FIRST.replace('\n', '\r\n'))
    expect(await migrate(database, { directory })).toMatchObject({ applied: [] })
    write('0001_things.sql', 'create table things (id integer);')
    const refusal = expect.stringContaining('0001_things.sql of the database is not the file of this program')
    await expect(migrate(database, { directory })).rejects.toMatchObject({ message: refusal })
    expect(await schemaFit(database, { directory })).toMatchObject({ runs: false, refusal })
  })
})

it('a gap in the numbers, a number used twice and a name without a number are refused', async () => {
  const notAsked = { query: () => Promise.reject(new Error('not asked')) }
  for (const name of ['0004_fourth.sql', '0002_another.sql', 'third.sql']) {
    write(name, 'select 1;')
    await expect(schemaFit(notAsked, { directory }), name).rejects.toBeInstanceOf(SchemaMismatch)
    rmSync(join(directory, name))
  }
})

it.each(DATABASE_KINDS)("the package's own migrations bring %s to where the code is", async (kind) => {
  const database = await emptyDatabase(kind)
  expect(await schemaFit(database)).toMatchObject({ runs: true })
  // Errors name a constraint, and psql shows the comment of a table.
  expect(await database.query(selectUnnamed)).toEqual([])
})
