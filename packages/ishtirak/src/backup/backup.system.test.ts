import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type DatabaseKind,
  describeScenario,
  emptyDatabase,
  emptyPostgresUrl,
  freshDatabase,
  readDump,
} from '../../../../test/support/databases.js'
import { ENTERED_COMPANY } from '../../../../test/support/fixtures.js'
import { payElsewhere } from '../../../../test/support/foreign-checkout.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { textOf } from '../../../../test/support/pdf.js'
import { png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { createWorld, START, tokenOf, type World } from '../../../../test/support/world.js'
import { setBuyer } from '../buyers/set-buyer.js'
import { type Database, DatabaseError } from '../database/database.js'
import { openMemory } from '../database/embedded/pglite.js'
import { schemaFit } from '../database/migrate.js'
import { openPostgres } from '../database/server/postgres.js'
import { readReceipt } from '../documents/receipt.js'
import { backUpTo, receiveBackup, restoreFrom } from './backup.js'
import { writeBackup } from './backup.sql.js'

let folder = ''
let file = ''
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'backup.gz')
})

/** A database without a schema, as it is after `create database`. */
async function withoutSchema(kind: DatabaseKind): Promise<Database> {
  return kind === 'pglite'
    ? await openMemory(readDump('emptyDumpPath'))
    : openPostgres({ url: await emptyPostgresUrl() })
}

async function linesOf(database: Database): Promise<readonly string[]> {
  const lines: string[] = []
  await writeBackup(database, START, (line) => void lines.push(line))
  return lines.filter((line) => line.includes('\t') && !line.startsWith('end\t')).sort()
}

const bearer = async (sub: string) => ({ authorization: `Bearer ${await tokenOf({ sub })}` })

async function isDuplicate(world: World, document: Parameters<typeof readReceipt>[1]): Promise<boolean> {
  const { content } = await readReceipt(world.service.parts, document, 'buyer')
  return textOf(content ?? new Uint8Array()).includes('Duplicata')
}

const receipts = sql('select series, number from documents where place = 0 order by number')

