// How the operator's commands reach the operator's API: over HTTP where the service runs (its key says who acts), else by
// opening the database, with the very routes of the service and no port.
import os from 'node:os'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { schemaFit } from '../database/migrate.js'
import type { Config } from '../runtime/config.js'
import { withoutSlash } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import { randomToken } from '../runtime/secret.js'
import { readSandboxState, runningSandbox, setUpProvider } from './sandbox.js'
import { openConfigured } from './serve.js'
import { wire } from './wire.js'

export interface Access {
  /** Where the service is; without it the database is opened. */
  readonly url?: string | undefined
  /** Its key, from OPERATOR_KEY. */
  readonly key?: string | undefined
  /** Who acts, where the database is opened; the name of the operating system's user by default. */
  readonly as?: string | undefined
}

export interface OperatorRequest {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v1/operator`. */
  readonly path: string
  readonly body?: object
}

export interface OperatorClient {
  /** The body of the answer. Throws `CommandFailed`: the service refused, or does not answer. */
  ask(request: OperatorRequest): Promise<string>
  close(): Promise<void>
}

/** Why a command cannot do its work, in a sentence for the person who typed it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

const OPERATOR_PATH = '/api/v1/operator'
/** A comparison's round makes five calls of at most 5 s to the provider. */
const ANSWER_MS = 60_000

export async function openOperatorClient(config: Config, access: Access, log: Log): Promise<OperatorClient> {
  const running = await runningService(config, access)
  return running === null ? onDatabase(config, nameOf(access.as), log) : overHttp(running.url, running.key)
}

/** Of the options and the environment. */
export function readAccess(options: { readonly url?: string; readonly as?: string }): Access {
  const operator = variable('OPERATOR')
  const url = options.url ?? variable('ISHTIRAK_URL')
  if (url === '') throw new CommandFailed('--url is empty: the address of the service is missing')
  const as = options.as ?? (url === undefined ? operator : undefined)
  return { url, as, key: variable('OPERATOR_KEY') }
}

/** Empty counts as unset, as for every variable; said aloud, since another database may then be asked. */
function variable(name: 'ISHTIRAK_URL' | 'OPERATOR' | 'OPERATOR_KEY'): string | undefined {
  const value = process.env[name]?.trim()
  if (value === '') process.stderr.write(`${name} is empty and counts as unset\n`)
  return value === '' ? undefined : value
}

/** Where the service is and its key; null: no service is known that could be asked. */
export async function runningService(
  config: Config,
  { url, key, as }: Access,
): Promise<{ readonly url: string; readonly key: string } | null> {
  if (url !== undefined) {
    if (key === undefined)
      throw new CommandFailed('OPERATOR_KEY is missing: one of the keys in OPERATOR_KEYS')
    if (as !== undefined)
      throw new CommandFailed('--as says nothing to a running service: the key says who acts')
    return { url, key }
  }
  const running = config.chargily === null ? await runningSandbox(config) : null
  return running === null ? null : { url: running, key: (await readSandboxState(config)).operatorKey }
}

/** `url` as a person writes it, with a slash at the end or without. Throws `CommandFailed` where nothing answers. */
export function fetchFromOperator(
  { url, key }: { readonly url: string; readonly key: string },
  { method, path, body }: OperatorRequest,
  timeoutMs = ANSWER_MS,
): Promise<Response> {
  return fetch(`${withoutSlash(url)}${OPERATOR_PATH}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error && error.cause.message
    throw new CommandFailed(`no answer from ${url}: ${reason || error.message}`)
  })
}

function overHttp(url: string, key: string): OperatorClient {
  return {
    ask: async (request) => {
      const response = await fetchFromOperator({ url, key }, request)
      return textOf(response.status, await response.text())
    },
    close: async () => undefined,
  }
}

/** The whole service without its port and its jobs: a key for this command alone opens the operator's part. */
async function onDatabase(config: Config, name: string, log: Log): Promise<OperatorClient> {
  const database = await openConfigured(config, { log }).catch(adviseOnLock)
  const { current, expected, runs } = await schemaFit(database)
  if (!runs) {
    await database.close()
    throw new CommandFailed(`the schema is at ${current}, this version expects ${expected}: ishtirak migrate`)
  }
  const { config: complete, clock, emulator } = await setUpProvider(config, log)
  const key = randomToken(30)
  const operatorKeys = [{ name, key }]
  const service = await wire({ ...complete, operatorKeys }, { database, log, clock, withoutJobs: true })
  return {
    ask: async ({ method, path, body }) => {
      const url = `${OPERATOR_PATH}${path}`
      const headers = { authorization: `Bearer ${key}` }
      const answer = await service.app.inject({ method, url, headers, ...(body && { payload: body }) })
      return textOf(answer.statusCode, answer.payload)
    },
    close: async () => {
      await service.stop()
      await emulator?.close()
    },
  }
}

/** Where the folder belongs to a running service. */
export function adviseOnLock(error: unknown): never {
  if (!(error instanceof DataFolderLocked)) throw error
  throw new CommandFailed(`${error.message}: the service is running and has the database to itself.
Ask the service instead: set OPERATOR_KEYS for it, and here OPERATOR_KEY and ISHTIRAK_URL (or --url).`)
}

/** It stands in the audit trail for ever, so it must be a name. */
function nameOf(as = os.userInfo().username): string {
  if (/^[\w.@-]{1,64}$/.test(as)) return as
  throw new CommandFailed('--as (or OPERATOR) must be a name of 1 to 64 letters, digits or . _ @ -')
}

function textOf(status: number, body: string): string {
  if (status < 300) return body
  throw refusal(status, body)
}

/** Of every problem body; what else is in it belongs to this one refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']

/** A problem body, or what a proxy in between said. */
function refusal(status: number, body: string): Error {
  if (status === 404 && !body.includes('request_id'))
    return new CommandFailed('there is no Ishtirak at this address')
  if (!body.startsWith('{')) return new CommandFailed(`the service answered ${status}`)
  const problem: Readonly<Record<string, unknown>> = JSON.parse(body)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  if (problem.code === 'not_found') return notFound(further)
  const more = [...further.map(([name, value]) => `${name}: ${plain(value)}`), ...wrongFields(problem.errors)]
  return new CommandFailed([`${problem.code}: ${problem.detail}`, ...more].join('\n  '))
}

/** The service names what there is not, such as `payment_id`; without that the address itself is not there. */
function notFound([missing]: readonly (readonly [string, unknown])[]): Error {
  if (!missing)
    return new CommandFailed('this service has no such address: set OPERATOR_KEYS for it, or update it')
  const [name, value] = missing
  return new CommandFailed(`no ${name.replace(/_id$/, '').replaceAll('_', ' ')} ${plain(value)}`)
}

function wrongFields(errors: unknown): readonly string[] {
  if (!Array.isArray(errors)) return []
  return errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer}: ${detail}`)
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\p{Cc}/gu, '?') : JSON.stringify(value)
}
