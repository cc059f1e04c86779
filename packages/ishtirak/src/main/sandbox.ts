// The sandbox: without a key of Chargily the emulator stands beside the service, on real HTTP, with random
// keys that are made at the first start. The service calls it as it calls Chargily.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from 'chargily-emulator'
import { CommandFailed } from '../acts/operator-client.js'
import { WEBHOOK } from '../checkout/gateways/chargily/chargily.js'
import type { Database } from '../database/database.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import { type Clock, movableClock, systemClock } from '../runtime/clock.js'
import type { Variables } from '../runtime/environment.js'
import type { Log } from '../runtime/log.js'
import { EXAMPLE_PLANS, SEED_CATALOGUE } from '../runtime/plans-file.js'
import { randomToken } from '../runtime/secret.js'
import { type Config, inSandbox, SANDBOX_SECRETS } from './config.js'
import type { WiredConfig } from './wire.js'

/** What the service is wired with: as configured, or completed by the sandbox. */
interface ProviderSetup {
  readonly config: WiredConfig
  /** In the sandbox moved by the emulator's `/_sandbox/clock`, for both, and not guarded. */
  readonly clock: Clock
  /** Null outside of the sandbox. */
  readonly emulator: Emulator | null
}

/** What has to be the same after a restart: the keys, and how far the clock was moved. */
interface SandboxState {
  readonly jwtSecret: string
  readonly chargilyKey: string
  /** Opens the operator's part, so that its commands work beside the running sandbox. */
  readonly operatorKey: string
  /** Of the second operator that large transfers need. */
  readonly secondOperatorKey: string
  /** Opens the platform's part: what a hosting platform asks on every deploy. */
  readonly platformKey: string
  readonly aheadMs: number
  /** The secrets of capabilities. */
  readonly [secret: string]: string | number
}

/** Who the sandbox's own operator is in the audit trail. */
const SANDBOX_OPERATOR = 'sandbox'

/** Without a key of the provider: starts the emulator and completes the configuration. */
export async function setUpProvider(config: Config, database: Database, log: Log): Promise<ProviderSetup> {
  const { chargily, clockChecked: checkedOn } = config
  if (chargily) {
    const clock = guardSystemClock(systemClock(), { database, log, checkedOn })
    return { config: { ...config, chargily }, clock, emulator: null }
  }
  const folder = folderOf(config)
  const state = await readSandboxState(config)
  const movable = movableClock(systemClock())
  movable.advance(state.aheadMs)
  let aheadMs = state.aheadMs
  let saving = Promise.resolve()
  const clock = {
    now: () => movable.now(),
    advance: (ms: number) => {
      movable.advance(ms)
      aheadMs += ms
      const save = () => writeState(folder, { ...state, aheadMs })
      saving = saving.then(save).catch((error) => log.error({ err: error }, 'the moved clock is not saved'))
    },
  }
  const { startEmulator } = await import('chargily-emulator')
  const emulator = await startEmulator({
    secretKeys: [state.chargilyKey],
    clock,
    host: config.host,
    port: config.sandbox?.port ?? 0,
    webhookEndpoint: `${config.publicUrl}${WEBHOOK.path}`,
    account: { name: 'Ishtirak (sandbox)' },
    ...(folder === null ? {} : { stateFile: path.join(folder, 'emulator.jsonl') }),
    log: (line) => log.debug({ emulator: line }, 'emulator'),
  })
  const auth =
    config.auth.secrets.length > 0 || config.auth.jwksUrl
      ? config.auth
      : { ...config.auth, secrets: [state.jwtSecret] }
  const emulated = { secretKey: state.chargilyKey, webhookKeys: [], apiUrl: emulator.url }
  const operatorKeys = [
    ...config.operatorKeys,
    { name: `${SANDBOX_OPERATOR}-2`, role: 'owner' as const, key: state.secondOperatorKey },
    { name: SANDBOX_OPERATOR, role: 'owner' as const, key: state.operatorKey },
  ]
  const platformKeys = [...config.platformKeys, state.platformKey]
  // Where no file says what is sold: terms to try.
  const plans = config.plans === SEED_CATALOGUE ? EXAMPLE_PLANS : config.plans
  const ours = { auth, chargily: emulated, operatorKeys, platformKeys, plans }
  const ofCapabilities = inSandbox(config, (name) => String(state[name]))
  return { config: { ...config, ...ofCapabilities, ...ours }, clock, emulator }
}

/** Null: nothing is kept, as with a database in memory. */
function folderOf({ database }: Config): string | null {
  return database.url === 'memory:' ? null : path.join(database.dataDir, 'sandbox')
}

/** Whether a service has made a sandbox in this data folder. One in memory is known to its process alone. */
export function hasSandbox(config: Config): boolean {
  const folder = folderOf(config)
  return folder !== null && existsSync(stateFile(folder))
}

/** `instead`: what else the client command can be given. */
export function noSandbox(instead = 'give `--url`'): CommandFailed {
  return new CommandFailed(`no sandbox in this folder: run it where you ran \`npm start\`, or ${instead}`)
}

