// The parts of the service that many use cases need, by the names under which `main/wire.ts` builds them. A
// use case names those that it needs.
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { BillingRules } from '../core/subscription.js'
import type { Queryable } from '../database/database.js'
import type { Formats } from '../i18n/formats.js'
import type { InTurn } from '../runtime/async.js'
import type { WallClock } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import type { Count, Log } from '../runtime/log.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import type { Ids } from '../runtime/random.js'
import type { PaymentMethods } from './method.js'

export interface CommonParts {
  readonly database: Queryable
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly count: Count
  readonly rules: BillingRules
  readonly catalogue: Catalogue
  readonly methods: PaymentMethods
  readonly seller: Seller
  readonly publicUrl: string
  /** The hosting platform's own pages; no slash at the end. */
  readonly platformUrl: string
  /** Others that the page after paying may lead to, such as `https://app.example`. */
  readonly returnOrigins: readonly string[]
  readonly formats: Formats
  /** The billing time zone. */
  readonly wallClock: WallClock
  /** Changes of one user that have lost a race wait for each other, as long as they are of this process. */
  readonly inTurn: InTurn
  readonly noteUse: NoteUse
}
