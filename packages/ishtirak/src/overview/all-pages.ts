// The parts of the service that readings and pages of the console need, whichever capability they belong to.
import type { AccessPageDeps } from '../access/issuer.js'
import type { ConsoleParts } from '../acts/capability.js'
import type { FileParts } from '../acts/file-parts.js'
import type { Database } from '../database/database.js'
import type { CallerChecks } from '../http/callers.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import type { ResendDeps } from '../mail/resend-receipt.js'
import type { ConsolePages } from '../pages/console-frame.js'
import type { HealthDeps } from './health.js'
import type { Inbox } from './inbox.sql.js'

export interface ReadDeps extends ChangeDeps, Pick<CommonParts, 'catalogue' | 'publicUrl' | 'wallClock'> {
  readonly fileParts: FileParts
  readonly inbox: Inbox
  /** What was typed, as each capability stores a reference. */
  readonly referencesIn: (typed: string) => readonly string[]
}

export interface ConsoleDeps
  extends ReadDeps,
    CallerChecks,
    ResendDeps,
    AccessPageDeps,
    HealthDeps,
    SubjectDeps,
    Pick<CommonParts, 'formats' | 'seller'> {
  readonly database: Database
}

export type AllPages = ConsolePages & ConsoleDeps & ConsoleParts<ConsoleDeps>
