// Ishtirak inside another program: `import { createIshtirak } from 'ishtirak'`. It listens to no port and to
// no signal, ends no process, and reads no environment: all it knows is what it is given here. The page that
// explains it: docs/mount.md.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { HostEvent } from '../core/event.js'
import type { Operator } from '../core/role.js'
import { isUserId } from '../core/user-id.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import { migrate } from '../database/migrate.js'
import { openDatabase } from '../database/open-database.js'
import { identityOf, type UserIdentity } from '../http/auth.js'
import type { IdentifyUser } from '../http/callers.js'
import type { MountedApp } from '../http/mount.js'
import { systemClock } from '../runtime/clock.js'
import { ConfigError } from '../runtime/config-file.js'
import type { Variables } from '../runtime/environment.js'
import { createLog, lineByLine } from '../runtime/log.js'
import { missingPackages } from '../runtime/package.js'
import { type Billing, createBilling } from './billing.js'
import { type Config, readMountedConfig } from './config.js'
import { type HostRequests, mounted } from './mounted.js'
import { createOperatorCalls, type OperatorCalls } from './operator-calls.js'
import type { ServiceTracing } from './tracing.js'
import { type WiredConfig, wire } from './wire.js'

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
  /** Who the user of this request is; null: anonymous, answered 401. Default: tokens, as AUTH_… say. */
  readonly identify?: Identify
  /**
   * Is given each event, in place of EVENTS_URL: at least once, those of a user in order. Where it throws or
   * rejects, or takes more than 15 s, the event comes again, in the steps of docs/events.md.
   */
  readonly onEvent?: (event: HostEvent) => unknown
  /** The schema of the database that everything is in; made by `migrate` where it is missing. */
  readonly schema?: string
  /** The path that requests still carry when they are handed over; empty: none. Default: PUBLIC_URL's. */
  readonly prefix?: string
  /**
   * Records spans by the provider that the host has registered with `@opentelemetry/api`, which must be
   * installed: below the host's own span of a request, or the caller's `traceparent`. False by default.
   */
  readonly traces?: boolean
  /** Where the log goes, one line of JSON at a time. Standard output by default. */
  readonly log?: (line: string) => void
}

/**
 * Called for each request that needs a user. What it throws is logged, and answered 503
 * `authentication_unavailable`, so that clients try again.
 */
export type Identify = (request: HostRequest) => Promise<UserIdentity | null> | UserIdentity | null

export interface HostRequest {
  readonly method: string
  /** Below the prefix, with its query. */
  readonly url: string
  /** Keyed by names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The client's, where TRUSTED_PROXIES are believed. */
  readonly address: string
  /** The host's own: Fastify's request, the `req` of `listener`, the Request of `fetch`. */
  readonly host: unknown
}

export interface Ishtirak extends MountedApp {
  /** The calls of the API, without HTTP. */
  readonly billing: Billing
  /** The acts of one operator: `operator({ name: 'amina', role: 'owner' }).act('payment.refund', …)`. */
  readonly operator: (as: Operator) => OperatorCalls
  /** Brings the schema up to date, in any number of processes at once. Gives the files applied. */
  migrate(): Promise<{ readonly applied: readonly string[]; readonly version: number }>
  /** Begins the jobs (due payments, events, mail), in one process or several. The schema must be there. */
  start(): Promise<void>
  /** Ends the jobs, finishes what was begun and closes the database: for good. Close the server first. */
  stop(): Promise<void>
  /** The figures for Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** Throws `ConfigError` with everything that is wrong, or what stands in the way of opening the database. */
export async function createIshtirak(options: IshtirakOptions): Promise<Ishtirak> {
  const { identify, onEvent } = options
  const config = requireProvider(readMountedConfig(options.config, { identifies: identify !== undefined }))
  if (onEvent && config.events)
    throw new ConfigError(['EVENTS_URL is set and onEvent is given: events go to one of the two'])
  const tracing = options.traces ? await openHostTracing() : undefined
  const log = createLog({ level: config.logLevel, destination: lineByLine(options.log) })
  const { schema } = options
  const database = await openDatabase({
    ...addressOf(options.database),
    ...(schema !== undefined && { schema }),
    log,
  })
  const clock = guardSystemClock(systemClock(), { database, log, checkedOn: config.clockChecked })
  const hostRequests: HostRequests = new WeakMap()
  const users = identify && { identify: usersOf(identify, hostRequests) }
  const service = await wire(config, {
    database,
    clock,
    log,
    processMetrics: false,
    ...users,
    tracing,
    onEvent,
  })
  await service.app.ready()
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= service.stop()
    return stopping
  }
  return {
    ...mounted(
      { app: service.app, stop },
      { config, hostRequests, ...(options.prefix !== undefined && { prefix: options.prefix }) },
    ),
    billing: createBilling(service.parts),
    operator: createOperatorCalls(service.parts, service.acts),
    migrate: () => migrate(database),
    start: service.start,
    stop,
    metrics: service.metrics.render,
  }
}

async function openHostTracing(): Promise<ServiceTracing> {
  const missing = missingPackages(['@opentelemetry/api'])
  if (missing.length > 0)
    throw new ConfigError([`traces need a package that is not installed: npm install ${missing.join(' ')}`])
  const { hostTracing } = await import('./tracing.js')
  return hostTracing()
}

function requireProvider(config: Config): WiredConfig {
  const { chargily } = config
  if (!chargily) throw new Error('a mounted configuration has a key of the provider')
  return { ...config, chargily }
}

function addressOf(database: IshtirakOptions['database']) {
  return 'folder' in database ? { dataDir: database.folder } : database
}

const RETRY_SECONDS = 5

/** What a host says of its user is checked as a token is. */
function usersOf(identify: Identify, hostRequests: HostRequests): IdentifyUser {
  return async (request) => {
    const identity = await askHost(identify, request, hostRequests.get(request.raw))
    // Hosts without a compiler say it with undefined as well.
    if (!identity) throw new BillingError('unauthenticated')
    // A mistake of the host, not of its user: 500, with this line in the log.
    if (!isUserId(identity.userId)) throw new TypeError('identify gave a userId that cannot be one')
    return identityOf(identity)
  }
}

async function askHost(identify: Identify, request: FastifyRequest, host: unknown) {
  const { method, url, headers, ip: address } = request
  try {
    return await identify({ method, url, headers, address, host })
  } catch (cause) {
    throw new BillingError('authentication_unavailable', { retryAfterSeconds: RETRY_SECONDS, cause })
  }
}
