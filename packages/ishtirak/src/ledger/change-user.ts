// The only way in which a user's money, time or balance changes. It loads the facts, stores what the balance
// has bought by now, lets the caller decide, and saves everything together in one guarded query. If the user
// has changed meanwhile, it starts again. What a balance has bought is computed (core/subscription.ts):
// access does not wait until it is stored, but every decision about money does.
import type { AuditDeps, OperatorAct } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { newPayment } from '../core/payment.js'
import { renewabilityAt } from '../core/quote.js'
import { paidPayment } from '../core/settlement.js'
import { BY_BALANCE, type DueRenewal, dueRenewal, renewalEntry, withRenewal } from '../core/subscription.js'
import { untilFresh } from '../database/database.js'
import type { DocumentDeps } from './documents.js'
import type { CommonParts } from './parts.js'
import type { SaveResult } from './provider-events.sql.js'
import type { KnownUserFacts, Revision, UserFacts } from './revision.js'
import { saveSettlement } from './settle.sql.js'
import { changeOf, type SettlementChange } from './settlement-change.js'
import { findUser, type UserRecord } from './users.sql.js'

export type ChangeDeps = AuditDeps & DocumentDeps & Pick<CommonParts, 'rules' | 'log' | 'inTurn' | 'methods'>

/** `stale`: what was read is no longer true, so the decision is made again. */
export type Decided<Result> =
  | { readonly revision: Revision | null; readonly result: Result }
  | { readonly result: 'stale' }

interface Attempt {
  readonly now: Instant
  /** Absent: a query of its own. */
  readonly save?: (change: SettlementChange, revision: Revision) => Promise<SaveResult>
}

/**
 * Repeats `load` and `decide` if the user changed meanwhile. Throws what they throw, and
 * `DatabaseUnavailable`. It must not run in the user's turn if `decide` may itself wait for that turn.
 */
export function changeUser<Facts extends UserFacts, Result>(
  deps: ChangeDeps,
  change: {
    /** Names the revision in the log and in errors. */
    readonly what: string
    /** Repetitions wait for other revisions of this user; null: they do not wait. */
    readonly inTurnOf: string | null
    load(): Promise<Facts>
    decide(facts: Facts, now: Instant): Decided<Result> | Promise<Decided<Result>>
  },
): Promise<Result> {
  const { what, inTurnOf, load, decide } = change
  const round = async (): Promise<Result | 'stale'> => {
    const facts = await load()
    const now = deps.clock.now()
    const tried = await tryChange(deps, facts, { now }, () => decide(facts, now))
    // Another revision took the last use of the code.
    return tried === 'duplicate' ? 'stale' : tried
  }
  return inTurnOf === null
    ? untilFresh(what, round)
    : untilFresh(what, round, (again) => deps.inTurn(inTurnOf, again))
}

/** One round of `changeUser` on facts that were read. `duplicate`: a known event, or a code without a use. */
export async function tryChange<Result>(
  deps: ChangeDeps,
  facts: UserFacts,
  attempt: Attempt,
  decide: () => Decided<Result> | Promise<Decided<Result>>,
): Promise<Result | Exclude<SaveResult, 'saved'>> {
  const { userId, user } = facts
  if (user && (await bookRenewals(deps, { userId, user }, attempt.now))) return 'stale'
  const decided = await decide()
  if (!('revision' in decided)) return decided.result
  const { revision, result } = decided
  if (revision === null) return result
  if (!user) throw new Error(`user ${userId} has no row, so nothing of theirs can change`)
  const saved = await save(deps, { ...facts, user }, revision, attempt)
  return saved === 'saved' ? result : saved
}

/** Saves what an operator decided, with a line in the audit trail. */
export async function changeBy(
  deps: ChangeDeps,
  by: OperatorAct,
  facts: UserFacts,
  { revision, now }: { readonly revision: Revision; readonly now: Instant },
): Promise<'saved' | 'stale'> {
  const saved = await tryChange(deps, facts, { now }, () => ({
    revision: { ...revision, by },
    result: 'saved' as const,
  }))
  if (saved !== 'saved') return 'stale'
  const on = { user_id: facts.userId, payment_id: facts.payment?.id }
  deps.log.info({ ...by, operator: by.operator.name, ...on }, 'the operator acted')
  return 'saved'
}

/** Stores what the user's balance has bought by `now`. True: something was stored, so the facts are stale. */
export async function bookRenewals(
  deps: ChangeDeps,
  { userId, user: read }: KnownUserFacts,
  now: Instant,
): Promise<boolean> {
  if (!dueRenewal(read.subscription, now, deps.rules)) return false
  let user: UserRecord | null = read
  const round = async () => {
    for (;;) {
      const due = user && dueRenewal(user.subscription, now, deps.rules)
      if (!user || !due) return true
      const saved = await save(deps, { userId, user }, renewal(deps, { userId, user, due }, now), { now })
      user = await findUser(deps.database, userId)
      if (saved !== 'saved') return 'stale'
    }
  }
  // Not in the user's turn: a call that has the turn may have started this, and would wait for itself.
  return untilFresh(`renewing for ${userId}`, round)
}

/** A payment, its receipt, time, balance entry and events: one query for each term. */
function renewal(
  { ids, methods, rules }: ChangeDeps,
  { userId, user, due }: KnownUserFacts & { readonly due: DueRenewal },
  now: Instant,
): Revision {
  const { order, at, added } = due
  const offer = { plan: order.plan, months: order.months, price: { amount: order.price, currency: 'DZD' } }
  const id = ids.next('pay', at)
  const ordered = { id, userId, offer, method: methods.of(BY_BALANCE), createdAt: at, attemptEndsAt: at }
  const subscription = withRenewal(user.subscription, due, id)
  return {
    payment: paidPayment(newPayment(ordered), at, added.period),
    ...{ isNew: true, isBooked: true, subscription, entry: renewalEntry(due, id) },
    withdrawsOpen: !renewabilityAt(subscription, now, rules).allowed,
    events: [
      'payment.paid',
      added.renews ? 'subscription.renewed' : 'subscription.activated',
      'balance.changed',
    ],
  }
}

function save(
  deps: ChangeDeps,
  facts: KnownUserFacts,
  revision: Revision,
  { now, save: saveChange = (change) => saveSettlement(deps.database, change) }: Attempt,
): Promise<SaveResult> {
  return saveChange(changeOf(deps, facts, revision, now), revision)
}
