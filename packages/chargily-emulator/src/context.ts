// What the parts of one emulator share. It is passed to them, not imported, so that two emulators in one
// process are independent.
import type { ApiKeys } from './api-keys.js'
import { newUlid, type RandomBytes, type SandboxClock } from './clock.js'
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
  /** The account's own endpoint; a checkout's `webhook_endpoint` takes precedence. */
  readonly webhookEndpoint: string | null
  /** The address has no trailing slash. */
  publicUrl(): string
  log(line: Record<string, unknown>): void
}

export function newId({ clock, random }: EmulatorContext): string {
  return newUlid(clock.now(), random)
}

/** What every new resource has. */
export function newResource(context: EmulatorContext, livemode: boolean) {
  const now = context.clock.nowSeconds()
  return { id: newId(context), livemode, created_at: now, updated_at: now }
}
