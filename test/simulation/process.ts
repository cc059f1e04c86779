// One process of the service: the real use cases over the shared database, with every statement and every call to the
// provider turned into a step of the scheduler. Killing it means never going on; the next one begins with nothing.
import { SECOND } from '../../packages/ishtirak/src/core/instant.js'
import type { Calendar } from '../../packages/ishtirak/src/core/period.js'
import { type Catalogue, SEED_PLANS } from '../../packages/ishtirak/src/core/plan.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { createChargily } from '../../packages/ishtirak/src/payments/chargily/chargily.js'
import type { PaymentMethod, ProviderAnswer } from '../../packages/ishtirak/src/payments/method.js'
import { createPaymentMethods, type PaymentMethods } from '../../packages/ishtirak/src/payments/methods.js'
import { createSettlements } from '../../packages/ishtirak/src/payments/settle.sql.js'
import { createUpgradeState } from '../../packages/ishtirak/src/payments/upgrade.js'
import { createLoadUser } from '../../packages/ishtirak/src/payments/users.sql.js'
import { createForgeryLog } from '../../packages/ishtirak/src/payments/webhook.js'
import { singleFlight } from '../../packages/ishtirak/src/runtime/async.js'
import { dayIn } from '../../packages/ishtirak/src/runtime/calendar.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { createIds } from '../../packages/ishtirak/src/runtime/random.js'
import { EXAMPLE_SELLER } from '../../packages/ishtirak/src/runtime/seller.js'
import type { Dice } from './random.js'
import { type FarSide, PRICES, PROVIDER_KEY, PROVIDER_URL } from './emulator.js'
import type { Figures } from './figures.js'
import type { Life, Scheduler } from './scheduler.js'

export interface Process {
  readonly life: Life
  /** What its use cases are given. */
  readonly parts: Parts
}

export interface Surroundings {
  readonly database: Database
  readonly scheduler: Scheduler
  readonly far: FarSide
  readonly clock: MovableClock
  readonly dice: Dice
  readonly figures: Figures
  readonly calendar: Calendar
  /** Takes a rule out of the provider's adapter, to see that it is missed. */
  readonly breakProvider?: ((method: PaymentMethod) => PaymentMethod) | undefined
}

const [FREE, PRO] = SEED_PLANS
if (!FREE || !PRO) throw new Error('the seed has two plans')
const TEAM = { ...PRO, id: 'team', name: 'Team', price: PRICES.team ?? 0 }
const CATALOGUE: Catalogue = { plans: [FREE, PRO, TEAM], free: FREE }
const ZONE = 'Africa/Algiers'
const SILENT = createLog({ level: 'silent' })

export function startProcess(life: Life, around: Surroundings): Process {
  const { scheduler } = around
  const database = stagedDatabase(around.database, scheduler, life)
  const methods = createPaymentMethods(stagedProvider(around, life))
  return { life, parts: partsOf(around, { database, methods, wait: (ms) => scheduler.wait(life, ms) }) }
}

/** The same parts without steps: for looking on. Its provider answers nobody, so that looking changes nothing. */
export function quietParts(around: Surroundings): Parts {
  const chargily = createChargily({ secretKey: PROVIDER_KEY, apiUrl: PROVIDER_URL, send: unreachable })
  const methods = createPaymentMethods(chargily)
  return partsOf(around, { database: around.database, methods, wait: async () => undefined })
}

export type Parts = ReturnType<typeof partsOf>

function partsOf(
  { clock, dice, calendar }: Surroundings,
  given: {
    readonly database: Database
    readonly methods: PaymentMethods
    readonly wait: (ms: number) => Promise<void>
  },
) {
  const { database } = given
  return {
    ...given,
    settlements: createSettlements(database),
    upgrades: createUpgradeState(database),
    loadUser: createLoadUser(database),
    looks: singleFlight<boolean>(),
    logForgery: createForgeryLog({ clock, log: SILENT }),
    clock,
    ids: createIds((size) => dice.bytes(size)),
    log: SILENT,
    catalogue: CATALOGUE,
    rules: { freePlan: CATALOGUE.free, graceDays: 3, renewalWindowDays: 7, calendar },
    publicUrl: 'http://service.invalid',
    receipts: { seller: EXAMPLE_SELLER, dayOf: (instant: number) => dayIn(ZONE)(instant).date },
    count: () => undefined,
  }
}

async function unreachable(): Promise<never> {
  throw new Error('nobody is there')
}

function stagedDatabase(database: Database, scheduler: Scheduler, life: Life): Database {
  return {
    kind: database.kind,
    query: (statement, parameters) =>
      scheduler.step(life, 'database', statement.name, async () => {
        const rows = await database.query(statement, parameters)
        // `returning` promises no order, and a plan may change with the server's mood: a replay must not.
        return statement.name === 'checks.claim_due' ? rows.toSorted(byId) : rows
      }),
    transaction: (work) => scheduler.step(life, 'database', 'transaction', () => database.transaction(work)),
    script: (sql) => scheduler.step(life, 'database', 'script', () => database.script(sql)),
    close: async () => undefined,
  }
}

function byId(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): number {
  return String(one.id) < String(other.id) ? -1 : 1
}

/** The limits of the adapter itself are the wall clock's; here time-outs are counted on the moved one. */
const NEVER_MS = 3_600_000
const WRITE_MS = 10 * SECOND
const READ_MS = 5 * SECOND

/** Each call is two steps, its arrival there and its answer here: between them anything may happen, or time run out. */
function stagedProvider(around: Surroundings, life: Life): PaymentMethod {
  const { scheduler, far, clock, figures, breakProvider = (method) => method } = around
  const sound = createChargily({
    secretKey: PROVIDER_KEY,
    apiUrl: PROVIDER_URL,
    clock,
    send: far.send(() => scheduler.weather.provider),
    timeouts: { writeMs: NEVER_MS, readMs: NEVER_MS },
  })
  const provider = breakProvider(sound)
  const { list } = provider
  const staged = async <Value>(name: string, limitMs: number, call: () => Promise<ProviderAnswer<Value>>) => {
    const startedAt = clock.now()
    const answer = await scheduler.step(life, 'provider', name, call)
    await scheduler.step(life, 'provider', `${name} answered`, () => undefined)
    if (clock.now() - startedAt <= limitMs) return answer
    figures.count('faults: provider too slow')
    return TIMED_OUT
  }
  return {
    ...provider,
    createCheckout: (order) => staged('createCheckout', WRITE_MS, () => provider.createCheckout(order)),
    getCheckout: (id, options) =>
      staged('getCheckout', options?.timeoutMs ?? READ_MS, () => provider.getCheckout(id)),
    expireCheckout: (id) => staged('expireCheckout', WRITE_MS, () => provider.expireCheckout(id)),
    list: list && {
      find: (id, since) => staged('findCheckouts', READ_MS, () => list.find(id, since)),
      page: (page) => staged('listCheckouts', READ_MS, () => list.page(page)),
    },
  }
}

const TIMED_OUT: ProviderAnswer<never> = {
  ok: false,
  failure: {
    kind: 'unavailable',
    reason: 'timeout',
    outcomeUnknown: true,
    retryAfterSeconds: null,
    detail: 'no answer in time',
  },
}
