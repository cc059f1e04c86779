// `ishtirak demo`: fills the running sandbox with a year of an imaginary shop. A second wiring of the service
// works on the sandbox's database, with a clock that moves through the year and an emulator of its own, whose
// records are added to the sandbox's at the end. Nothing is sent: mail and events go to receivers that are
// made here. Only a service with the emulator has it.
import { startEmulator } from 'chargily-emulator'
import {
  BillingError,
  type Clock,
  createBilling,
  createLog,
  DAY,
  type Database,
  findUser,
  movableClock,
  type Sandbox,
  type WiredConfig,
  wire,
} from 'ishtirak/internal'
import { demoUserId, GONE } from './people.js'
import { YEAR } from './purchases.js'
import type { Shop } from './shop.js'
import { tellYear } from './year.js'

export const DEMO_PATH = '/_sandbox/demo'
export const DEMO_BOUNDS = {
  users: { minimum: 1, maximum: 5_000 },
  seed: { minimum: 0, maximum: 2_147_483_647 },
}

export interface DemoRequest {
  readonly users: number
  readonly seed: number
}

/** Throws `conflict` if there is already a demo. */
export async function refuseSecondDemo({ service }: Sandbox): Promise<void> {
  const known = await findUser(service.parts.database, demoUserId(0))
  if (known) throw new BillingError('conflict', { extra: { user_id: known.userId } })
}

/** Yields a line for each month. The sandbox's jobs pause meanwhile, but it answers requests. */
export async function* runDemo(sandbox: Sandbox, request: DemoRequest): AsyncGenerator<string> {
  const { runner, parts } = sandbox.service
  const goOn = await runner.pause()
  try {
    const flush = await flushOnce(parts.database)
    try {
      yield* fill(sandbox, request)
    } finally {
      await flush()
    }
  } finally {
    goOn()
  }
}

/**
 * A year is thousands of commits, and on the embedded database each waits for the disk. This turns flushing
 * off; the returned function flushes everything at the end.
 */
async function flushOnce(database: Database): Promise<() => Promise<void>> {
  if (database.kind !== 'pglite') return async () => undefined
  await database.script('set synchronous_commit = off')
  return () => database.script('reset synchronous_commit; checkpoint')
}

async function* fill(sandbox: Sandbox, request: DemoRequest): AsyncGenerator<string> {
  const { config, emulator: known } = sandbox
  const endAt = sandbox.clock.now()
  const clock = movableClock(endAt - YEAR)
  const emulator = await startEmulator({ secretKeys: [config.chargily.secretKey], clock })
  // `payByCard` passes its events on, so nothing is sent.
  emulator.setFaults({ drop: {} })
  const chargily = { ...config.chargily, apiUrl: emulator.url }
  const { service } = sandbox
  const quiet = await wire(
    { ...withoutReceivers(config), chargily },
    {
      database: service.parts.database,
      clock,
      log: createLog({ level: 'fatal' }),
      withoutJobs: true,
      processMetrics: false,
    },
  )
  const { printer } = quiet.parts
  const unprinted = { printer: { ...printer, typesetter: null } }
  const parts = { ...quiet.parts, ...pretendReceivers(config, clock, endAt), ...unprinted }
  const shop: Shop = {
    parts,
    billing: createBilling(parts),
    emulator,
    endAt,
    vouchers: [],
    discounts: [],
  }
  try {
    yield* tellYear(shop, clock, request)
    known.add({ customers: emulator.customers(), checkouts: emulator.checkouts() })
  } finally {
    await quiet.app.close()
    await emulator.close()
  }
}

/** Leaves out the configured receivers of mail and events. */
function withoutReceivers({ smtpUrl: _, events: __, ...config }: WiredConfig): WiredConfig {
  return config
}

const PLATFORM = 'https://platform.example/ishtirak'

/**
 * Mail to a dead domain is refused. If the sandbox has no platform, an imaginary one fails in the last days
 * until it is switched off. If it has one, every event counts as delivered, so that no past event is sent to
 * it.
 */
function pretendReceivers({ events }: WiredConfig, clock: Clock, endAt: number) {
  const isDown = () => events === undefined && clock.now() > endAt - 7 * DAY
  return {
    mailer: {
      send: async ({ to }: { readonly to?: unknown }) =>
        JSON.stringify(to).includes(`@${GONE}"`)
          ? ({ kind: 'refused', reason: '550 5.1.1 mailbox unavailable' } as const)
          : ({ kind: 'sent' } as const),
    },
    outgoing: {
      sender: {
        url: events?.url ?? PLATFORM,
        send: async () => ({ kind: 'answer', status: isDown() ? 503 : 204 }) as const,
      },
      random: () => 0,
      lanes: new Set<Promise<void>>(),
    },
  }
}
