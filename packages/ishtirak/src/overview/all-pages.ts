// The parts of the service that pages of the console need, whichever capability they belong to.
import type { Issuer } from '../access/issuer.js'
import type { SessionsDeps } from '../access/sessions.js'
import type { ConsoleParts } from '../acts/capability.js'
import type { RecordRefusal } from '../acts/refusals.js'
import type { Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import type { ApiKeys } from '../http/auth.js'
import type { CallerChecks } from '../http/callers.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import type { ResendDeps } from '../mail/resend-receipt.js'
import type { ConsolePages } from '../pages/console-frame.js'
import type { HealthDeps } from './health.js'
import type { InboxDeps } from './inbox.js'
import type { FileDeps } from './read-files.js'
import type { SearchDeps } from './search.js'
import type { ViewDeps } from './views.js'

export interface ConsoleDeps
  extends CallerChecks,
    ResendDeps,
    ChangeDeps,
    SessionsDeps,
    FileDeps,
    HealthDeps,
    InboxDeps,
    SearchDeps,
    SubjectDeps,
    ViewDeps,
    Pick<ConsolePages, 'catalogue' | 'formats' | 'seller'> {
  readonly database: Database
  readonly recordRefusal: RecordRefusal
  readonly operatorKeyRing: ApiKeys<Operator>
  /** Null: operators sign in by key alone. */
  readonly issuer: Issuer | null
}

export type AllPages = ConsolePages & ConsoleDeps & ConsoleParts<ConsoleDeps>
