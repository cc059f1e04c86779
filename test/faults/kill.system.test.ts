// `npm run nightly -- fault:kill` in small: a few cycles on each database.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { postgresUrl, readDump } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { audit } from './audit.js'
import { embeddedInstallation, type Installation, serverInstallation } from './installations.js'
import { runKillCycles } from './kill-cycles.js'
import type { Sale } from './sales.js'

/** A start on the embedded database takes three times the processor time. */
const CYCLES = { embedded: 4, server: 6 } as const
const SALES = 15
const NONE = { topsUp: false, body: '', signature: '' }
describe.each(['embedded', 'server'] as const)('killed with SIGKILL under webhooks (%s)', (kind) => {
  let emulator: Emulator
  let installation: Installation
  let template = ''
  beforeAll(async () => {
    buildOnce()
    emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
    template = await mkdtemp(path.join(tmpdir(), 'ishtirak-template-'))
    if (kind === 'embedded') await makeEmbeddedFolder(template)
    installation =
      kind === 'embedded'
        ? await embeddedInstallation(emulator, template)
        : await serverInstallation(emulator, await postgresUrl())
  })
  afterAll(async () => {
    await installation.remove()
    await emulator.close()
    await rm(template, { recursive: true, force: true })
  })

  it('all that was answered 200 is booked after the restart, and nothing twice', async () => {
    const figures = await runKillCycles({
      cycles: CYCLES[kind],
      seed: 3,
      salesPerCycle: SALES,
      installation,
      emulator,
    })
    // 4 or 6 cycles of 15 sales: in the end each event is delivered.
    const sold = CYCLES[kind] * SALES
    expect(figures).toMatchObject({
      cycles: CYCLES[kind],
      answered: sold,
      booked: sold,
      lost: 0,
      doubled: 0,
      faults: [],
    })
  })
})

describe('the audit', () => {
  it('reports an event that was answered and is not in the database', async () => {
    const database = await openMemory(readDump('dumpPath'))
    const sale: Sale = { userId: 'u', token: '', paymentId: 'p', checkoutId: 'c', ...NONE }
    const deliveries = { answered: new Set([sale]), sent: new Set([sale]) }
    expect(await audit(database, deliveries)).toEqual({ booked: 0, lost: 1, doubled: 0, faults: [] })
    await database.close()
  })

  it(
    'reports a month too many, a payment that was never sent, and a receipt number that was left ' + 'out',
    async () => {
      const database = await openMemory(readDump('dumpPath'))
      await database.script(`
      insert into users (user_id, anchor_at, run_months, paid_until, created_at)
      values ('u', now(), 2, now() + interval '2 months', now());
      insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, created_at,
        expires_at,
                            attempt_ends_at, paid_at, period_start, period_end)
      values ('u', 'p', '{}', 2000, 'DZD', false, 'paid', 'c', now(), now(), now(), now(), now(),
        now() + interval '1 month');
      insert into receipts (user_id, payment_id, series, number, issued_at, snapshot)
      values ('u', 'p', '2026', 2, now(), '{}')`)
      const { booked, doubled, faults } = await audit(database, { answered: new Set(), sent: new Set() })
      expect({ booked, doubled }).toEqual({ booked: 1, doubled: 1 })
      expect(faults).toEqual([
        'booked but never sent: 1, expected 0',
        'events that said paid: 0, expected 1',
        'months sold: 2, expected 1',
        'highest receipt number: 2, expected 1',
        'receipt numbers drawn: 0, expected 1',
      ])
      await database.close()
    },
  )
})
