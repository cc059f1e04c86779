// The sandbox: with no key of Chargily, `npm start` runs the whole on one machine. Beside the service stands the emulator,
// on real HTTP, with keys drawn by lot at the first start. The service talks to it through the code that talks to Chargily.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Emulator, startEmulator } from 'chargily-emulator'
import { type Clock, movableClock, systemClock } from '../runtime/clock.js'
import type { Config } from '../runtime/config.js'
import type { Log } from '../runtime/log.js'
import { randomToken } from '../runtime/secret.js'
import type { WiredConfig } from './wire.js'

export interface Sandbox {
  readonly config: WiredConfig
  /** Moved by the emulator's `/_sandbox/clock`, for both. */
  readonly clock: Clock
  readonly emulator: Emulator
}

/** What has to be the same after a restart: the keys, and how far the clock was moved. */
interface SandboxState {
  readonly jwtSecret: string
  readonly chargilyKey: string
  /** Opens the operator's part, so that its commands work beside the running sandbox. */
  readonly operatorKey: string
  /** Opens the platform's part: what a hosting platform asks on every deploy. */
  readonly platformKey: string
  readonly aheadMs: number
}

/** Who the sandbox's own operator is in the audit trail. */
const SANDBOX_OPERATOR = 'sandbox'

/** Starts the emulator and completes the configuration. `folder` null keeps nothing, for a database in memory. */
export async function openSandbox(config: Config, folder: string | null, log: Log): Promise<Sandbox> {
  const state = await readSandboxState(folder)
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
  const emulator = await startEmulator({
    secretKeys: [state.chargilyKey],
    clock,
    host: config.host,
    port: config.sandbox?.port ?? 0,
    webhookEndpoint: `${config.publicUrl}/api/v1/billing/webhook`,
    account: { name: 'Ishtirak (sandbox)' },
    ...(folder === null ? {} : { stateFile: path.join(folder, 'emulator.jsonl') }),
    log: (line) => log.debug({ emulator: line }, 'emulator'),
  })
  const auth =
    config.auth.secret || config.auth.jwksUrl ? config.auth : { ...config.auth, secret: state.jwtSecret }
  const chargily = { secretKey: state.chargilyKey, webhookKeys: [], apiUrl: emulator.url }
  const operatorKeys = [...config.operatorKeys, { name: SANDBOX_OPERATOR, key: state.operatorKey }]
  const platformKeys = [...config.platformKeys, state.platformKey]
  return { config: { ...config, auth, chargily, operatorKeys, platformKeys }, clock, emulator }
}

/** The secret that the sandbox of this data folder signs and believes tokens with. */
export async function readSandboxState(folder: string | null): Promise<SandboxState> {
  const known = folder === null ? null : await readStateFile(folder)
  // What an earlier version did not draw is drawn now; the keys that are known stay.
  const fresh = {
    jwtSecret: randomToken(32),
    chargilyKey: `test_sk_${randomToken(30)}`,
    operatorKey: randomToken(30),
    platformKey: randomToken(30),
    aheadMs: 0,
    ...known,
  }
  const isWhole = known !== null && Object.keys(fresh).every((name) => name in known)
  if (!isWhole) await writeState(folder, fresh)
  return fresh
}

/** Where the service of this folder listens, for the commands: their PORT may be another. */
export async function writeServiceUrl(folder: string | null, url: string): Promise<void> {
  if (folder !== null) await writeFile(path.join(folder, 'service-url'), url)
}

/** Of the last start; whether it still runs is to be asked there. */
export async function readServiceUrl(folder: string | null): Promise<string | null> {
  return folder === null ? null : readFile(path.join(folder, 'service-url'), 'utf8').catch(() => null)
}

async function readStateFile(folder: string): Promise<Partial<SandboxState> | null> {
  try {
    // Written by `writeState` below and by nothing else.
    return JSON.parse(await readFile(path.join(folder, 'sandbox.json'), 'utf8')) as Partial<SandboxState>
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Replaced as a whole, so that a kill leaves the old or the new one; readable by its owner only. */
async function writeState(folder: string | null, state: SandboxState): Promise<void> {
  if (folder === null) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'sandbox.json')
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
