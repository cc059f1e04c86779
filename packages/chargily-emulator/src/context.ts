// What every part of one emulator works with, handed around instead of imported, so that two emulators in one
// process share nothing.

import type { KeyRing } from './api-keys.js'
import type { Dice, SandboxClock } from './clock.js'
import { newUlid } from './clock.js'
import type { FaultBoard } from './faults.js'
import type { Ledger } from './store.js'

export type Dialect = 'wire-2026' | 'docs'

export interface Desk {
  readonly clock: SandboxClock
  readonly dice: Dice
  readonly ledger: Ledger
  readonly faults: FaultBoard
  readonly keys: KeyRing
  readonly dialect: Dialect
  readonly merchantName: string
  /** The account's own endpoint; a checkout's `webhook_endpoint` goes before it. */
  readonly webhookEndpoint: string | null
  /** Without a trailing slash. */
  publicUrl(): string
  log(line: Record<string, unknown>): void
}

export function newId(desk: Desk): string {
  return newUlid(desk.clock.now(), desk.dice)
}
