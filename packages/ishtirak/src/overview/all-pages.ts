// What the pages of the console read that are not one capability's.
import type { Issuer } from '../access/issuer.js'
import type { SessionsDeps } from '../access/sessions.js'
import type { BroughtToConsole } from '../acts/capability.js'
import type { Seller } from '../core/receipt.js'
import type { CallerChecks } from '../http/callers.js'
import type { Formats } from '../i18n/formats.js'
import type { ConsolePages } from '../pages/console-frame.js'
import type { OperatorRoutesDeps } from './operator.route.js'

export interface ConsoleDeps extends CallerChecks, SessionsDeps, Omit<OperatorRoutesDeps, 'operators'> {
  readonly formats: Formats
  readonly seller: Seller
  /** Null: operators sign in by key alone. */
  readonly issuer: Issuer | null
}

export type AllPages = ConsolePages & ConsoleDeps & BroughtToConsole<ConsoleDeps>
