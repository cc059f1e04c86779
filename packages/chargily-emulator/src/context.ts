// What every part of one emulator works with, handed around instead of imported, so that two emulators in one
// process share nothing.

import type { ApiKeys } from './api-keys.js'
import type { RandomBytes, SandboxClock } from './clock.js'
import { newUlid } from './clock.js'
import type { FaultSwitches } from './faults.js'
import type { Store } from './store.js'

export type Dialect = 'wire-2026' | 'docs'

export interface EmulatorContext {
  readonly clock: SandboxClock
  readonly random: RandomBytes
  readonly store: Store
  readonly faults: FaultSwitches
  readonly keys: ApiKeys
  readonly dialect: Dialect
  readonly merchantName: string
  /** The account's own endpoint; a checkout's `webhook_endpoint` goes before it. */
  readonly webhookEndpoint: string | null
  /** Without a trailing slash. */
  publicUrl(): string
  log(line: Record<string, unknown>): void
}

export function newId(desk: EmulatorContext): string {
  return newUlid(desk.clock.now(), desk.random)
}
