// Where `ishtirak demo` comes from: a package of its own, which is in a checkout and in no installation. It
// is loaded by its command and beside the emulator, so a service with a key of the provider has none of it.
import type { Emulator } from 'chargily-emulator'
import type { App } from '../http/app.js'
import type { Clock } from '../runtime/clock.js'
import { isInstalled } from '../runtime/package.js'
import type { Service, WiredConfig } from './wire.js'

export interface Sandbox {
  readonly config: WiredConfig
  readonly clock: Clock
  readonly emulator: Emulator
  readonly service: Pick<Service, 'app' | 'parts' | 'runner'>
}

interface Demo {
  /** `POST /_sandbox/demo`, which fills the sandbox. */
  demoRoute(sandbox: Sandbox): (app: App) => Promise<void>
  /** Asks it there. */
  demoCommand(options: readonly string[]): Promise<void>
}

/** Typed by its name alone, since it is built after this package. */
const PACKAGE: string = '@ishtirak/demo'

/** Null: it is not here. */
export async function loadDemo(): Promise<Demo | null> {
  return isInstalled(PACKAGE) ? import(PACKAGE) : null
}
