// The sandbox: without a key of Chargily the emulator stands beside the service, on real HTTP, with random
// keys that are made at the first start. The service calls it as it calls Chargily.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from 'chargily-emulator'
import { SignJWT } from 'jose/jwt/sign'
import { CommandFailed } from '../acts/operator-client.js'
import { WEBHOOK } from '../checkout/gateways/chargily/chargily.js'
import type { Database } from '../database/database.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import type { App } from '../http/app.js'
import { type Clock, type MovableClock, movableClock, systemClock } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
import { isInstalled } from '../runtime/package.js'
import { EXAMPLE_PLANS, SEED_CATALOGUE } from '../runtime/plans-file.js'
import { randomToken } from '../runtime/secret.js'
import { type Config, inSandbox, SANDBOX_SECRETS, type WiredConfig } from './config.js'
import type { Service } from './wire.js'

/** The audit trail names the sandbox's own operator so. */
const SANDBOX_OPERATOR = 'sandbox'

/**
 * Without a key of the provider: starts the emulator and completes the configuration. The emulator's
 * `/_sandbox/clock` moves the clock for both, so it is not guarded. Outside the sandbox `emulator` is null.
 */
export async function setUpProvider(config: Config, database: Database, log: Log) {
  const { chargily, clockChecked: checkedOn } = config
  if (chargily) {
    const clock = guardSystemClock(systemClock(), { database, log, checkedOn })
    return { config: { ...config, chargily }, clock, emulator: null }
  }
  const folder = folderOf(config)
  const state = await readSandboxState(config)
  const clock = savedClock(state.aheadMs, (aheadMs) =>
    writeState(folder, { ...state, aheadMs }).catch((error) =>
      log.error({ err: error }, 'the moved clock is not saved'),
    ),
  )
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
  const { auth } = config
  const owner = (name: string, key: string) => ({ name, role: 'owner', key })
  const completed = {
    ...config,
    ...inSandbox(config, (name) => String(Object(state)[name])),
    auth: auth.secrets.length > 0 || auth.jwksUrl ? auth : { ...auth, secrets: [state.jwtSecret] },
    chargily: { secretKey: state.chargilyKey, webhookKeys: [], apiUrl: emulator.url },
    operatorKeys: [
      ...config.operatorKeys,
      owner(`${SANDBOX_OPERATOR}-2`, state.secondOperatorKey),
      owner(SANDBOX_OPERATOR, state.operatorKey),
    ],
    platformKeys: [...config.platformKeys, state.platformKey],
    // Without a file of plans there are also longer terms to try.
    plans: config.plans === SEED_CATALOGUE ? EXAMPLE_PLANS : config.plans,
  }
  return { config: completed, clock, emulator }
}

/** A clock that can be moved; each move is saved after the one before. */
function savedClock(startAheadMs: number, save: (aheadMs: number) => Promise<void>): MovableClock {
  const movable = movableClock(systemClock())
  movable.advance(startAheadMs)
  let aheadMs = startAheadMs
  let saving = Promise.resolve()
  return {
    now: movable.now,
    advance: (ms) => {
      movable.advance(ms)
      aheadMs += ms
      const ahead = aheadMs
      saving = saving.then(() => save(ahead))
    },
  }
}

/** Null: the database is in memory, and nothing is kept. */
function folderOf({ database }: Config): string | null {
  return database.url === 'memory:' ? null : path.join(database.dataDir, 'sandbox')
}

/** Whether a service has made a sandbox in this data folder. Only its own process knows one in memory. */
export function hasSandbox(config: Config): boolean {
  const folder = folderOf(config)
  return folder !== null && existsSync(stateFile(folder))
}

/** `instead`: the other way in which the command can reach a service. */
export function noSandbox(instead = 'give `--url`'): CommandFailed {
  return new CommandFailed(
    `no sandbox in this folder: run it where you ran \`npm start\`, with the same DATA_DIR, or ${instead}`,
  )
}

