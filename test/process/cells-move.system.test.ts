// Users move to another cell while they consume and pay, on two databases and two services: nothing that was
// acknowledged is lost or counted twice, they wait for seconds, and nobody else waits.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { MOVE_STEPS } from '../../packages/ishtirak/src/cells/move.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { partOf } from '../../packages/ishtirak/src/runtime/cells.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { PLATFORM_KEY, WITH_PLATFORM } from '../support/platform.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, checkoutIdOf, tokenOf } from '../support/world.js'

type Name = 'a' | 'b'
const USERS = Array.from({ length: 24 }, (_, n) => `user-${n}`)
/** Of the parts 0 to 127. */
const moves = (userId: string) => partOf(userId) < 128
/** Where the wait is not measured, a busy machine has time. */
const moveTo = (to: Name, seconds = 30) => [
  ...['cells', 'move', '--parts', '0-127', '--to', to],
  ...['--wait', String(seconds)],
]

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-cells-'))
const cellsFile = path.join(folder, 'cells.json')
let emulator: Emulator
const urls: Record<Name, string> = { a: '', b: '' }
const databases = {} as Record<Name, Database>
const envs = {} as Record<Name, Record<string, string>>
const services = {} as Record<Name, ServiceProcess>

beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  const ports = { a: await freePort(), b: await freePort() }
  const cells = (['a', 'b'] as const).map((name) => ({
    name,
    parts: name === 'a' ? ['0-255'] : [],
    servers: [`127.0.0.1:${ports[name]}`],
  }))
  writeFileSync(cellsFile, JSON.stringify({ cells }))
  for (const name of ['a', 'b'] as const) {
    urls[name] = await postgresUrl()
    databases[name] = openPostgres({ url: urls[name] })
    envs[name] = {
      PORT: String(ports[name]),
      CELL: name,
      CELLS_FILE: cellsFile,
      CELLS_KEY: 'a secret of the cells that is longer than 32 bytes',
      DATABASE_URL: urls[name],
      ...WITH_PLATFORM,
      RATE_LIMIT_PER_MINUTE: '1000000',
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      AUTH_JWT_SECRET: 'a secret of the tests that is longer than 32 bytes',
    }
    services[name] = await startService(envs[name])
  }
})
afterAll(async () => {
  for (const service of Object.values(services)) await service.kill('SIGKILL')
  for (const database of Object.values(databases)) await database.close()
  await emulator.close()
  rmSync(folder, { recursive: true })
})

/** A user who does one thing after the other, and does each again until it is acknowledged. */
class Customer {
  consumed = 0
  paid: string[] = []
  longestMs = 0
  failures = 0
  #cell: Name = 'a'
  #token = ''
  #operations = 0
  constructor(readonly id: string) {}

