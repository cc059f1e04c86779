// Connects the operator's commands to the operator's API: over HTTP if the service runs (its key says who
// acts), else by opening the database, with the routes of the service and no port.
import os from 'node:os'
import { OPERATOR_API } from '../acts/files.js'
import {
  type AccessOptions,
  CommandFailed,
  type CommandHost,
  clientOf,
  type OperatorClient,
  type OperatorRequest,
  overHttp,
  type RunningService,
} from '../acts/operator-client.js'
import type { Database } from '../database/database.js'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { schemaFit } from '../database/migrate.js'
import type { Settings, Variables } from '../runtime/environment.js'
import { createLog } from '../runtime/log.js'
import { randomToken } from '../runtime/secret.js'
import { type Config, readConfig } from './config.js'
import { hasSandbox, noSandbox, readSandboxState, runningSandbox, setUpProvider } from './sandbox.js'
import { hasDatabase, openConfigured } from './serve.js'
import { wire } from './wire.js'

/** Configured by the environment. */
export const commandHost: CommandHost = {
  openClient: async (options) => {
    const config = readConfig(process.env)
    const running = await runningService(config, options)
    if (running) return overHttp(running)
    requireDatabase(config)
    if (config.chargily === null && !hasSandbox(config))
      throw config.database.url === undefined ? noSandbox() : new CommandFailed(ONLY_A_DATABASE)
    return onDatabase(config, nameOf(options.as ?? variable('OPERATOR')))
  },
  runningService: (options) => runningService(readConfig(process.env), options),
  sandbox: async () => {
    const running = await sandboxBeside(readConfig(process.env), 'platformKey')
    if (running === null) throw new CommandFailed('no sandbox runs here: start one with `npm start`')
    return running
  },
  onDatabase: async (work, { mayCreate = false, onLocked = adviseOnLock } = {}) => {
    const config = readConfig(process.env)
    if (!mayCreate) requireDatabase(config)
    const database = await openUnlocked(config, onLocked, { isBare: mayCreate })
    return await work(database).finally(() => database.close())
  },
  timeZone: () => readConfig(process.env).billing.timeZone,
  config: async <Own>(settings: Settings<Own>, instead: Variables) => {
    // The settings of all capabilities are read, so theirs are among them.
    const config = readConfig({ ...process.env, ...instead }) as Config & Own
    if (!config.sandbox) return config
    const state = hasSandbox(config) ? await readSandboxState(config) : null
    const secretOf = (name: string) => {
      if (state === null) throw noSandbox(`set ${settings.sandboxSecrets?.[name]}`)
      return String(Object(state)[name])
    }
    return { ...config, ...settings.inSandbox?.(config, secretOf) }
  },
}

const ONLY_A_DATABASE =
  'DATABASE_URL is set but not CHARGILY_SECRET_KEY: give all variables of the service, or `--url`'

/** A command opens the database of a service, and creates none. */
function requireDatabase(config: Config): void {
  if (hasDatabase(config)) return
  if (config.chargily === null) throw noSandbox()
  throw new CommandFailed(
    'no database in this folder: run it with the DATA_DIR of the service, or give `--url`',
  )
}

/** Null: no running service is known. */
async function runningService(
  config: Config,
  { url = variable('ISHTIRAK_URL'), as }: AccessOptions,
): Promise<RunningService | null> {
  if (url === '') throw new CommandFailed('--url is empty: give the address of the service')
  const running = url === undefined ? await sandboxBeside(config) : { url, key: givenKey() }
  if (running && as !== undefined)
    throw new CommandFailed('--as cannot be used with a running service: the key says who acts')
  return running
}

async function sandboxBeside(
  config: Config,
  opensWith: 'operatorKey' | 'platformKey' = 'operatorKey',
): Promise<RunningService | null> {
  const url = config.chargily === null ? await runningSandbox(config) : null
  return url === null ? null : { url, key: (await readSandboxState(config))[opensWith] }
}

function givenKey(): string {
  const key = variable('OPERATOR_KEY')
  if (key === undefined) throw new CommandFailed('OPERATOR_KEY is missing: one of the keys in OPERATOR_KEYS')
  return key
}

/** An empty variable counts as unset. It is reported, because another database may be asked then. */
function variable(name: 'ISHTIRAK_URL' | 'OPERATOR' | 'OPERATOR_KEY'): string | undefined {
  const value = process.env[name]?.trim()
  if (value === '') process.stderr.write(`${name} is empty and counts as unset\n`)
  return value === '' ? undefined : value
}

/** The whole service without its port and its jobs: a key for this command alone opens it. */
async function onDatabase(config: Config, name: string): Promise<OperatorClient> {
  // Other lines of the log would stand between the lines of the answer.
  const log = createLog({ level: 'error' })
  const database = await openUnlocked(config, adviseOnLock, { log })
  const { current, expected, runs, refusal } = await schemaFit(database)
  if (!runs) {
    await database.close()
    throw new CommandFailed(
      refusal ?? `the schema is at ${current}, this version expects ${expected}: ishtirak migrate`,
    )
  }
  const { config: complete, clock, emulator } = await setUpProvider(config, database, log)
  const key = randomToken(30)
  // A person who can open the database may do everything with it.
  const commandKey = { name, role: 'owner', key }
  const service = await wire(complete, { database, log, clock, commandKey, withoutJobs: true })
  await service.start()
  const send = async ({ method, path, body, file }: OperatorRequest) => {
    const payload = file ? Buffer.from(file) : body
    const asked = { method, url: `${OPERATOR_API}${path}`, headers: { authorization: `Bearer ${key}` } }
    const answer = await service.app.inject({ ...asked, ...(payload && { payload }) })
    const type = String(answer.headers['content-type'])
    return { status: answer.statusCode, type, content: answer.rawPayload }
  }
  return clientOf(send, async () => {
    await service.stop()
    await emulator?.close()
  })
}

/** Calls `onLocked` if a running service has the database to itself. */
async function openUnlocked(
  config: Config,
  onLocked: (error: Error) => never,
  options: Parameters<typeof openConfigured>[1],
): Promise<Database> {
  try {
    return await openConfigured(config, options)
  } catch (error) {
    throw error instanceof DataFolderLocked ? onLocked(error) : error
  }
}

function adviseOnLock(error: Error): never {
  throw new CommandFailed(`${error.message}: the service is running and has the database to itself.
Ask the service instead: set OPERATOR_KEYS for it, and here OPERATOR_KEY and ISHTIRAK_URL (or --url).`)
}

/** The audit trail keeps it for ever, so it must be a name. */
function nameOf(as = os.userInfo().username): string {
  if (/^[\w.@-]{1,64}$/.test(as)) return as
  throw new CommandFailed('--as (or OPERATOR) must be a name of 1 to 64 letters, digits or . _ @ -')
}
