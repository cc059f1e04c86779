// The client of the operator's API that commands use, and the words for its refusals.
import type { Command } from 'commander'
import type { Database } from '../database/database.js'
import type { CommonConfig } from '../runtime/config.js'
import type { Settings, Variables } from '../runtime/environment.js'
import { withoutSlash } from '../runtime/http-client.js'
import { plainText } from './cli-tables.js'
import { OPERATOR_API } from './files.js'

export interface AccessOptions {
  /** The address of the service; ISHTIRAK_URL by default. Without both, the command opens the database. */
  readonly url?: string
  /** Who acts if the command opens the database; by default OPERATOR, else the system's user. */
  readonly as?: string
}

export interface OperatorRequest {
  readonly method: 'GET' | 'POST'
  /** Below `/api/v1/operator`. */
  readonly path: string
  readonly body?: object
  readonly file?: Uint8Array
}

export interface DownloadedFile {
  readonly type: string
  readonly content: Buffer
}

export type OperatorClient = ReturnType<typeof clientOf>

export interface CommandHost {
  /** The options are those of `addAccessOptions`. Throws `CommandFailed`. */
  openClient(options: AccessOptions): Promise<OperatorClient>
  /** Null: the command knows no running service. Throws `CommandFailed`. */
  runningService(options: AccessOptions): Promise<RunningService | null>
  /** The running sandbox of this folder, with a key of the platform. Throws `CommandFailed`. */
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
  timeZone(): string
  /** The configuration of the service with the settings of one capability; `instead` replaces variables. */
  config<Own>(settings: Settings<Own>, instead: Variables): Promise<CommonConfig & Own>
}

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

export class Refused extends CommandFailed {
  readonly code: string
  /** The members of this refusal, such as `payment_id`. */
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

/** Throws `CommandFailed` if nothing answers. */
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
    throw new CommandFailed(
      `no answer from ${url} (${causeOf(error)}): does the service run, and is the address right?`,
    )
  })
}

function causeOf({ cause, message }: Error): string {
  return (cause instanceof Error && cause.message) || message
}

/** `send` returns every answer, refusals included. */
export function clientOf(
  send: (request: OperatorRequest) => Promise<DownloadedFile & { readonly status: number }>,
  close: () => Promise<void>,
) {
  const download = async (request: OperatorRequest): Promise<DownloadedFile> => {
    const { status, ...file } = await send(request)
    if (status < 300) return file
    throw refusal(status, file.content.toString())
  }
  return {
    /** Returns an answer that is a file. Throws as `ask` does. */
    download,
    /** Returns the body of the answer. Throws `CommandFailed` if the service refuses or does not answer. */
    ask: async (request: OperatorRequest) => (await download(request)).content.toString(),
    close,
  }
}

export function overHttp(service: RunningService): OperatorClient {
  const send = async (request: OperatorRequest) => {
    const answer = await fetchFromOperator(service, request)
    const content = await answer.arrayBuffer().then(Buffer.from, (error: Error) => {
      throw new CommandFailed(
        `the answer from ${service.url} broke off (${causeOf(error)}): its log may say why; try again`,
      )
    })
    return { status: answer.status, type: String(answer.headers.get('content-type')), content }
  }
  return clientOf(send, async () => undefined)
}

/** Every problem body has these members; further ones belong to the refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']

/** The error for an answer that is a problem, or that a proxy in between gave. */
export function refusal(status: number, body: string): Error {
  if (status === 404 && !body.includes('request_id'))
    return new CommandFailed('no Ishtirak answers at this address: correct --url or ISHTIRAK_URL')
  if (!body.startsWith('{'))
    return new CommandFailed(
      `the answer is ${status} without a reason: a proxy before the service may say why`,
    )
  const { code, detail, errors = [], ...problem } = JSON.parse(body)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  const members = Object.fromEntries(further)
  if (code === 'not_found') return new Refused(missing(members), { code, members })
  const wrong = errors.map(({ pointer, detail }: Record<string, string>) => `${pointer}: ${detail}`)
  const more = further.map(([name, value]) => `${name}: ${plain(value)}`)
  return new Refused([`${code}: ${detail}`, ...more, ...wrong].join('\n  '), { code, members })
}

/** The service names what is missing. If it names nothing, the address itself does not exist. */
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
