// The parts that many use cases need. `main/wire.ts` builds them under these names.
import type { Instant } from '../core/instant.js'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { BillingRules } from '../core/subscription.js'
import type { Queryable } from '../database/database.js'
import type { Count } from '../http/metrics.js'
import type { Formats } from '../i18n/formats.js'
import type { InTurn } from '../runtime/async.js'
import type { WallClock } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
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
  /** The address of the hosting platform's own pages, without a slash at the end. */
  readonly platformUrl: string
  /** Other origins that the page after paying may lead to, such as `https://app.example`. */
  readonly returnOrigins: readonly string[]
  readonly formats: Formats
  readonly wallClock: WallClock
  /** The day of an instant in the billing time zone, `YYYY-MM-DD`. The last few days are cached. */
  readonly billingDayOf: (instant: Instant) => string
  /** Repeated revisions of one user wait for each other within this process. */
  readonly inTurn: InTurn
  readonly noteUse: NoteUse
}