/** What the sandbox keeps over a restart: its keys, and how far the clock was moved. */
const newState = () => ({
  jwtSecret: randomToken(32),
  chargilyKey: `test_sk_${randomToken(30)}`,
  // It opens the operator's part, so that its commands work beside the running sandbox.
  operatorKey: randomToken(30),
  // Large transfers need a second operator.
  secondOperatorKey: randomToken(30),
  // What a hosting platform asks on every deploy is opened with it.
  platformKey: randomToken(30),
  ...Object.fromEntries(SANDBOX_SECRETS.map((name) => [name, randomToken(30)])),
  aheadMs: 0,
})
type SandboxState = ReturnType<typeof newState>

/** The sandbox of this data folder. What is missing is made, so a client asks `hasSandbox` before. */
export async function readSandboxState(config: Config): Promise<SandboxState> {
  const folder = folderOf(config)
  const known: Partial<SandboxState> =
    folder !== null && hasSandbox(config) ? JSON.parse(await readFile(stateFile(folder), 'utf8')) : {}
  // Keys that an earlier version did not make are made now; the others stay.
  const state = { ...newState(), ...known }
  if (Object.keys(state).length > Object.keys(known).length) await writeState(folder, state)
  return state
}

/** Stores the address of this folder's service for commands, whose PORT may be another. */
export async function writeServiceUrl(config: Config, url: string): Promise<void> {
  const folder = folderOf(config)
  if (folder !== null) await writeFile(path.join(folder, 'service-url'), url)
}

/** It is on this machine, so it answers at once or not at all. */
const PROBE_MS = 1_000

/** The address of this folder's sandbox; null: it does not run. */
export async function runningSandbox(config: Config): Promise<string | null> {
  const folder = folderOf(config)
  const url = folder && (await readFile(path.join(folder, 'service-url'), 'utf8').catch(() => null))
  if (!url) return null
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) }).catch(() => null)
  return answer?.ok ? url : null
}

const stateFile = (folder: string) => path.join(folder, 'sandbox.json')

/** Replaced as a whole, so that a kill leaves the old or the new one; readable by its owner only. */
async function writeState(folder: string | null, state: SandboxState): Promise<void> {
  if (folder === null) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = stateFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

export const TOKEN_DAYS = 30
/** Ten years: the sandbox's clock is moved, and its tokens open nothing real. */
export const SANDBOX_TOKEN_DAYS = 3650

/**
 * Signs a token as the platform does, for people who try the service. Throws if tokens are signed with the
 * keys behind AUTH_JWKS_URL, or if there is no sandbox with a secret.
 */
export async function signToken(
  config: Config,
  user: string,
  claims: Readonly<Record<string, string>> = {},
  days = config.sandbox ? SANDBOX_TOKEN_DAYS : TOKEN_DAYS,
): Promise<string> {
  const { secrets, issuer, audience } = config.auth
  const secret = secrets[0] ?? (config.chargily ? null : await secretOfSandbox(config))
  if (!secret) throw new Error('tokens are signed with the keys behind AUTH_JWKS_URL, not here')
  const now = Math.floor(systemClock().now() / 1000)
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setSubject(user).setIssuedAt(now)
  if (issuer) token.setIssuer(issuer)
  if (audience) token.setAudience(audience)
  return token.setExpirationTime(now + days * 86_400).sign(new TextEncoder().encode(secret))
}

async function secretOfSandbox(config: Config): Promise<string> {
  if (!hasSandbox(config)) throw noSandbox('set AUTH_JWT_SECRET')
  return (await readSandboxState(config)).jwtSecret
}

export interface Sandbox {
  readonly config: WiredConfig
  readonly clock: Clock
  readonly emulator: Emulator
  readonly service: Pick<Service, 'app' | 'parts' | 'runner'>
}

interface Demo {
  /** `POST /_sandbox/demo`, which fills the sandbox. */
  demoRoute(sandbox: Sandbox): (app: App) => Promise<void>
  /** `ishtirak demo`, which calls that route of the running sandbox. */
  demoCommand(options: readonly string[]): Promise<void>
}

/** A plain string: the compiler would resolve a literal, and the demo is built after this package. */
const DEMO: string = '@ishtirak/demo'

/**
 * The demo is a package of its own that only a checkout has. Its command and the sandbox load it; a service
 * with a key of the provider never does. Null: it is not installed.
 */
export async function loadDemo(): Promise<Demo | null> {
  return isInstalled(DEMO) ? import(DEMO) : null
}
