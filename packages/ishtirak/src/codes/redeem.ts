// A code of months is redeemed: the use, the time, the event and the mail are saved in one statement, or none
// of it is. No money came, so there is no receipt, but a statement. A code that gives this user nothing more,
// but did, is answered as it was then: the answer of the first call may have been lost.
import { monthsOf } from '../core/code.js'
import { BillingError, wrongField } from '../core/error.js'
import { decideGrant, type Grant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import { drawUpStatement } from '../core/statement.js'
import { untilFresh } from '../database/database.js'
import { findGrantByCode } from '../ledger/grants.sql.js'
import { describeChange, type SaveDeps } from '../ledger/save.js'
import type { ReceiptRules } from '../ledger/settle.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import { type KnownUser, type LoadUser, rememberUser } from '../ledger/users.sql.js'
import { type CodeDeps, countingTries, hashesOf, lookUpCode } from './typed-code.js'

export interface RedeemDeps extends SaveDeps, CodeDeps {
  readonly loadUser: LoadUser
  readonly receipts: ReceiptRules
}

export interface Redeemed {
  readonly grant: Grant
  /** The end of all that was paid or given when the code was redeemed. */
  readonly currentPeriodEnd: Instant
}

/** Throws `code_not_valid`, `validation_failed` (past the year 9999), `too_many_wrong_codes`, `not_found`. */
export function redeem(
  deps: RedeemDeps,
  user: KnownUser,
  typed: string,
  requestId: string,
): Promise<Redeemed> {
  if (deps.codeKeys.length === 0) throw new BillingError('not_found')
  return countingTries(deps, user.userId, async () => {
    const redeemed = await untilFresh('a redemption', () => redeemOnFacts(deps, user, typed))
    const { id, months } = redeemed.grant
    deps.log.info({ request_id: requestId, user_id: user.userId, redemption_id: id, months }, 'code redeemed')
    return redeemed
  })
}

async function redeemOnFacts(deps: RedeemDeps, user: KnownUser, typed: string): Promise<Redeemed | 'stale'> {
  const { userId } = user
  const now = deps.clock.now()
  const loaded = await deps.loadUser(userId)
  // After the user, so that a use that comes between them makes those facts stale.
  const code = await lookUpCode(deps, { userId, typed, methods: [] })
  const gives = monthsOf(code, now)
  if (!gives || !code) {
    const before = await findGrantByCode(deps.database, userId, hashesOf(deps.codeKeys, typed))
    if (before) return { grant: before, currentPeriodEnd: before.end }
    throw new BillingError('code_not_valid')
  }
  if (!loaded) {
    await rememberUser(deps.database, user, now)
    return 'stale'
  }
  if (await deps.bookRenewals(userId, loaded.user, now)) return 'stale'
  const wanted = { ...gives, id: deps.ids.next('red', now), operationId: null }
  const after = decideGrant(loaded.user.subscription, wanted, now, deps.rules)
  if (!after) throw wrongField('code', 'out_of_range')
  const decided = { userId, user: loaded.user, payment: null, after }
  const { seller, dayOf } = deps.receipts
  const buyer = { ...loaded.user, userId }
  const statement = drawUpStatement(after.grant, { seller, buyer, issuedAt: now, dayOf })
  const { grant = null, ...change } = describeChange(deps, decided, undefined, now)
  const saved = await saveSettlement(deps.database, {
    ...{ ...change, isNew: false, received: null, receipt: null },
    grant: grant && { ...grant, redeemed: { codeHash: code.hash, statement } },
  })
  if (saved !== 'saved') return 'stale'
  return { grant: after.grant, currentPeriodEnd: after.subscription.paidUntil ?? after.grant.end }
}
