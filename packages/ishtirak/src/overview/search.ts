// The one field of the search: users and payments by anything that an operator knows of them.
import { readSearch } from '../core/search.js'
import { statusAt } from '../core/subscription.js'
import type { CommonParts } from '../ledger/parts.js'
import { findPaymentsByAmount, findPaymentsByWord, findUsersByWord } from './search.sql.js'

export interface SearchDeps
  extends Pick<CommonParts, 'database' | 'wallClock' | 'methods' | 'clock' | 'rules'> {
  /** What was typed, as each capability stores a reference. */
  readonly referencesIn: (typed: string) => readonly string[]
}

export type Found = Awaited<ReturnType<typeof search>>

/** Exact hits first: each says that it is one, so that a page can lead to it at once. */
export async function search(deps: SearchDeps, typed: string) {
  const { database, wallClock, methods, clock, rules, referencesIn } = deps
  const now = clock.now()
  const wanted = readSearch(typed, methods.live)
  const day = wanted.amountAndDay && wallClock.dayOf(wanted.amountAndDay.day)
  const [users, exact, byAmount] = await Promise.all([
    findUsersByWord(database, wanted.word),
    findPaymentsByWord(database, wanted, referencesIn(wanted.word)),
    wanted.amountAndDay && day ? findPaymentsByAmount(database, wanted.amountAndDay, day) : [],
  ])
  return {
    users: users.map((user) => ({ ...user, subscription: statusAt(user.subscription, now, rules) })),
    payments: [
      ...exact.map((payment) => ({ payment, exact: true })),
      ...byAmount.map((payment) => ({ payment, exact: false })),
    ],
  }
}
