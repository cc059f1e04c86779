// The operator's API as the commands ask it, and what they say of its answers.
import type { Command } from 'commander'
import type { Database } from '../database/database.js'
import type { CommonConfig } from '../runtime/config.js'
import type { Settings, Variables } from '../runtime/environment.js'
import { withoutSlash } from '../runtime/http-client.js'
import { plainText } from './cli-tables.js'
import { OPERATOR_API } from './descriptions.js'

/** The options of every command that asks the operator's API. */
export interface AccessOptions {
  /** Where the service is; ISHTIRAK_URL by default. Without both the database is opened. */
  readonly url?: string
  /** Who acts, where the database is opened. By default OPERATOR, else the name of the system's user. */
  readonly as?: string
}

export interface OperatorRequest {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v1/operator`. */
  readonly path: string
  readonly body?: object
  /** The body, if it is a file. */
  readonly file?: Uint8Array
}

export interface DownloadedFile {
  readonly type: string
  readonly content: Buffer
}

type OnBytes = (done: number) => void

export interface OperatorClient {
  /** The body of the answer. Throws `CommandFailed`: the service refused, or does not answer. */
  ask(request: OperatorRequest, onBytes?: OnBytes): Promise<string>
  /** An answer that is a file. Throws the same. */
  download(request: OperatorRequest): Promise<DownloadedFile>
  close(): Promise<void>
}

/** What a command needs of the program around it. */
export interface CommandHost {
  /** The options are those of `addAccessOptions`. Throws `CommandFailed`. */
  openClient(options: AccessOptions): Promise<OperatorClient>
  /** Null: no service is known that could be asked. Throws `CommandFailed`. */
  runningService(options: AccessOptions): Promise<RunningService | null>
  /** The sandbox of this folder that runs, with the key of the platform. Throws `CommandFailed`. */
  sandbox(): Promise<RunningService>
  /** Opens the database. Throws `CommandFailed` if there is none, unless the command may create it. */
  onDatabase<Result>(
    work: (database: Database) => Promise<Result>,
    options?: {
      readonly mayCreate?: boolean
      /** Throws: a running service has the database to itself. */
      readonly onLocked?: (error: Error) => never
    },
  ): Promise<Result>
  /** The billing time zone. */
  timeZone(): string
  /** As the service has it, with what a capability reads by its `settings`; `instead` replaces variables. */
  config<Own>(settings: Settings<Own>, instead: Variables): Promise<CommonConfig & Own>
}

/** Which service is asked, and who acts. */
export function addAccessOptions(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .option('--as <name>', 'who acts, for the audit trail (default: OPERATOR, else your user name)')
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

/** A reconciliation's round makes five calls of at most 5 s to the provider. */
const ANSWER_MS = 60_000

export interface RunningService {
  readonly url: string
  readonly key: string
}

/** `url` with a slash at the end or without. Throws `CommandFailed` where nothing answers. */
export function fetchFromOperator(
  { url, key }: RunningService,
  { method, path, body, file }: OperatorRequest,
  timeoutMs = ANSWER_MS,
): Promise<Response> {
  return fetch(`${withoutSlash(url)}${OPERATOR_API}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(file && { body: new Uint8Array(file) }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error && error.cause.message
    throw new CommandFailed(`no answer from ${url}: ${reason || error.message}`)
  })
}

/** Of an answer, as they come; `onBytes` hears how many there were so far. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  onBytes: OnBytes = () => undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.length
    onBytes(bytes)
    yield read.value
  }
}

/** `send` gives whatever was answered. */
export function clientOf(
  send: (
    request: OperatorRequest,
    onBytes?: OnBytes,
  ) => Promise<DownloadedFile & { readonly status: number }>,
  close: OperatorClient['close'],
): OperatorClient {
  const download = async (request: OperatorRequest, onBytes?: OnBytes) => {
    const { status, ...file } = await send(request, onBytes)
    if (status < 300) return file
    throw refusal(status, file.content.toString())
  }
  return {
    download,
    ask: async (request, onBytes) => (await download(request, onBytes)).content.toString(),
    close,
  }
}

export function overHttp(service: RunningService): OperatorClient {
  const send = async (request: OperatorRequest, onBytes?: OnBytes) => {
    const { status, headers, body } = await fetchFromOperator(service, request)
    const parts: Uint8Array[] = []
    if (body) for await (const part of chunksOf(body, onBytes)) parts.push(part)
    return { status, type: String(headers.get('content-type')), content: Buffer.concat(parts) }
  }
  return clientOf(send, async () => undefined)
}

/** Of every problem body; what else is in it belongs to this one refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']

/** A problem body, or what a proxy in between said. */
export function refusal(status: number, body: string): Error {
  if (status === 404 && !body.includes('request_id'))
    return new CommandFailed('no Ishtirak answers at this address')
  if (!body.startsWith('{')) return new CommandFailed(`the service answered ${status}`)
  const { code, detail, errors = [], ...problem } = JSON.parse(body)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  const members = Object.fromEntries(further)
  if (code === 'not_found') return new Refused(missing(members), { code, members })
  const wrong = errors.map(({ pointer, detail }: Record<string, string>) => `${pointer}: ${detail}`)
  const more = further.map(([name, value]) => `${name}: ${plain(value)}`)
  return new Refused([`${code}: ${detail}`, ...more, ...wrong].join('\n  '), { code, members })
}

/** The service names what there is not; without that the address itself is not there. */
function missing({ proof, setting, ...named }: Readonly<Record<string, unknown>>): string {
  if (setting !== undefined) return `${plain(setting)} is not set for this service`
  const [[name, value] = []] = Object.entries(named)
  if (name === undefined) return 'this service has no such address: set OPERATOR_KEYS for it, or update it'
  const thing = `${name.replace(/_id$/, '').replaceAll('_', ' ')} ${plain(value)}`
  return proof === undefined ? `no ${thing}` : `no proof ${plain(proof)} of ${thing}`
}

function plain(value: unknown): string {
  return plainText(typeof value === 'string' ? value : JSON.stringify(value))
}
