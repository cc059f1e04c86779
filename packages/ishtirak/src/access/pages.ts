// What the pages of signing in and of who is signed in read.
import type { RecordRefusal } from '../acts/refusals.js'
import type { ConsolePages } from '../pages/console-frame.js'
import type { Issuer } from './issuer.js'
import type { SessionsDeps } from './sessions.js'

export interface AccessPageDeps extends Omit<SessionsDeps, 'issuer'> {
  readonly recordRefusal: RecordRefusal
  /** Null: operators sign in by key alone. */
  readonly issuer: Issuer | null
}

export type AccessPages = ConsolePages & AccessPageDeps
