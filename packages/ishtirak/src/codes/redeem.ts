// Redeems a code of months: use, time, event and mail are saved in one query, or nothing is. There is no
// receipt. A repetition gets the first answer, because that may have been lost.
import { closeAtProvider } from '../checkout/upgrade.js'
import { type CodeFacts, hasUseLeft, monthsOf } from '../core/code.js'
import type { Grant } from '../core/decision.js'
import { BillingError, wrongField } from '../core/error.js'
import { decideGrant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { decideQuote } from '../core/quote.js'
import { NEVER_PAID, type SubscriptionFacts } from '../core/subscription.js'
import { changeUser, type Decided } from '../ledger/change-user.js'
import { findGrantByCode } from '../ledger/grants.sql.js'
import { busyUntil, quoteRefusal } from '../ledger/refusals.js'
import type { UserFacts } from '../ledger/revision.js'
import type { SettleDeps } from '../ledger/settle.js'
import { type KnownUser, type LoadUser, rememberUser } from '../ledger/users.sql.js'
import { type CodeDeps, countingTries, hashesOf, lookUpCode } from './typed-code.js'

export interface RedeemDeps extends SettleDeps, CodeDeps {
  readonly loadUser: LoadUser
}

interface Redeemed {
  readonly grant: Grant
  /** The end of all time that was paid or granted when the code was redeemed. */
  readonly currentPeriodEnd: Instant
}

interface TypedCode {
  readonly typed: string
  /** The purchase that a discount made free; absent: the code gives months. */
  readonly free?: { readonly planId: string; readonly months: number } | undefined
}

/**
 * Throws `code_not_valid`, what `quoteRefusal` names, `validation_failed` (past the year 9999),
 * `too_many_wrong_codes`, `not_found`, and what `closeAtProvider` throws.
 */
export function redeem(deps: RedeemDeps, user: KnownUser, code: TypedCode, requestId: string) {
  if (deps.codeKeys.length === 0) throw new BillingError('not_found')
  const { userId } = user
  return countingTries(deps, userId, async () => {
    const redeemed = await changeUser(deps, {
      what: 'a redemption',
      // A checkout may be ended meanwhile, which waits for the user's turn.
      inTurnOf: null,
      load: async () => {
        const loaded = await deps.loadUser(userId)
        return { userId, user: loaded?.user ?? null, open: loaded?.open ?? null }
      },
      decide: (facts, now) => redeemOnFacts(deps, { ...code, ...facts, known: user, requestId }, now),
    })
    const { id, months } = redeemed.grant
    deps.log.info({ request_id: requestId, user_id: userId, redemption_id: id, months }, 'code redeemed')
    return redeemed
  })
}

async function redeemOnFacts(
  deps: RedeemDeps,
  of: TypedCode & UserFacts & { open: Payment | null; known: KnownUser; requestId: string },
  now: Instant,
): Promise<Decided<Redeemed>> {
  const { typed, free, userId, user, open } = of
  const methods = free ? deps.methods.gateways.map(({ name }) => name) : []
  // Read after the user, so that a use of the code between the two reads makes those facts stale.
  const code = await lookUpCode(deps, { userId, typed, methods })
  if (!code || !hasUseLeft(code, now))
    return { revision: null, result: await redeemedBefore(deps, userId, of, code) }
  const { plan, months } = giftOf(deps, user?.subscription ?? NEVER_PAID, { code, free }, now)
  if (!user) {
    await rememberUser(deps.database, of.known, now)
    return { result: 'stale' }
  }
  if (open && methods.includes(open.method) && open.codeHash === code.hash) {
    // The payment's own use of the code was not counted, because this choice replaces that payment.
    if (open.checkoutId === null) throw busyUntil(open.attemptEndsAt, now)
    await closeAtProvider(deps, { payment: open, isSame: false }, { requestId: of.requestId })
    return { result: 'stale' }
  }
  const wanted = { plan, months, id: deps.ids.next('red', now), operationId: null }
  const after = decideGrant(user.subscription, wanted, now, deps.rules)
  if (!after) throw wrongField('code', 'out_of_range')
  const { grant, subscription } = after
  return {
    revision: { ...after, grant: { ...grant, codeHash: code.hash } },
    result: { grant, currentPeriodEnd: subscription.paidUntil ?? grant.end },
  }
}

/** Throws `code_not_valid` if the code gave this user nothing, or something else. */
async function redeemedBefore(
  { database, codeKeys }: RedeemDeps,
  userId: string,
  { typed, free }: TypedCode,
  code: CodeFacts | null,
): Promise<Redeemed> {
  const grant = await findGrantByCode(database, userId, hashesOf(codeKeys, typed))
  const isAny = !free || code?.batch.kind === 'months'
  const isSame = grant && (isAny || (grant.plan.id === free.planId && grant.months === free.months))
  if (!isSame) throw new BillingError('code_not_valid')
  return { grant, currentPeriodEnd: grant.end }
}

/** Throws `code_not_valid` if something is left to pay, and what `quoteRefusal` names. */
function giftOf(
  { rules }: RedeemDeps,
  facts: SubscriptionFacts,
  { code, free }: { readonly code: CodeFacts } & Pick<TypedCode, 'free'>,
  now: Instant,
): Pick<Grant, 'plan' | 'months'> {
  const gives = monthsOf(code, now)
  if (gives) return gives
  if (!free) throw new BillingError('code_not_valid')
  const decision = decideQuote(facts, { ...free, mode: 'payment', start: 'end', code }, now, rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  if (decision.quote.amount > 0) throw new BillingError('code_not_valid')
  return decision.quote.offer
}