/** The sandbox of this data folder. What is missing is made, so a client asks `hasSandbox` before. */
export async function readSandboxState(config: Config): Promise<SandboxState> {
  const folder = folderOf(config)
  const known = folder === null ? null : await readStateFile(folder)
  // What an earlier version did not make is made now; the keys that are known stay.
  const fresh = {
    jwtSecret: randomToken(32),
    chargilyKey: `test_sk_${randomToken(30)}`,
    operatorKey: randomToken(30),
    secondOperatorKey: randomToken(30),
    platformKey: randomToken(30),
    ...Object.fromEntries(SANDBOX_SECRETS.map((name) => [name, randomToken(30)])),
    aheadMs: 0,
    ...known,
  }
  const isWhole = known !== null && Object.keys(fresh).every((name) => name in known)
  if (!isWhole) await writeState(folder, fresh)
  return fresh
}

/** Where the service of this data folder listens, for the commands: their PORT may be another. */
export async function writeServiceUrl(config: Config, url: string): Promise<void> {
  const folder = folderOf(config)
  if (folder !== null) await writeFile(path.join(folder, 'service-url'), url)
}

/** It is on this machine, so it answers at once or not at all. */
const PROBE_MS = 1_000

/** Where the sandbox of this data folder answers; null: it does not run. */
export async function runningSandbox(config: Config): Promise<string | null> {
  const folder = folderOf(config)
  // What answers at the public address beside another folder has other keys.
  if (!hasSandbox(config)) return null
  const written = folder && (await readFile(path.join(folder, 'service-url'), 'utf8').catch(() => null))
  const answers = (url: string) =>
    fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const url of [written, config.publicUrl]) if (url && (await answers(url))) return url
  return null
}

const stateFile = (folder: string) => path.join(folder, 'sandbox.json')

async function readStateFile(folder: string): Promise<Partial<SandboxState> | null> {
  try {
    // Written by `writeState` below and by nothing else.
    return JSON.parse(await readFile(stateFile(folder), 'utf8')) as Partial<SandboxState>
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Replaced as a whole, so that a kill leaves the old or the new one; readable by its owner only. */
async function writeState(folder: string | null, state: SandboxState): Promise<void> {
  if (folder === null) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = stateFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Addresses, a token, and a whole purchase in curl lines: what is printed at the start. */
export function welcome(at: {
  readonly url: string
  readonly emulatorUrl: string
  readonly metricsUrl: string | null
  /** Where mail is shown; null: SMTP_URL sends it. */
  readonly mailUrl: string | null
  readonly token: string
  /** What a platform of one's own is given: variables. */
  readonly forPlatform: Variables
  /** The sandbox's own operators. */
  readonly operatorKeys: readonly { readonly name: string; readonly key: string }[]
  /** Of the catalogue: a counter, where it has one. */
  readonly limit: string
  readonly hasDemo: boolean
}): string {
  const { url, emulatorUrl, metricsUrl, mailUrl, token, operatorKeys, limit, hasDemo } = at
  const variables = Object.entries(at.forPlatform)
  const api = `${url}/api/v1/billing`
  return `
Ishtirak is running in the sandbox: no real card, no money.

  service    ${url}          API documents ${url}/docs
  emulator   ${emulatorUrl}          clock, faults, deliveries ${emulatorUrl}/_sandbox
  metrics    ${metricsUrl}
${mailUrl ? `  mail       ${mailUrl}\n` : ''}
A whole purchase:

  TOKEN=${token}
  curl -s ${api}/plans
  curl -s ${api}/upgrade -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"plan":"pro"}'

Open the checkout_url in a browser and pay with EDAHABIA or CIB, or pay from here:

  curl -si CHECKOUT_URL -d payment_method=edahabia -d outcome=paid
  curl -s ${api}/status -H "Authorization: Bearer $TOKEN"
  curl -s ${api}/payments -H "Authorization: Bearer $TOKEN"

What the user sees: a link into the portal, for a browser:

  curl -s -X POST ${api}/portal-sessions -H "Authorization: Bearer $TOKEN"

What a platform of your own is given (docs/integrate.md), and asks on every deploy:

${variables.map(([name, value]) => `  export ${name}=${value}`).join('\n')}
  curl -s ${url}/api/v1/platform/users/user-1/limits/${limit}/consume \\
       -H "Authorization: Bearer $PLATFORM_API_KEY" \\
       -H 'Content-Type: application/json' -d '{"operation_id":"deploy-1"}'

What the operator sees of it: ${url}/console, signed in with a key,
  or in another terminal npx ishtirak payments list

${operatorKeys.map(({ name, key }) => `  ${name.padEnd(12)}${key}`).join('\n')}
${hasDemo ? '\nA year of a pretend shop beside it: npx ishtirak demo\n' : ''}
A month later:

  curl -s ${emulatorUrl}/_sandbox/clock -H 'Content-Type: application/json' -d '{"advance_seconds":2678400}'

`
}
