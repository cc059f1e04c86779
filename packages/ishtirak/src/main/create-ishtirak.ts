// Ishtirak inside another program (docs/mount.md). It listens to no port and to no signal, ends no process,
// and reads no environment: all it knows is what it is given here.
import type { IncomingHttpHeaders } from 'node:http'
import { BillingError } from '../core/error.js'
import type { HostEvent } from '../core/event.js'
import type { Operator } from '../core/role.js'
import { isUserId } from '../core/user-id.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import { migrate } from '../database/migrate.js'
import { openDatabase } from '../database/open-database.js'
import { identityOf, type UserIdentity } from '../http/auth.js'
import type { IdentifyUser } from '../http/callers.js'
import { hostRequests, type MountedApp, mount } from '../http/mount.js'
import { systemClock } from '../runtime/clock.js'
import { ConfigError, requirePackages } from '../runtime/config-file.js'
import type { Variables } from '../runtime/environment.js'
import { createLog, lineByLine } from '../runtime/log.js'
import { type Billing, createBilling } from './billing.js'
import { readMountedConfig } from './config.js'
import { createOperatorCalls, type OperatorCalls } from './operator-calls.js'
import { wire } from './wire.js'

export type { HostEvent } from '../core/event.js'
export type { Operator } from '../core/role.js'
export type { UserIdentity } from '../http/auth.js'
export type { FetchClient } from '../http/mount.js'
export type { Billing } from './billing.js'
export type { OperatorCalls } from './operator-calls.js'
export { BillingError, ConfigError }

export interface IshtirakOptions {
  /**
   * `url`: a PostgreSQL server (`postgres://…`), or `memory:` for a database that is gone at the end.
   * `folder`: the embedded database there, for one process.
   */
  readonly database:
    | { readonly url: string /** 10 by default. */; readonly maxConnections?: number }
    | { readonly folder: string }
  /**
   * The variables of `.env.example`, such as `process.env`. PUBLIC_URL, with the path of the prefix, and
   * CHARGILY_SECRET_KEY are required. Those of a process (PORT, DATABASE_URL, NODE_ENV and the like) are not
   * read.
   */
  readonly config: Variables
  /**
   * Returns the user of a request that needs one; null: anonymous, answered 401. If it throws, the error is
   * logged and the answer is 503 `authentication_unavailable`, so that clients try again. Default: tokens by
   * the AUTH_… variables.
   */
  readonly identify?: (request: HostRequest) => Promise<UserIdentity | null> | UserIdentity | null
  /**
   * Receives each event instead of EVENTS_URL: at least once, those of a user in order. If it throws, rejects
   * or takes more than 15 s, the event comes again, in the steps of docs/events.md.
   */
  readonly onEvent?: (event: HostEvent) => unknown
  /** The database schema that contains everything; `migrate` creates it if it is missing. */
  readonly schema?: string
  /** The path that requests still have when they are handed over; empty: none. Default: PUBLIC_URL's. */
  readonly prefix?: string
  /**
   * Records spans by the provider that the host has registered with `@opentelemetry/api`, which must be
   * installed: below the host's own span of a request, or the caller's `traceparent`. False by default.
   */
  readonly traces?: boolean
  /** Receives the log, one line of JSON at a time. Standard output by default. */
  readonly log?: (line: string) => void
}

export interface HostRequest {
  readonly method: string
  /** The path below the prefix, with its query. */
  readonly url: string
  /** The names are in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The client's address; behind TRUSTED_PROXIES the one that they forward. */
  readonly address: string
  /** The host's own request: Fastify's request, the `req` of `listener`, the Request of `fetch`. */
  readonly host: unknown
}

export interface Ishtirak extends MountedApp {
  /** The calls of the API, without HTTP. */
  readonly billing: Billing
  /** The acts of one operator: `operator({ name: 'amina', role: 'owner' }).act('payment.refund', …)`. */
  readonly operator: (as: Operator) => OperatorCalls
  /** Brings the schema up to date, in any number of processes at once. Returns the files applied. */
  migrate(): Promise<{ readonly applied: readonly string[]; readonly version: number }>
  /** Starts the jobs (due payments, events, mail), in one process or several. The schema must exist. */
  start(): Promise<void>
  /** Ends the jobs, finishes the work under way and closes the database for good. Close the server first. */
  stop(): Promise<void>
  /** The figures for Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** Throws `ConfigError` with everything that is wrong, or what stands in the way of opening the database. */
export async function createIshtirak(options: IshtirakOptions): Promise<Ishtirak> {
  const { identify, onEvent, schema, prefix } = options
  const config = readMountedConfig(options.config, { identifies: identify !== undefined })
  if (onEvent && config.events)
    throw new ConfigError(['EVENTS_URL is set and onEvent is given: events go to one of the two'])
  if (options.traces) requirePackages('traces', ['@opentelemetry/api'])
  const tracing = options.traces ? (await import('./tracing.js')).tracingBy() : undefined
  const log = createLog({ level: config.logLevel, destination: lineByLine(options.log) })
  const address = 'folder' in options.database ? { dataDir: options.database.folder } : options.database
  const database = await openDatabase({ ...address, ...(schema !== undefined && { schema }), log })
  const service = await wire(config, {
    ...{ database, log, tracing, onEvent },
    clock: guardSystemClock(systemClock(), { database, log, checkedOn: config.clockChecked }),
    processMetrics: false,
    ...(identify && { identify: usersOf(identify) }),
  })
  await service.app.ready()
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= service.stop()
    return stopping
  }
  return {
    ...mount({ app: service.app, stop }, config.publicUrl, prefix),
    billing: createBilling(service.parts),
    operator: createOperatorCalls(service.parts, service.acts),
    migrate: () => migrate(database),
    start: service.start,
    stop,
    metrics: service.metrics.render,
  }
}

/** The host's user is checked as a token is. */
function usersOf(identify: NonNullable<IshtirakOptions['identify']>): IdentifyUser {
  return async ({ method, url, headers, ip: address, raw }) => {
    const asked = { method, url, headers, address, host: hostRequests.get(raw) }
    // It may throw before it returns a promise.
    const identity = await (async () => identify(asked))().catch((cause: unknown) => {
      throw new BillingError('authentication_unavailable', { retryAfterSeconds: 5, cause })
    })
    // Hosts without a compiler say it with undefined as well.
    if (!identity) throw new BillingError('unauthenticated')
    // A mistake of the host, not of its user: 500, with this line in the log.
    if (!isUserId(identity.userId)) throw new TypeError('identify gave a userId that cannot be one')
    return identityOf(identity)
  }
}
