// This needs PostgreSQL, because the embedded database makes one change after the other.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { aPayment } from '../../../../test/support/fixtures.js'
import { oneWaits } from '../../../../test/support/lock-wait.js'
import { png } from '../../../../test/support/proof-files.js'
import { sql } from '../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { endRequestedPayment, insertRequestedPayments } from '../checkout/upgrade.sql.js'
import type { Database, Statement } from '../database/database.js'
import { uploadProof } from '../transfers/proof.js'

const lockUser = sql('select from users where user_id = $1 for update')
const takePayments = sql('select id from payments for update skip locked')
const fail = sql(`update payments set status = 'failed' returning id`)
const selectStatus = sql('select status, next_check_at is null as is_over from payments')
const takeTransfers = sql('select payment_id as id from transfers for update skip locked')

const folder = temporaryFolder()
const TRANSFER_FILE = path.join(folder, 'transfer.json')
const account = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
writeFileSync(TRANSFER_FILE, JSON.stringify({ accounts: [account] }))

let database: Database
let world: World
beforeEach(async () => {
  database = await emptyDatabase('postgres')
  world = await createWorld(database, { env: { TRANSFER_FILE }, withoutJobs: true })
})
afterEach(() => world.stop())

/** `running` skips locked rows, so it gives the rows that `change` has not locked. */
async function whileWaiting(running: Statement, change: () => Promise<unknown>) {
  let changed: Promise<unknown> | undefined
  const rows = await database.transaction(async (transaction) => {
    await transaction.query(lockUser, ['user-1'])
    changed = change()
    await oneWaits(database)
    return transaction.query(running)
  })
  await changed
  return rows
}

async function aRequest() {
  const open = { status: 'requested', checkoutId: null, checkoutUrl: null } as const
  const payment = aPayment({ userId: 'user-1', ...open })
  await insertRequestedPayments(database, [{ user: { userId: 'user-1' }, version: null, payment }])
  return { id: payment.id, withdraw: () => endRequestedPayment(database, payment, 'canceled') }
}

it('a request that is given up', async () => {
  const { id, withdraw } = await aRequest()
  expect(await whileWaiting(takePayments, withdraw)).toEqual([{ id }])
  expect(await database.query(selectStatus)).toEqual([{ status: 'canceled', is_over: true }])
})

it('a request that is given up stays what it has become meanwhile', async () => {
  const { id, withdraw } = await aRequest()
  expect(await whileWaiting(fail, withdraw)).toEqual([{ id }])
  expect(await database.query(selectStatus)).toEqual([{ status: 'failed', is_over: false }])
})

it('a proof of a transfer', async () => {
  const { body } = await world
    .as('user-1')
    .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
  const of = { userId: 'user-1', paymentId: body.id }
  const upload = () => uploadProof(world.service.parts, of, png())
  expect(await whileWaiting(takeTransfers, upload)).toEqual([{ id: body.id }])
})
