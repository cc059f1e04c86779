// Each statement and call to the provider is a step of the scheduler. A killed process never continues.

import type { FileParts } from '../../packages/ishtirak/src/acts/file-parts.js'
import { createBalanceMethod, payByBalance } from '../../packages/ishtirak/src/balance/buy.js'
import { createChargily } from '../../packages/ishtirak/src/checkout/gateways/chargily/chargily.js'
import { createUpgradeState } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { createForgeryLog } from '../../packages/ishtirak/src/checkout/webhook.js'
import { discountByCode } from '../../packages/ishtirak/src/codes/typed-code.js'
import { CODE_LENGTH, codeFrom } from '../../packages/ishtirak/src/core/code.js'
import { DAY, SECOND } from '../../packages/ishtirak/src/core/instant.js'
import type { Catalogue } from '../../packages/ishtirak/src/core/plan.js'
import type { BillingRules } from '../../packages/ishtirak/src/core/subscription.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { createDesk } from '../../packages/ishtirak/src/desk/desk.js'
import { createUploads } from '../../packages/ishtirak/src/http/upload.js'
import { PAYMENTS_WAITING } from '../../packages/ishtirak/src/ledger/inbox.js'
import {
  createPaymentMethods,
  type PaymentMethod,
  type PaymentMethods,
  type ProviderAnswer,
} from '../../packages/ishtirak/src/ledger/method.js'
import { createListPayments } from '../../packages/ishtirak/src/ledger/payments.sql.js'
import { createSettlements } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { createLoadUser } from '../../packages/ishtirak/src/ledger/users.sql.js'
import { createInbox } from '../../packages/ishtirak/src/overview/inbox.sql.js'
import { operatorFiles } from '../../packages/ishtirak/src/overview/views.js'
import { createTurns, singleFlight } from '../../packages/ishtirak/src/runtime/async.js'
import { dayIn, wallClockIn } from '../../packages/ishtirak/src/runtime/calendar.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { SEED_CATALOGUE } from '../../packages/ishtirak/src/runtime/plans-file.js'
import { createIds } from '../../packages/ishtirak/src/runtime/random.js'
import { EXAMPLE_SELLER } from '../../packages/ishtirak/src/runtime/seller.js'
import { TRANSFERS_WAITING } from '../../packages/ishtirak/src/transfers/inbox.js'
import { transferPart } from '../../packages/ishtirak/src/transfers/payment-part.js'
import { createTransfer } from '../../packages/ishtirak/src/transfers/transfer.js'
import type { SeededRandom } from '../support/random.js'
import { PROVIDER_KEY, PROVIDER_URL, type SimulatedEmulator } from './emulator.js'
import type { SimulationFigures } from './figures.js'
import { type Edition, termsOf } from './sales.js'
import type { ProcessState, StepScheduler } from './scheduler.js'
import { ACCOUNTS, SECOND_APPROVAL_FROM } from './transfers.js'

export type Process = { state: ProcessState; parts: Parts }

export interface ProcessDeps {
  readonly database: Database
  readonly scheduler: StepScheduler
  readonly emulator: SimulatedEmulator
  readonly clock: MovableClock
  readonly random: SeededRandom
  readonly figures: SimulationFigures
  readonly edition: () => Edition
  readonly rules: Pick<BillingRules, 'calendar' | 'prepayMaxMonths' | 'balanceMax'>
  /** Removes a rule from the provider's adapter, to test that the simulation detects it. */
  readonly breakProvider?: ((method: PaymentMethod) => PaymentMethod) | undefined
}

const [FREE, PRO] = SEED_CATALOGUE.plans
if (!FREE || !PRO) throw new Error('the seed has two plans')
const catalogueOf = (edition: Edition): Catalogue => {
  const sold = Object.entries(edition).map(([id, prices]) => ({ ...PRO, id, name: id, ...termsOf(prices) }))
  return { limits: SEED_CATALOGUE.limits, plans: [FREE, ...sold], free: FREE }
}
/** What the provider takes, in dinars. */
export const LEAST_AMOUNT = 50
const CODE_KEY = 'the key of the codes of a simulation'
const ZONE = 'Africa/Algiers'
const SILENT = createLog({ level: 'silent' })

export function startProcess(state: ProcessState, deps: ProcessDeps): Process {
  const { scheduler } = deps
  const database = stagedDatabase(deps.database, scheduler, state)
  const methods = methodsOf(deps, database, stagedProvider(deps, state))
  return { state, parts: partsOf(deps, { database, methods, wait: (ms) => scheduler.wait(state, ms) }) }
}

/** The same parts without steps, for reading. Its provider never answers, so that reading changes nothing. */
export function quietParts(deps: ProcessDeps): Parts {
  const chargily = createChargily({ secretKey: PROVIDER_KEY, apiUrl: PROVIDER_URL, send: unreachable })
  const methods = methodsOf(deps, deps.database, chargily)
  return partsOf(deps, { database: deps.database, methods, wait: async () => undefined })
}

