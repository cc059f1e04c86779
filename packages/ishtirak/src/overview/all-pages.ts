// What the pages of the console read that are not one capability's.
import type { Issuer } from '../access/issuer.js'
import type { SessionsDeps } from '../access/sessions.js'
import type { Act } from '../acts/act.js'
import type { Seller } from '../core/receipt.js'
import type { CallerChecks } from '../http/callers.js'
import type { Formats } from '../i18n/formats.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { LookAsUser } from '../pages/look-as-user.js'
import type { OperatorRoutesDeps } from './operator.route.js'

export interface ConsoleDeps extends CallerChecks, SessionsDeps, Omit<OperatorRoutesDeps, 'operators'> {
  readonly lookAsUser: LookAsUser
  readonly formats: Formats
  readonly seller: Seller
  /** Null: operators sign in by key alone. */
  readonly issuer: Issuer | null
}

/** What all capabilities bring. */
interface Brought {
  readonly acts: readonly Act<ConsoleDeps>[]
  /** On the page of health. */
  readonly healthCards: readonly ((view: View) => Promise<JSX.Element>)[]
}

export type AllPages = ConsolePages & ConsoleDeps & Brought
