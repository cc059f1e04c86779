// The one field of the search: users and payments by anything that an operator knows of them.

import { DAY } from '../core/instant.js'
import { statusAt } from '../core/subscription.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  findPaymentsByAmount,
  findPaymentsByPart,
  findPaymentsByWord,
  findUsersByWord,
} from './search.sql.js'
import { readSearch } from './search-words.js'

export interface SearchDeps
  extends Pick<CommonParts, 'database' | 'wallClock' | 'methods' | 'clock' | 'rules'> {
  /** What was typed, as each capability stores a reference. */
  readonly referencesIn: (typed: string) => readonly string[]
}

export type Found = Awaited<ReturnType<typeof search>>

/** An amount without a day is one of these days. */
const RECENT = 3 * DAY

/** Exact hits first: each says that it is one, so that a page can lead to it at once. */
export async function search(deps: SearchDeps, typed: string) {
  const { database, wallClock, methods, clock, rules, referencesIn } = deps
  const now = clock.now()
  const wanted = readSearch(typed, methods.live)
  const { amountAndDay } = wanted
  const day = amountAndDay?.day ? wallClock.dayOf(amountAndDay.day) : { from: now - RECENT, to: now + 1 }
  const [users, exact, byAmount, byPart] = await Promise.all([
    findUsersByWord(database, wanted),
    findPaymentsByWord(database, wanted, referencesIn(wanted.word)),
    amountAndDay && day ? findPaymentsByAmount(database, amountAndDay, day) : [],
    wanted.parts.length > 0 ? findPaymentsByPart(database, wanted.parts) : [],
  ])
  const others = new Map([...byAmount, ...byPart].map((payment) => [payment.id, payment]))
  for (const { id } of exact) others.delete(id)
  return {
    users: users.map((user) => ({ ...user, subscription: statusAt(user.subscription, now, rules) })),
    payments: [
      ...exact.map((payment) => ({ payment, exact: true })),
      ...[...others.values()].map((payment) => ({ payment, exact: false })),
    ],
  }
}
