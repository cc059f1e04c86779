// How the operator's commands reach the books: through the running service where there is one (its key says who acts), else
// by opening the database, with the very routes of the service and no port. One way of asking for both.
import os from 'node:os'
import path from 'node:path'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { schemaFit } from '../database/migrate.js'
import { openDatabase } from '../database/open-database.js'
import { systemClock } from '../runtime/clock.js'
import type { Config } from '../runtime/config.js'
import { withoutSlash } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import { randomToken } from '../runtime/secret.js'
import { openSandbox, readSandboxState, readServiceUrl } from './sandbox.js'
import { requireKeys, sandboxFolder } from './serve.js'
import { wire } from './wire.js'

export interface OperatorClientOptions {
  /** Where the service is; without it the database is opened. */
  readonly url?: string | undefined
  /** Its key, from OPERATOR_KEY. */
  readonly key?: string | undefined
  /** Who acts, where the database is opened; the name of the operating system's user by default. */
  readonly as?: string | undefined
}

export interface OperatorAnswer {
  readonly status: number
  readonly text: string
}

export interface OperatorClient {
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<OperatorAnswer>
  close(): Promise<void>
}

/** Why a command cannot be carried out, in words for the operator. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

export const OPERATOR_PATH = '/api/v1/operator'
/** Is the sandbox running? It is on this machine, so it answers at once or not at all. */
const PROBE_MS = 1_000
/** A comparison's round makes five calls of at most 5 s to the provider. */
const ANSWER_MS = 60_000

export async function openOperatorClient(
  config: Config,
  options: OperatorClientOptions,
  log: Log,
): Promise<OperatorClient> {
  const running = await runningService(config, options)
  return running === null ? onDatabase(config, nameOf(options.as), log) : overHttp(running.url, running.key)
}

/** Where the service is and what opens it; null: there is none that could be asked. */
export async function runningService(
  config: Config,
  { url, key, as }: OperatorClientOptions,
): Promise<{ readonly url: string; readonly key: string } | null> {
  if (url !== undefined) {
    if (key === undefined)
      throw new CommandFailed('OPERATOR_KEY is missing: one of the keys in OPERATOR_KEYS')
    if (as !== undefined)
      throw new CommandFailed('--as says nothing to a running service: the key says who acts')
    return { url, key }
  }
  const running = config.chargily === null ? await runningSandbox(config) : null
  if (running === null) return null
  return { url: running, key: (await readSandboxState(sandboxFolder(config))).operatorKey }
}

/** `url` as a person writes it, with a slash at the end or without. */
export function operatorAddress(url: string): string {
  return `${withoutSlash(url)}${OPERATOR_PATH}`
}

function overHttp(url: string, key: string): OperatorClient {
  const base = operatorAddress(url)
  return {
    ask: async (method, address, body) => {
      const response = await fetch(`${base}${address}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch((error: unknown) => {
        throw new CommandFailed(`no answer from ${url}: ${reasonOf(error)}`)
      })
      return { status: response.status, text: await response.text() }
    },
    close: async () => undefined,
  }
}

/** The whole service without its port and its jobs: a key for this command alone opens the operator's part. */
async function onDatabase(config: Config, name: string, log: Log): Promise<OperatorClient> {
  const database = await openDatabase({
    ...(config.database.url === undefined ? {} : { url: config.database.url }),
    dataDir: path.join(config.database.dataDir, 'database'),
    log,
  }).catch((error: unknown) => {
    throw withAdvice(error)
  })
  const { current, expected, runs } = await schemaFit(database)
  if (!runs) {
    await database.close()
    throw new CommandFailed(`the schema is at ${current}, this version expects ${expected}: ishtirak migrate`)
  }
  const sandboxed = config.chargily ? null : await openSandbox(config, sandboxFolder(config), log)
  const key = randomToken(30)
  const wired = sandboxed?.config ?? requireKeys(config)
  const service = await wire(
    { ...wired, operatorKeys: [{ name, key }] },
    { database, log, clock: sandboxed?.clock ?? systemClock(), withoutJobs: true },
  )
  return {
    ask: async (method, address, body) => {
      const { statusCode, payload } = await service.app.inject({
        method,
        url: `${OPERATOR_PATH}${address}`,
        headers: { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { payload: body }),
      })
      return { status: statusCode, text: payload }
    },
    close: async () => {
      await service.stop()
      await sandboxed?.emulator.close()
    },
  }
}

/** On a folder that belongs to a running service. */
export function withAdvice(error: unknown): unknown {
  return error instanceof DataFolderLocked ? new CommandFailed(adviceOnLock(error)) : error
}

function adviceOnLock(error: DataFolderLocked): string {
  return `${error.message}: the service is running and has the database to itself.
Ask the service instead: set OPERATOR_KEYS for it, and here OPERATOR_KEY and ISHTIRAK_URL (or --url).`
}

/** It stands in the audit trail for ever, so it must be a name. */
function nameOf(as: string | undefined): string {
  const name = as ?? os.userInfo().username
  if (/^[\w.@-]{1,64}$/.test(name)) return name
  throw new CommandFailed('--as (or OPERATOR) must be a name of 1 to 64 letters, digits or . _ @ -')
}

/** Where the sandbox of this data folder answers; it may have been started with another PORT. */
export async function runningSandbox(config: Config): Promise<string | null> {
  const known = await readServiceUrl(sandboxFolder(config))
  for (const url of [known, config.publicUrl]) if (url !== null && (await answers(url))) return url
  return null
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) })).ok
  } catch {
    // Refused, timed out, no such host: in each case there is no service.
    return false
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
