// Load, decide, save for operators: the same guarded statement as for the provider's reports, which also writes the audit
// trail. A decision on stale facts is made again.
import type { EventType } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { untilFresh } from '../database/database.js'
import { describeAct, type OperatorAct } from './audit.js'
import { outgoingEvents } from './outgoing-events.js'
import type { SettleDeps } from './settle.js'
import { saveSettlement } from './settle.sql.js'
import type { UserRecord } from './users.sql.js'

export type SaveDeps = Pick<SettleDeps, 'database' | 'clock' | 'ids' | 'rules' | 'log'>

/** The facts as they were read, and as they are to be. */
export interface DecidedAct {
  readonly userId: string
  readonly user: UserRecord
  readonly payment: Payment | null
  readonly after: {
    readonly payment?: Payment
    readonly subscription: SubscriptionFacts
    readonly moved?: readonly MovedPeriod[]
    readonly events: readonly EventType[]
  }
}

/** `decide` loads the facts at each call, and throws to refuse. */
export async function saveByHand(
  deps: SaveDeps,
  by: OperatorAct,
  decide: (now: Instant) => Promise<DecidedAct>,
): Promise<void> {
  const { userId, payment } = await untilFresh(by.act, async () => {
    const now = deps.clock.now()
    const decided = await decide(now)
    return (await save(deps, by, decided, now)) === 'saved' ? decided : 'stale'
  })
  deps.log.info({ ...by, user_id: userId, payment_id: payment?.id }, 'the operator acted')
}

function save(deps: SaveDeps, by: OperatorAct, decided: DecidedAct, now: Instant) {
  const { userId, user, after } = decided
  const { subscription, moved = [], payment = null } = after
  const before = {
    payment: decided.payment,
    subscription: user.subscription,
    moved: user.subscription.periods
      .filter((period) => moved.some(({ paymentId }) => paymentId === period.paymentId))
      .map(({ paymentId, start, end }) => ({ paymentId, periodStart: start, periodEnd: end })),
  }
  const facts = { paymentId: decided.payment?.id ?? null, before, after: { payment, subscription, moved } }
  return saveSettlement(deps.database, {
    userId,
    version: user.version,
    payment,
    isNew: false,
    subscription,
    received: null,
    events: outgoingEvents(deps, after.events, {
      userId,
      eventSequence: user.eventSequence,
      subscription,
      payment,
      now,
    }),
    receipt: null,
    moved,
    audit: describeAct(deps, by, facts, now),
    now,
  })
}
