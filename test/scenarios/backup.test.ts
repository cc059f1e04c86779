// A backup holds everything, of one instant; restored into either kind of database nothing is lost, and what came after it
// is found by the comparison with the provider.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backUpTo, restoreFrom } from '../../src/backup-file.js'
import { writeBackup } from '../../src/store/backup.js'
import { type Database, statement } from '../../src/store/database.js'
import { expectedVersion } from '../../src/store/migrate.js'
import { openMemory } from '../../src/store/pglite.js'
import { openPostgres } from '../../src/store/postgres.js'
import {
  type DatabaseKind,
  describeOnBothDatabases,
  emptyPostgresUrl,
  freshDatabase,
  readDump,
} from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { createWorld, START } from '../support/world.js'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ishtirak-backup-'))
  file = join(folder, 'backup.gz')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A database without a schema, as it is after `create database`. */
async function emptyDatabase(kind: DatabaseKind): Promise<Database> {
  return kind === 'pglite'
    ? await openMemory(readDump('emptyDumpPath'))
    : openPostgres({ url: await emptyPostgresUrl() })
}

async function linesOf(database: Database): Promise<readonly string[]> {
  const lines: string[] = []
  await writeBackup(database, START, (line) => void lines.push(line))
  return lines.filter((line) => line.includes('\t') && !line.startsWith('end\t')).sort()
}

const receipts = statement('test.backup.receipts', 'select user_id, number from receipts order by number')

describeOnBothDatabases('a backup', ({ kind, database }) => {
  it.each<DatabaseKind>(['pglite', 'postgres'])(
    'restored into %s: nothing is lost, receipts continue, and what was paid since is found and booked',
    async (target) => {
      const before = await createWorld(database(), { env: OPERATOR_ENV })
      await before.as('user-1').buy()
      await before.as('أمين"\\').buy()
      const pending = await before.as('user-3').upgrade()
      await backUpTo(file, database(), START)
      const saved = await linesOf(database())
      await before.service.stop()

      const restored = await emptyDatabase(target)
      const contents = await restoreFrom(file, restored)
      expect(contents).toMatchObject({
        schema: await expectedVersion(),
        rows: { users: 3, payments: 3, receipts: 2 },
      })
      expect(await linesOf(restored)).toEqual(saved)
      // Mail is not owed a second time, and the rules of the schema are in force again.
      expect(await restored.query(triggers)).toEqual([{ off: 0 }])

      // Paid after the copy, which has the click.
      await before.emulator.pay(pending.checkoutId, 'paid')
      const { clock, emulator } = before
      const after = await createWorld(restored, { env: OPERATOR_ENV, clock, emulator })
      expect((await after.as('user-1').get('/api/v1/billing/status')).body.plan).toBe('pro')
      await operatorOf(after).post('/reconciliations', { since: '2026-11-20' })
      expect((await after.as('user-3').get('/api/v1/billing/status')).body.plan).toBe('pro')
      await after.as('user-4').buy()
      const numbers = (await restored.query(receipts)).map(({ number }) => number)
      expect(numbers).toEqual([1, 2, 3, 4])
      await after.stop()
      await emulator.close()
      await restored.close()
    },
  )

  it('is readable by its owner alone, and never overwrites a file', async () => {
    await backUpTo(file, database(), START)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await expect(backUpTo(file, database(), START)).rejects.toMatchObject({ name: 'BackupExists' })
  })

  it('is refused by a database that is not empty, which stays as it is', async () => {
    await backUpTo(file, database(), START)
    await database().script("insert into receipt_series values ('TEST-2026', 7)")
    const before = await linesOf(database())
    await expect(restoreFrom(file, database())).rejects.toThrow('not empty, receipt_series has rows')
    expect(await linesOf(database())).toEqual(before)
  })

  it.each<[string, (text: string) => string, string]>([
    ['cut off', (text) => text.slice(0, text.indexOf('\nend\t') + 1), 'not whole'],
    ['with a number changed', (text) => text.replace('"last_number":7', '"last_number":8'), 'not whole'],
    ['with a row missing', (text) => text.replace(/receipt_series\t.*\n/, ''), 'not whole'],
    ['of a newer schema', (text) => text.replace(/"schema":\d+/, '"schema":9999'), 'use the newer one'],
    ['with half a first line', (text) => `${text.slice(0, 25)}\n`, 'not whole'],
    ['that is none', () => 'something else\n', 'no backup of ishtirak'],
  ])('%s is refused, and nothing of it is written', async (_, change, sentence) => {
    await database().script("insert into receipt_series values ('TEST-2026', 7)")
    await backUpTo(file, database(), START)
    writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)).toString())))
    const fresh = await freshDatabase(kind)
    await expect(restoreFrom(file, fresh)).rejects.toThrow(sentence)
    expect(await linesOf(fresh)).toEqual([])
    await fresh.close()
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['is not compressed', gunzipSync],
  ])('whose file %s is refused in a sentence', async (_, change) => {
    await backUpTo(file, database(), START)
    writeFileSync(file, change(readFileSync(file)))
    const fresh = await freshDatabase(kind)
    await expect(restoreFrom(file, fresh)).rejects.toMatchObject({
      name: 'RestoreRefused',
      message: expect.stringContaining('cannot be unpacked'),
    })
    await fresh.close()
  })

  it('of a database that was never used is refused: another one was meant', async () => {
    const empty = await emptyDatabase(kind)
    await expect(backUpTo(file, empty, START)).rejects.toMatchObject({ name: 'BackupRefused' })
    expect(readdirSync(folder)).toEqual([])
    await empty.close()
  })
})

const triggers = statement(
  'test.backup.triggers',
  "select count(*) filter (where tgenabled = 'D') as off from pg_trigger where not tgisinternal",
)

describe('while the service works on a server', () => {
  it('the backup is of one instant: what is written meanwhile is not in it', async () => {
    const database = await freshDatabase('postgres')
    const lines: string[] = []
    await writeBackup(database, START, async (line) => {
      if (lines.length === 0) await database.script("insert into receipt_series values ('TEST-2026', 7)")
      lines.push(line)
    })
    expect(lines.filter((line) => line.includes('TEST-2026'))).toEqual([])
    expect(await linesOf(database)).toHaveLength(1)
    await database.close()
  })
})