  async #ask(path: string, body?: object, key?: string): Promise<Record<string, unknown>> {
    this.#token ||= await tokenOf({ sub: this.id })
    const began = performance.now()
    for (;;) {
      const answer = await this.#once(path, body, key ?? this.#token)
      if (answer.status === 421) {
        this.#cell = this.#cell === 'a' ? 'b' : 'a'
        continue
      }
      if (answer.status < 500 && answer.status !== 0) {
        this.longestMs = Math.max(this.longestMs, performance.now() - began)
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        return answer.body
      }
      this.failures++
      await sleep(200)
    }
  }

  async #once(path: string, body: object | undefined, key: string) {
    try {
      const response = await fetch(`${urlOf(this.#cell)}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    } catch {
      return { status: 0, body: {} }
    }
  }

  async consume(): Promise<void> {
    const operation_id = `${this.id}-${++this.#operations}`
    const path = `/platform/users/${this.id}/limits/storage_mb/consume`
    const { allowed } = await this.#ask(path, { amount: 1, operation_id }, PLATFORM_KEY)
    if (allowed) this.consumed++
  }

  async buy(): Promise<void> {
    const { checkout_url, payment_id } = await this.#ask('/billing/upgrade', { plan: 'pro' })
    if (typeof checkout_url !== 'string') throw new Error('no page')
    await emulator.pay(checkoutIdOf(checkout_url), 'paid')
    await vi.waitFor(async () => {
      const status = await this.#ask('/billing/status')
      expect(status.plan).toBe('pro')
    }, PATIENCE)
    this.paid.push(String(payment_id))
  }

  async status() {
    return this.#ask('/billing/status')
  }
}

const urlOf = (cell: Name) => `http://127.0.0.1:${envs[cell].PORT}`

const totals = statement(
  'test.cells_move.totals',
  `select (select coalesce(jsonb_object_agg(user_id, used), '{}') from usage
            where limit_name = 'storage_mb') as used,
          (select coalesce(jsonb_agg(id order by id), '[]') from payments where status = 'paid') as paid,
          (select coalesce(jsonb_agg(payment_id order by payment_id), '[]') from receipts) as receipts,
          (select count(*) from cell_moves) as moves`,
)

async function totalsOf(cell: Name) {
  const [row = {}] = await databases[cell].query(totals)
  return row as { used: Record<string, number>; paid: string[]; receipts: string[]; moves: number }
}

/** Each user's rows are in one cell, with all that was acknowledged. */
async function expectAll(customers: readonly Customer[], holder: Name): Promise<void> {
  const [a, b] = [await totalsOf('a'), await totalsOf('b')]
  for (const customer of customers) {
    const at = moves(customer.id) ? holder : 'a'
    const [here, there] = at === 'a' ? [a, b] : [b, a]
    expect([here.used[customer.id] ?? 0, there.used[customer.id]]).toEqual([customer.consumed, undefined])
  }
  const paid = customers.flatMap((customer) => customer.paid).sort()
  expect([...a.paid, ...b.paid].sort()).toEqual(paid)
  expect([...a.receipts, ...b.receipts].sort()).toEqual(paid)
  expect([a.moves, b.moves]).toEqual([0, 0])
}

const customers = USERS.map((id) => new Customer(id))

/** They consume and pay until `work` has ended. */
async function underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
  let ended = false
  const loops = customers.map(async (customer, n) => {
    while (!ended) {
      await customer.consume()
      await customer.status()
      await sleep(20 + n)
    }
  })
  const buyers = customers
    .filter(({ paid }) => paid.length === 0)
    .slice(0, 6)
    .map(async (customer, n) => {
      await sleep(n * 400)
      await customer.buy()
    })
  try {
    return await work()
  } finally {
    await Promise.all(buyers)
    ended = true
    await Promise.all(loops)
  }
}

const moverEnv = (from: Name) => ({
  ...envs[from],
  CELL_TO_DATABASE_URL: urls[from === 'a' ? 'b' : 'a'],
})
const run = async (from: Name, seconds?: number) => {
  const ran = await runCommand(moveTo(from === 'a' ? 'b' : 'a', seconds), moverEnv(from))
  expect(ran.code, ran.output).toBe(0)
  return ran
}

it('nothing is lost or doubled, who moves waits for seconds, and nobody else waits', async () => {
  await underLoad(async () => {
    await sleep(1_000)
    await run('a', 4)
  })
  await expectAll(customers, 'b')
  const others = customers.filter(({ id }) => !moves(id))
  expect(others.reduce((sum, { failures }) => sum + failures, 0)).toBe(0)
  const longest = Math.max(...customers.map(({ longestMs }) => longestMs))
  console.info(`longest wait: ${Math.round(longest)} ms`)
  expect(longest).toBeLessThan(5_000)
  await underLoad(() => run('b'))
  await expectAll(customers, 'a')
})

it('nobody moves where the router could not be reloaded', async () => {
  const ran = await runCommand([...moveTo('b'), '--reload', 'echo no such unit >&2; exit 5'], moverEnv('a'))
  expect(ran.code).toBe(1)
  expect(ran.output).toContain('nothing has moved')
  expect(ran.output).toContain('no such unit')
  await expectAll(customers, 'a')
})

describe.each(MOVE_STEPS)('a mover killed after the step %s', (step) => {
  it('is followed by one that finishes', async () => {
    await underLoad(async () => {
      const killed = spawn(
        process.execPath,
        [path.resolve(import.meta.dirname, '../support/mover.mjs'), ...moveTo('b')],
        { env: { ...process.env, ...moverEnv('a'), KILLED_AFTER: step }, stdio: 'ignore' },
      )
      const signal = await new Promise((resolve) => killed.once('close', (_, by) => resolve(by)))
      expect(signal).toBe('SIGKILL')
      await run('a')
    })
    await expectAll(customers, 'b')
    await underLoad(() => run('b'))
    await expectAll(customers, 'a')
  })
})
