// How the operator's commands reach the operator's API: over HTTP where the service runs (its key says who acts), else by
// opening the database, with the very routes of the service and no port.
import os from 'node:os'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { schemaFit } from '../database/migrate.js'
import { BASE } from '../operator/operations.js'
import { withoutSlash } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import { randomToken } from '../runtime/secret.js'
import { plainText } from './cli-tables.js'
import type { Config } from './config.js'
import { readSandboxState, runningSandbox, setUpProvider } from './sandbox.js'
import { openConfigured } from './serve.js'
import { wire } from './wire.js'

/** The options of every command that asks the operator's API. */
export interface AccessOptions {
  /** Where the service is; ISHTIRAK_URL by default. Without both the database is opened. */
  readonly url?: string
  /** Who acts, where the database is opened; OPERATOR, else the name of the operating system's user, by default. */
  readonly as?: string
}

interface OperatorRequest {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v1/operator`. */
  readonly path: string
  readonly body?: object
}

interface DownloadedFile {
  readonly type: string
  readonly content: Buffer
}

export interface OperatorClient {
  /** The body of the answer. Throws `CommandFailed`: the service refused, or does not answer. */
  ask(request: OperatorRequest, onBytes?: (done: number) => void): Promise<string>
  /** An answer that is a file. Throws the same. */
  download(request: OperatorRequest): Promise<DownloadedFile>
  close(): Promise<void>
}

/** Why a command cannot do its work, in a sentence for the person who typed it. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** The service understood and refused. */
export class Refused extends CommandFailed {
  readonly code: string
  /** What the refusal names beside what all have, such as `payment_id`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(message: string, of: { readonly code: string; readonly members: object }) {
    super(message)
    this.code = of.code
    this.members = { ...of.members }
  }
}

/** A comparison's round makes five calls of at most 5 s to the provider. */
const ANSWER_MS = 60_000

export async function openOperatorClient(
  config: Config,
  options: AccessOptions,
  log: Log,
): Promise<OperatorClient> {
  const running = await runningService(config, options)
  return running ? overHttp(running) : onDatabase(config, nameOf(options.as ?? variable('OPERATOR')), log)
}

interface RunningService {
  readonly url: string
  readonly key: string
}

/** Null: no service is known that could be asked. */
export async function runningService(
  config: Config,
  { url = variable('ISHTIRAK_URL'), as }: AccessOptions,
): Promise<RunningService | null> {
  if (url === '') throw new CommandFailed('--url is empty: the address of the service is missing')
  const running = url === undefined ? await sandboxBeside(config) : { url, key: givenKey() }
  if (running && as !== undefined)
    throw new CommandFailed('--as says nothing to a running service: the key says who acts')
  return running
}

async function sandboxBeside(config: Config): Promise<RunningService | null> {
  const url = config.chargily === null ? await runningSandbox(config) : null
  return url === null ? null : { url, key: (await readSandboxState(config)).operatorKey }
}

function givenKey(): string {
  const key = variable('OPERATOR_KEY')
  if (key === undefined) throw new CommandFailed('OPERATOR_KEY is missing: one of the keys in OPERATOR_KEYS')
  return key
}

/** Empty counts as unset, as for every variable; said aloud, since another database may then be asked. */
function variable(name: 'ISHTIRAK_URL' | 'OPERATOR' | 'OPERATOR_KEY'): string | undefined {
  const value = process.env[name]?.trim()
  if (value === '') process.stderr.write(`${name} is empty and counts as unset\n`)
  return value === '' ? undefined : value
}

/** `url` as a person writes it, with a slash at the end or without. Throws `CommandFailed` where nothing answers. */
export function fetchFromOperator(
  { url, key }: RunningService,
  { method, path, body }: OperatorRequest,
  timeoutMs = ANSWER_MS,
): Promise<Response> {
  return fetch(`${withoutSlash(url)}${BASE}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error && error.cause.message
    throw new CommandFailed(`no answer from ${url}: ${reason || error.message}`)
  })
}

/** Of an answer, as they come; `onBytes` hears how many there were so far. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  onBytes: (done: number) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.length
    onBytes(bytes)
    yield read.value
  }
}

function overHttp(service: RunningService): OperatorClient {
  return {
    ask: async (request, onBytes) => {
      const response = await fetchFromOperator(service, request)
      // response.text() drops the byte order mark of a file for Excel.
      const parts: Uint8Array[] = []
      if (response.body) for await (const part of chunksOf(response.body, onBytes)) parts.push(part)
      return textOf(response.status, Buffer.concat(parts).toString())
    },
    download: async (request) => {
      const response = await fetchFromOperator(service, request)
      const content = Buffer.from(await response.arrayBuffer())
      return fileOf(response.status, response.headers.get('content-type'), content)
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
  // Who opens the database may do everything with it.
  const operatorKeys = [{ name, role: 'owner' as const, key }]
  const service = await wire({ ...complete, operatorKeys }, { database, log, clock, withoutJobs: true })
  await service.start()
  const asked = ({ method, path, body }: OperatorRequest) => {
    const headers = { authorization: `Bearer ${key}` }
    return service.app.inject({ method, url: `${BASE}${path}`, headers, ...(body && { payload: body }) })
  }
  return {
    ask: async (request) => {
      const answer = await asked(request)
      return textOf(answer.statusCode, answer.payload)
    },
    download: async (request) => {
      const { statusCode, headers, rawPayload } = await asked(request)
      return fileOf(statusCode, headers['content-type'], rawPayload)
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

function fileOf(status: number, type: unknown, content: Buffer): DownloadedFile {
  if (status < 300) return { type: String(type), content }
  throw refusal(status, content.toString())
}

function textOf(status: number, body: string): string {
  if (status < 300) return body
  throw refusal(status, body)
}

/** Of every problem body; what else is in it belongs to this one refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']

/** A problem body, or what a proxy in between said. */
export function refusal(status: number, body: string): Error {
  if (status === 404 && !body.includes('request_id'))
    return new CommandFailed('there is no Ishtirak at this address')
  if (!body.startsWith('{')) return new CommandFailed(`the service answered ${status}`)
  const { code, detail, errors = [], ...problem } = JSON.parse(body)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  const members = Object.fromEntries(further)
  if (code === 'not_found') return new Refused(missing(members), { code, members })
  const wrong = errors.map(({ pointer, detail }: Record<string, string>) => `${pointer}: ${detail}`)
  const more = further.map(([name, value]) => `${name}: ${plain(value)}`)
  return new Refused([`${code}: ${detail}`, ...more, ...wrong].join('\n  '), { code, members })
}

/** What a 404 names, in the words of a person. */
const NOUNS: Readonly<Record<string, string>> = {
  payment_id: 'payment',
  user_id: 'user',
  batch_id: 'batch of codes',
  event_id: 'event',
  waiting_event_id: 'event that waits, called',
  session_id: 'session',
  reconciliation_id: 'comparison',
  finding_id: 'finding',
}

/** The service names what there is not; without that the address itself is not there. */
function missing({ proof, setting, ...named }: Readonly<Record<string, unknown>>): string {
  if (setting !== undefined) return `${plain(setting)} is not set for this service`
  const [[name, value] = []] = Object.entries(named)
  if (name === undefined) return 'this service has no such address: set OPERATOR_KEYS for it, or update it'
  const thing = `${NOUNS[name] ?? name} ${plain(value)}`
  return proof === undefined ? `no ${thing}` : `no proof ${plain(proof)} of ${thing}`
}

function plain(value: unknown): string {
  return plainText(typeof value === 'string' ? value : JSON.stringify(value))
}
