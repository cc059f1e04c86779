// Loads `ishtirak demo`, a package of its own that only a checkout has. Its command loads it, and the
// sandbox; a service with a key of the provider never does.
import type { Emulator } from 'chargily-emulator'
import type { App } from '../http/app.js'
import type { Clock } from '../runtime/clock.js'
import { isInstalled } from '../runtime/package.js'
import type { WiredConfig } from './config.js'
import type { Service } from './wire.js'

export interface Sandbox {
  readonly config: WiredConfig
  readonly clock: Clock
  readonly emulator: Emulator
  readonly service: Pick<Service, 'app' | 'parts' | 'runner'>
}

interface Demo {
  /** `POST /_sandbox/demo`, which fills the sandbox. */
  demoRoute(sandbox: Sandbox): (app: App) => Promise<void>
  /** Asks the running sandbox for it. */
  demoCommand(options: readonly string[]): Promise<void>
}

/** Typed by its name alone, since it is built after this package. */
const PACKAGE: string = '@ishtirak/demo'

/** Null: the package is not installed. */
export async function loadDemo(): Promise<Demo | null> {
  return isInstalled(PACKAGE) ? import(PACKAGE) : null
}