function methodsOf(
  { clock, rules }: ProcessDeps,
  database: Database,
  chargily: PaymentMethod,
): PaymentMethods {
  const transfers = { database, clock, live: false, accounts: ACCOUNTS, lifetimeMs: 7 * DAY }
  return createPaymentMethods(
    chargily,
    createTransfer(transfers),
    ...createDesk({ live: false, takesCash: true }),
    ...(rules.balanceMax > 0 ? [createBalanceMethod({ live: false })] : []),
  )
}

export type Parts = ReturnType<typeof partsOf>

function partsOf(
  { clock, random, rules, edition }: ProcessDeps,
  given: {
    readonly database: Database
    readonly methods: PaymentMethods
    readonly wait: (ms: number) => Promise<void>
  },
) {
  const { database } = given
  const catalogue = catalogueOf(edition())
  const ofCodes = { database, clock, codeKeys: [CODE_KEY], noteUse: () => undefined }
  const fileParts: FileParts = { payment: [], user: [] }
  const decides = {
    ...given,
    fileParts,
    settlements: createSettlements(database),
    upgrades: createUpgradeState({ database, clock }),
    loadUser: createLoadUser(database),
    listPayments: createListPayments(database),
    lookups: singleFlight<boolean>(),
    inTurn: createTurns(),
    uploads: createUploads(),
    logForgery: createForgeryLog({ clock, log: SILENT }),
    ids: createIds((size) => random.bytes(size)),
    log: SILENT,
    catalogue,
    ...ofCodes,
    discounts: [discountByCode(ofCodes)],
    drawCode: () => codeFrom(random.bytes(CODE_LENGTH)),
    rules: { catalogue, leastAmount: LEAST_AMOUNT, graceDays: 3, renewalWindowDays: 7, ...rules },
    inbox: createInbox([...PAYMENTS_WAITING, ...TRANSFERS_WAITING]),
    wallClock: wallClockIn(ZONE),
    transfers: { secondApprovalFrom: SECOND_APPROVAL_FROM },
    publicUrl: 'http://service.invalid',
    seller: EXAMPLE_SELLER,
    billingDayOf: (instant: number) => dayIn(ZONE)(instant).date,
    count: () => undefined,
    referencesIn: () => [],
  }
  const parts = { ...decides, atOnce: [payByBalance(decides)] }
  fileParts.payment.push(transferPart(parts))
  return { ...parts, files: operatorFiles(parts) }
}

async function unreachable(): Promise<never> {
  throw new Error('the provider is not reachable')
}

function stagedDatabase(database: Database, scheduler: StepScheduler, state: ProcessState): Database {
  return {
    kind: database.kind,
    query: (statement, parameters) =>
      scheduler.step(state, 'database', statement.name, async () => {
        const rows = await database.query(statement, parameters, NO_LIMIT)
        // `returning` promises no order and plans may change, but a replay must be exact.
        return CLAIMS.includes(statement.name) ? rows.toSorted(byId) : rows
      }),
    transaction: (work) =>
      scheduler.step(state, 'database', 'transaction', () => database.transaction(work, NO_LIMIT)),
    script: (sql) => scheduler.step(state, 'database', 'script', () => database.script(sql)),
    close: async () => undefined,
  }
}

/** The service gives a call up by real time, which a busy machine would make part of the journal. */
const NO_LIMIT = Number.POSITIVE_INFINITY

const CLAIMS = ['checks.claim_due', 'invoices.claim']

function byId(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): number {
  return String(one.id ?? one.user_id) < String(other.id ?? other.user_id) ? -1 : 1
}

/** The adapter's own timeouts use real time; here they are counted on the simulated clock. */
const NEVER_MS = 3_600_000
const WRITE_MS = 10 * SECOND
const READ_MS = 5 * SECOND

/** Each call is two steps, request and answer: between them another task may run or the call may time out. */
function stagedProvider(deps: ProcessDeps, state: ProcessState): PaymentMethod {
  const { scheduler, emulator, clock, figures, breakProvider = (method) => method } = deps
  const sound = createChargily({
    secretKey: PROVIDER_KEY,
    apiUrl: PROVIDER_URL,
    send: emulator.send(() => scheduler.faultRates.provider),
    timeouts: { writeMs: NEVER_MS, readMs: NEVER_MS },
  })
  const provider = breakProvider(sound)
  const { list } = provider
  const staged = async <Value>(name: string, limitMs: number, call: () => Promise<ProviderAnswer<Value>>) => {
    const startedAt = clock.now()
    const answer = await scheduler.step(state, 'provider', name, call)
    await scheduler.step(state, 'provider', `${name} answered`, () => undefined)
    if (clock.now() - startedAt <= limitMs) return answer
    figures.count('faults: provider too slow')
    return TIMED_OUT
  }
  return {
    ...provider,
    createCheckout: (order) => staged('createCheckout', WRITE_MS, () => provider.createCheckout(order)),
    getCheckout: (id) => staged('getCheckout', READ_MS, () => provider.getCheckout(id)),
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
