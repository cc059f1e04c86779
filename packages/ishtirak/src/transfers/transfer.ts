// The payment method without a page: users send money under a reference, and operators say when it has come.
// Its checkouts are the rows of `transfers`, so no call of it leaves the machine.
import { randomBytes } from 'node:crypto'
import { INSTRUMENTS } from '../core/account.js'
import type { CheckoutReport } from '../core/checkout.js'
import { DAY } from '../core/instant.js'
import { drawReference } from '../core/reference.js'
import type { PaymentMethod, ProviderAnswer } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import { reportOfTransfer } from './decide-transfer.js'
import type { TransferTerms } from './settings.js'
import {
  endTransfer,
  findTransfer,
  findTransferByReference,
  insertTransfer,
  type StoredTransfer,
} from './transfers.sql.js'

type MethodDeps = Pick<CommonParts, 'database' | 'clock'> &
  Pick<PaymentMethod, 'live' | 'accounts'> &
  Pick<TransferTerms, 'lifetimeMs'>

/** A reference has 40 random bits and is rarely taken, so 5 draws are enough. */
const DRAWS_MAX = 5

export function createTransfer(deps: MethodDeps): PaymentMethod {
  const { database, clock, live, accounts, lifetimeMs } = deps
  const report = ({ reference, transfer, payment }: StoredTransfer) =>
    reportOfTransfer(reference, transfer, payment, clock.now())
  const findCheckout = async (reference: string): Promise<ProviderAnswer<CheckoutReport | null>> => {
    const found = await findTransferByReference(database, reference)
    return { ok: true, value: found && report(found) }
  }
  return {
    name: 'transfer',
    live,
    checkoutName: 'reference',
    begunBy: 'user',
    settledBy: 'operator',
    bearsStampDuty: false,
    accounts,
    instruments: [...new Set(accounts.map(({ kind }) => INSTRUMENTS[kind]))],
    leastAmount: 0,
    checkoutLifetimeMs: lifetimeMs,
    // No provider is asked. The daily lookup ends expired transfers, and settles those that a dead process
    // has left.
    lookupsAfterMs: Array.from({ length: lifetimeMs / DAY }, (_, day) => (day + 1) * DAY),
    list: null,
    webhook: null,
    createCheckout: async ({ userId, paymentId }) => {
      for (let draw = 0; draw < DRAWS_MAX; draw++) {
        const found = await findTransfer(database, { userId, paymentId })
        if (found) return { ok: true, value: report(found) }
        await insertTransfer(database, { userId, paymentId, reference: drawReference(randomBytes) })
      }
      throw new Error(`no reference was free for ${paymentId}`)
    },
    getCheckout: findCheckout,
    expireCheckout: async (reference) => {
      await endTransfer(database, reference)
      return findCheckout(reference)
    },
    checkKey: async () => ({ ok: true, value: true }),
  }
}
