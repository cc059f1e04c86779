// The third way to learn of a payment, after webhook and read-through: the sweep asks the provider about
// payments without news. It runs in any number of processes and may be killed at any line.
import { MINUTE } from '../core/instant.js'
import { checkoutMadeAt, nextCheckAfter, type Payment } from '../core/payment.js'
import { type SettleDeps, settlePayment } from '../ledger/settle.js'
import { askProvider, expiredReport } from './ask-provider.js'
import { claimDuePayments, type DueMethods, scheduleNextCheck } from './sweep.sql.js'
import { endRequestedPayment } from './upgrade.sql.js'

/** An unfinished lookup (crash, unreachable provider) is due again after this. */
const RETRY_MS = 2 * MINUTE

/** Each gateway has its own rate limit. Returns how many payments were checked. */
export async function checkDuePayments(deps: SettleDeps, limit: number): Promise<number> {
  const gateways = deps.methods.gateways.map(({ name }) => name)
  let checked = await checkDue(deps, limit, { allBut: gateways })
  for (const name of gateways) checked += await checkDue(deps, limit, { of: name })
  return checked
}

async function checkDue(deps: SettleDeps, limit: number, methods: DueMethods): Promise<number> {
  const now = deps.clock.now()
  const due = await claimDuePayments(deps.database, methods, { now, limit, retryAt: now + RETRY_MS })
  for (const payment of due) await check(deps, payment)
  return due.length
}

async function check(deps: SettleDeps, payment: Payment): Promise<void> {
  const lookup = await askProvider(deps, payment, { source: 'sweep' })
  if (!lookup.ok) {
    deps.log.warn(
      { payment_id: payment.id, failure: lookup.failure },
      'the provider could not be asked about a payment; it is asked again later',
    )
    return
  }
  const now = deps.clock.now()
  const [report] = lookup.value
  const madeAt = report ? checkoutMadeAt(payment, report, now) : null
  const { lookupsAfterMs } = deps.methods.of(payment.method)
  const nextCheckAt = nextCheckAfter(madeAt ?? payment.createdAt, now, lookupsAfterMs)
  if (nextCheckAt === null && !report) await giveUp(deps, payment)
  await scheduleNextCheck(deps.database, payment, nextCheckAt)
}

/** After the last lookup, a payment that the provider never knew cannot be paid. */
async function giveUp(deps: SettleDeps, payment: Payment): Promise<void> {
  if (payment.checkoutId === null) return endRequestedPayment(deps.database, payment, 'expired')
  const report = expiredReport(payment, payment.checkoutId)
  await settlePayment(deps, { report, event: null, source: 'sweep' })
}
