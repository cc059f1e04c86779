// Writes down what balances have bought by standing orders: a payment, a receipt, time, an entry of the
// ledger and the events, in one statement for each term. What was bought, and when, is computed without it
// (core/subscription.ts); every other change of the user's money comes after it.
import type { Instant } from '../core/instant.js'
import { newPayment, type Payment } from '../core/payment.js'
import { renewabilityAt } from '../core/quote.js'
import { BY_BALANCE, type DueRenewal, dueRenewal, renewalEntry, withRenewal } from '../core/subscription.js'
import { untilFresh } from '../database/database.js'
import type { CommonParts } from './parts.js'
import { describeChange, type SaveDeps } from './save.js'
import { type ReceiptRules, receiptOf } from './settle.js'
import { saveSettlement } from './settle.sql.js'
import { findUser, type UserRecord } from './users.sql.js'

type RenewalDeps = Omit<SaveDeps, 'bookRenewals'> &
  Pick<CommonParts, 'methods'> & { readonly receipts: ReceiptRules }

export function createBookRenewals(deps: RenewalDeps): CommonParts['bookRenewals'] {
  return async (userId, read, now) => {
    if (!dueRenewal(read.subscription, now, deps.rules)) return false
    let user: UserRecord | null = read
    const round = async () => {
      for (;;) {
        const due = user && dueRenewal(user.subscription, now, deps.rules)
        if (!user || !due) return true
        const saved = await bookRenewal(deps, { userId, user, due }, now)
        user = await findUser(deps.database, userId)
        if (saved !== 'saved') return 'stale'
      }
    }
    // Not in the user's turn: a call that has it may be what asks for this, and would wait for itself.
    return untilFresh(`renewing for ${userId}`, round)
  }
}

async function bookRenewal(
  deps: RenewalDeps,
  { userId, user, due }: { readonly userId: string; readonly user: UserRecord; readonly due: DueRenewal },
  now: Instant,
) {
  const { order, at, added } = due
  const offer = { plan: order.plan, months: order.months, price: { amount: order.price, currency: 'DZD' } }
  const id = deps.ids.next('pay', at)
  const method = deps.methods.of(BY_BALANCE)
  const payment: Payment = {
    ...newPayment({ id, userId, offer, method, createdAt: at, attemptEndsAt: at }),
    ...{ status: 'paid', paidAt: at, nextCheckAt: null },
    ...{ periodStart: added.period.start, periodEnd: added.period.end },
  }
  const subscription = withRenewal(user.subscription, due, id)
  const entry = renewalEntry(due, id)
  const events = [
    'payment.paid',
    added.renews ? 'subscription.renewed' : 'subscription.activated',
    'balance.changed',
  ] as const
  const after = { payment, subscription, entry, events }
  return saveSettlement(deps.database, {
    ...{ isNew: true, received: null, codeUse: null },
    withdrawsOpen: !renewabilityAt(subscription, now, deps.rules).allowed,
    receipt: receiptOf(deps, after, { ...user, userId }, now),
    ...describeChange(deps, { userId, user, payment: null, after }, undefined, now),
  })
}
