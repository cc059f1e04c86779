// Events to the platform, numbered and ready to be stored by the statement that saves what they tell of. It sends nothing.
import { describeEvent, type EventType, type NewEvent } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import type { MailKind } from '../core/mail.js'
import type { Payment } from '../core/payment.js'
import { type BillingRules, type SubscriptionFacts, statusAt } from '../core/subscription.js'
import type { Ids } from '../runtime/random.js'

/** The events of which the user gets mail too. */
const MAILED: Readonly<Partial<Record<EventType, MailKind>>> = {
  'payment.paid': 'receipt',
  'payment.refunded': 'refunded',
}

/** Each carries the state after the change and the user's next number. */
export function outgoingEvents(
  deps: { readonly ids: Ids; readonly rules: BillingRules },
  types: readonly EventType[],
  of: {
    readonly userId: string
    /** The number of the last event about this user. */
    readonly eventSequence: number
    /** As it is after the change. */
    readonly subscription: SubscriptionFacts
    readonly payment: Payment | null
    readonly now: Instant
  },
): readonly NewEvent[] {
  const { userId, eventSequence, payment, now } = of
  const subscription = statusAt(of.subscription, now, deps.rules)
  return types.map((type, index) => {
    const described = { userId, sequence: eventSequence + 1 + index, subscription, payment, now }
    const kind = MAILED[type]
    return {
      id: deps.ids.next('evt', now),
      event: describeEvent(type, described),
      mail: payment && kind ? { kind, about: payment.id } : null,
    }
  })
}