describeScenario('a backup', ({ kind, database, reset }) => {
  it.each<[DatabaseKind, DatabaseKind]>([
    ['pglite', 'postgres'],
    ['postgres', 'pglite'],
  ])(
    'of %s restored into %s: nothing is lost, receipts continue, and what was paid since is found and booked',
    async (source, target) => {
      const origin = await emptyDatabase(source)
      const before = await createWorld(origin, { env: { TRANSFER_FILE, BALANCE_MAX: '10000' } })
      await before.as('user-1').buy()
      await operatorOf(before).post('/users/user-1/correct', { amount: 2_500, why: 'a mistake' })
      const renewal = { headers: await bearer('user-1'), body: { plan: 'pro', months: 1 } }
      await before.call('PUT', '/api/v1/billing/balance/renewal', renewal)
      const transfer = { plan: 'pro', method: 'transfer' }
      const { body: asked } = await before.as('user-4').post('/api/v1/billing/payments', transfer)
      // Three parts of 24 KiB.
      const proof = { headers: await bearer('user-4'), body: png({ extra: 60_000 }) }
      await before.call('PUT', `/api/v1/billing/payments/${asked.id}/proof`, proof)
      await operatorOf(before).post('/users/user-1/grant', { days: 14, why: 'an outage' })
      await before.as('أمين"\\').buy()
      const { body: balance } = await before.as('user-1').get('/api/v1/billing/balance')
      expect([balance.amount, balance.data.length, balance.renewal.plan]).toEqual([2_500, 1, 'pro'])
      const pending = await before.as('user-3').upgrade()
      await backUpTo(file, origin, START)
      const saved = await linesOf(origin)
      await before.service.stop()

      const restored = await withoutSchema(target)
      const contents = await restoreFrom(file, restored, null)
      expect(contents).toMatchObject({
        schema: (await schemaFit(restored)).expected,
        rows: { users: 4, payments: 4, transfers: 1, documents: 2, grants: 1 },
      })
      expect(await linesOf(restored)).toEqual(saved)
      // Mail is not owed a second time, and the rules of the schema are in force again.
      expect(await restored.query(triggers)).toEqual([{ off: 0 }])

      // Paid after the copy, which has the click.
      await before.emulator.pay(pending.checkoutId, 'paid')
      const { clock, emulator } = before
      const after = await createWorld(restored, { env: { BALANCE_MAX: '10000' }, clock, emulator })
      expect((await after.as('user-1').get('/api/v1/billing/balance')).body).toEqual(balance)
      expect((await after.as('user-1').get('/api/v1/billing/status')).body.plan).toBe('pro')
      await operatorOf(after).post('/reconciliations/start', { since: '2026-11-20' })
      expect((await after.as('user-3').get('/api/v1/billing/status')).body.plan).toBe('pro')
      await after.as('user-4').buy()
      const numbers = (await restored.query(receipts)).map(({ number }) => number)
      expect(numbers).toEqual([1, 2, 3, 4])
      await after.stop()
      await emulator.close()
      await restored.close()
    },
  )

  it('of before: the operator books what was bought since, and no receipt number comes twice', async () => {
    const before = await createWorld(database())
    await before.as('user-1').buy()
    await backUpTo(file, database(), START)
    const { paymentId } = await before.as('user-2').buy()
    const { body: paid } = await before.as('user-2').get('/api/v1/billing/payments')
    // Not as it was ordered, not ours at all, and not ours although it looks alike.
    const ours = { payment_id: 'pay_01jd7v0000abcdefghjkmnpqrs', user_id: 'user-3', plan_id: 'pro' }
    const { payment_id: _, ...withoutPayment } = ours
    const foreign = { ...ours, payment_id: 'order-12' }
    for (const metadata of [ours, withoutPayment, foreign]) {
      await payElsewhere(before, metadata, 5_000)
    }
    await before.service.stop()

    const restored = await withoutSchema('postgres')
    await restoreFrom(file, restored, Date.parse('2026-11-21T12:34:56Z'))
    const { clock, emulator } = before
    const after = await createWorld(restored, { clock, emulator })
    const operator = operatorOf(after)
    const found = async (unknown?: string) => {
      const { body } = await operator.post('/reconciliations/start', { since: '2026-11-20', unknown })
      const { discrepancies } = body as { discrepancies: { user_id: string | null; outcome: string }[] }
      return discrepancies.map(({ user_id, outcome }) => `${user_id}: ${outcome}`).sort()
    }
    const reported = ['null: unknown_checkout', 'null: unknown_checkout']
    expect(await found()).toEqual([...reported, ...reported])
    expect(await found('book')).toEqual([...reported, 'user-2: booked', 'user-3: review'])
    expect(await found('book')).toEqual([...reported, 'user-3: unchanged'])

    // The provider's instant, which is the one that was booked before.
    const { body: again } = await after.as('user-2').get('/api/v1/billing/payments')
    const [{ paid_at, period_start, period_end }] = paid.data
    expect(again.data).toMatchObject([{ id: paymentId, status: 'paid', paid_at, period_start, period_end }])
    await after.as('user-4').buy()
    const numbers = (await restored.query(receipts)).map(({ series, number }) => `${series} ${number}`)
    const mark = 'TEST-2026-R20261121123456'
    expect(numbers.sort()).toEqual(['TEST-2026 1', `${mark} 1`, `${mark} 2`])

    // The next year is a new series anyway.
    clock.advance(60 * 86_400_000)
    await after.as('user-5').buy()
    expect(await restored.query(receipts)).toContainEqual({ series: 'TEST-2027', number: 1 })
    await operator.post(`/payments/${ours.payment_id}/accept`, { why: 'the user was asked' })
    expect((await after.as('user-3').get('/api/v1/billing/payments')).body.data).toMatchObject([
      { id: ours.payment_id, status: 'paid' },
    ])
    await after.stop()
    await emulator.close()
    await restored.close()
  })

  it('has documents, what was printed and what is owed, and no number comes twice', async () => {
    const before = await createWorld(database(), { withoutJobs: true })
    await setBuyer(before.service.parts, { userId: 'user-1' }, ENTERED_COMPANY)
    const { paymentId: kept } = await before.as('user-1').buy()
    const { paymentId: refunded } = await before.as('user-1').buyWanted({ plan: 'pro' })
    await operatorOf(before).post(`/payments/${refunded}/refund`, { why: 'asked for' })
    const { paymentId: owed } = await before.as('user-2').buy()
    await setBuyer(before.service.parts, { userId: 'user-2' }, ENTERED_COMPANY)
    const first = { userId: 'user-1', paymentId: kept, number: 'TEST-F-2026-000001', locale: 'fr' } as const
    expect(await isDuplicate(before, first)).toBe(false)
    await backUpTo(file, database(), START)
    const saved = await linesOf(database())
    // After the backup: lost with an older one.
    await operatorOf(before).post(`/payments/${kept}/correct-invoice`, { why: 'a wrong address' })
    await before.service.stop()
    const { clock, emulator } = before

    const numbersAfter = async (restoredAt: number | null) => {
      const restored = await withoutSchema('postgres')
      await restoreFrom(file, restored, restoredAt)
      const restoredLines = (await linesOf(restored)).filter((line) => !line.startsWith('restores\t'))
      expect(restoredLines).toEqual(saved)
      const after = await createWorld(restored, { clock, emulator })
      expect(await isDuplicate(after, first)).toBe(true)
      await after.advance(60)
      await operatorOf(after).post(`/payments/${kept}/refund`, { why: 'asked for' })
      const numbers = []
      for (const [userId, id] of [...Object.entries({ 'user-1': kept, 'user-2': owed })]) {
        const answer = await after.as(userId).get(`/api/v1/billing/payments/${id}/documents`)
        numbers.push(...answer.body.documents.map(({ number }: { number: string }) => number))
      }
      await after.stop()
      await restored.close()
      return numbers
    }
    expect(await numbersAfter(null)).toEqual([
      ...['TEST-F-2026-000001', 'TEST-A-2026-000002', 'TEST-2026-000001', 'TEST-F-2026-000003'],
    ])
    const mark = '2026-R20261121123456'
    expect(await numbersAfter(Date.parse('2026-11-21T12:34:56Z'))).toEqual([
      ...['TEST-F-2026-000001', `TEST-A-${mark}-000001`, 'TEST-2026-000001', `TEST-F-${mark}-000001`],
    ])
    await emulator.close()
  })

  it('comes whole from the running service, to an operator only, and stands in the audit trail', async () => {
    await using world = await createWorld(database())
    await world.as('user-1').buy()
    const address = `${world.url}/api/v1/operator/backup`
    expect((await fetch(address)).status).toBe(401)
    const response = await fetch(address, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
    const bytes = Buffer.from(await response.arrayBuffer())
    const contents = await receiveBackup(file, async () => Readable.from([bytes]))
    expect(contents.rows).toMatchObject({ payments: 1, documents: 1, audit: 1 })
    expect(contents.rows).not.toHaveProperty('restores')
    expect(gunzipSync(bytes).toString()).toContain('"act":"database.backup"')
    const cut = Readable.from([bytes.subarray(0, bytes.length - 100)])
    await expect(receiveBackup(`${file}.cut`, async () => cut)).rejects.toThrow()
    expect(readdirSync(folder)).toEqual(['backup.gz'])
  })

  it('is readable by its owner alone, and never overwrites a file', async () => {
    await backUpTo(file, database(), START)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await expect(backUpTo(file, database(), START)).rejects.toMatchObject({ name: 'BackupRefused' })
  })

  it('is refused by a database that is not empty, which stays as it is', async () => {
    await backUpTo(file, database(), START)
    await database().script("insert into document_series values ('TEST-2026', 7)")
    const before = await linesOf(database())
    await expect(restoreFrom(file, database(), START)).rejects.toThrow('not empty, document_series has rows')
    expect(await linesOf(database())).toEqual(before)
  })

  it.each<[string, (text: string) => string, string]>([
    ['cut off', (text) => text.slice(0, text.indexOf('\nend\t') + 1), 'incomplete or was changed'],
    [
      'with a number changed',
      (text) => text.replace('"last_number":7', '"last_number":8'),
      'incomplete or was changed',
    ],
    ['with a row missing', (text) => text.replace(/document_series\t.*\n/, ''), 'incomplete or was changed'],
    ['of another format', (text) => text.replace('_backup":2', '_backup":1'), 'this program reads only 2'],
    ['of a newer schema', (text) => text.replace(/"schema":\d+/, '"schema":9999'), 'use the newer program'],
    ['with half a first line', (text) => `${text.slice(0, 25)}\n`, 'incomplete or was changed'],
    ['that is none', () => 'something else\n', 'not a backup of ishtirak'],
  ])('%s is refused, and nothing of it is written', async (_, change, sentence) => {
    await database().script("insert into document_series values ('TEST-2026', 7)")
    await backUpTo(file, database(), START)
    writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)).toString())))
    await reset()
    await expect(restoreFrom(file, database(), START)).rejects.toThrow(sentence)
    expect(await linesOf(database())).toEqual([])
  })

  it('whose file cannot be unpacked is refused in a sentence', async () => {
    await backUpTo(file, database(), START)
    const whole = readFileSync(file)
    for (const damaged of [whole.subarray(0, whole.length / 2), gunzipSync(whole)]) {
      writeFileSync(file, damaged)
      const message = expect.stringContaining('cannot be unpacked')
      const refusal = { name: 'BackupRefused', message }
      await expect(restoreFrom(file, database(), null)).rejects.toMatchObject(refusal)
    }
  })

  it('that the database ends half way fails, and nothing of it is written twice', async () => {
    const conflict = new DatabaseError('40001', 'canceling statement due to conflict with recovery')
    const lines: string[] = []
    const ended = writeBackup(database(), START, (line) => {
      if (lines.push(line) === 1) throw conflict
    })
    await expect(ended).rejects.toMatchObject({ name: 'BackupRefused' })
    expect(lines).toHaveLength(1)
  })

  it('of a database that was never used is refused: another one was meant', async () => {
    const empty = await withoutSchema(kind)
    await expect(backUpTo(file, empty, START)).rejects.toMatchObject({ name: 'BackupRefused' })
    expect(readdirSync(folder)).toEqual([])
    await empty.close()
  })
})

const triggers = sql(
  "select count(*) filter (where tgenabled = 'D') as off from pg_trigger where not tgisinternal",
)

describe('while the service works on a server', () => {
  it('the backup is of one instant: what is written meanwhile is not in it', async () => {
    const database = await freshDatabase('postgres')
    const lines: string[] = []
    await writeBackup(database, START, async (line) => {
      if (lines.length === 0) await database.script("insert into document_series values ('TEST-2026', 7)")
      lines.push(line)
    })
    expect(lines.filter((line) => line.includes('TEST-2026'))).toEqual([])
    expect(await linesOf(database)).toHaveLength(1)
    await database.close()
  })
})
