// The standing order of a user: what their balance buys whenever the paid time ends.
import { isDeepStrictEqual } from 'node:util'
import type { MailKey } from '../core/announcement.js'
import { type StandingOrder, withOrder } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { offerOf, planById } from '../core/plan.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { untilFresh } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SaveResult } from '../ledger/provider-events.sql.js'
import { describeChange, type SaveDeps } from '../ledger/save.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import { findUser, type KnownUser, rememberUser, type UserRecord } from '../ledger/users.sql.js'
import { readBooked } from './read-balance.js'
import { requireShown } from './shown-price.js'

interface WantedOrder {
  readonly planId: string
  readonly months: number
  /** Whole dinars that a page showed; absent: no page did. */
  readonly shown?: number | undefined
}

export type OrderDeps = SaveDeps & Pick<CommonParts, 'catalogue'>

/**
 * At the price of the catalogue, which the order keeps. Set again, it takes the place of what was: so a user
 * agrees to another price. Throws `unknown_plan`, `plan_not_purchasable`, `unknown_term`, and `conflict`
 * where it costs more than was shown.
 */
export async function setOrder(
  deps: OrderDeps,
  user: KnownUser,
  wanted: WantedOrder,
): Promise<SubscriptionFacts> {
  return changeOrder(deps, user, orderOf(deps, wanted))
}

/** Where there is none, nothing changes. */
export function endOrder(deps: OrderDeps, user: KnownUser): Promise<SubscriptionFacts> {
  return changeOrder(deps, user, null)
}

function orderOf({ catalogue }: OrderDeps, { planId, months, shown }: WantedOrder): StandingOrder {
  const plan = planById(catalogue, planId)
  if (!plan) throw new BillingError('unknown_plan')
  if (plan.price === 0) throw new BillingError('plan_not_purchasable')
  const offer = offerOf(plan, months)
  if (!offer) throw new BillingError('unknown_term')
  requireShown(offer.price.amount, shown)
  return { plan: offer.plan, months, price: offer.price.amount, offered: null }
}

async function changeOrder(
  deps: OrderDeps,
  user: KnownUser,
  order: StandingOrder | null,
): Promise<SubscriptionFacts> {
  const { userId } = user
  const { database, clock } = deps
  await untilFresh('a standing order', async () => {
    const now = clock.now()
    const loaded = await findUser(database, userId)
    if (!loaded) {
      if (order === null) return 'saved'
      await rememberUser(database, user, now)
      return 'stale'
    }
    if (await deps.bookRenewals(userId, loaded, now)) return 'stale'
    if (isDeepStrictEqual(loaded.subscription.balance?.order ?? null, order)) return 'saved'
    const subscription = withOrder(loaded.subscription, order, now)
    return saveOrder(deps, { userId, user: loaded, subscription }, now)
  })
  return readBooked(deps, userId)
}

/** `mail`: that the user gets beside the event; absent: none. */
export function saveOrder(
  deps: OrderDeps,
  of: {
    readonly userId: string
    readonly user: UserRecord
    /** As it is to be. */
    readonly subscription: SubscriptionFacts
    readonly mail?: MailKey | null
  },
  now: Instant,
): Promise<SaveResult> {
  const { userId, user, subscription, mail = null } = of
  const after = { subscription, events: ['balance.renewal_changed'] as const }
  const change = describeChange(deps, { userId, user, payment: null, after }, undefined, now)
  return saveSettlement(deps.database, {
    ...{ isNew: false, received: null, codeUse: null, receipt: null },
    ...change,
    events: change.events.map((event) => ({ ...event, mail })),
  })
}
