// What a decision about a user changes: their payment, time, balance and events.
import type { NewEntry } from './balance.js'
import type { ChangeOfEvent } from './change.js'
import type { EventType } from './event-types.js'
import type { Payment } from './payment.js'
import type { PaidPeriod, SubscriptionFacts } from './subscription.js'

/** Everything that a decision does not name stays. */
export interface Decision {
  /** The payment afterwards; null: no payment changes. */
  readonly payment?: Payment | null
  /** The payment has no row yet. */
  readonly isNew?: boolean
  readonly subscription?: SubscriptionFacts | null
  /** The time of other payments, codes and grants that a refund moves. */
  readonly moved?: readonly MovedPeriod[]
  /** The time that is granted without a payment, by this code if `codeHash` is set. */
  readonly grant?: (Grant & { readonly codeHash?: string }) | undefined
  /** The balance entry, which `subscription` already includes. */
  readonly entry?: NewEntry | undefined
  /** The user has bought what their other open payments on a page were for, so those are canceled. */
  readonly withdrawsOpen?: boolean
  readonly events: readonly EventType[]
  readonly change?: ChangeOfEvent | undefined
  /** The events show this reason, by which an operator refused the payment. */
  readonly reason?: string | undefined
}

/** The place to which a refund of an earlier payment moves the time of this source. */
export type MovedPeriod = Pick<PaidPeriod, 'sourceId' | 'start' | 'end'>

export interface Grant extends Pick<PaidPeriod, 'start' | 'end' | 'plan' | 'months'> {
  /** `grt_…` if an operator granted it, `red_…` if a code did, `tri_…` for a trial. */
  readonly id: string
  readonly days: number
  /** The caller's name for the operation, so that a repetition grants nothing more; null: none was named. */
  readonly operationId: string | null
  /** The grant whose period this one lengthens; null: it has a period of its own. */
  readonly partOf: string | null
}
