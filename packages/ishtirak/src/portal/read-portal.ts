// What the portal of a user shows, read for the user, or for an operator who looks on.

import { type HistoryDeps, readHistory } from '../checkout/status.js'
import { listRedemptions } from '../codes/redeem.sql.js'
import { publicStatusAt } from '../core/payment.js'
import { proofProblem } from '../core/transfer.js'
import { findPayment } from '../ledger/payments.sql.js'
import { type OverviewDeps, readOverviewWithTime } from '../limits/overview.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import { listProofs, slipsToCheck } from '../transfers/proof.sql.js'
import { openTransferIn, transferMethod } from '../transfers/transfer-section.js'
import { findTransfer } from '../transfers/transfers.sql.js'
import type { PortalTransfer, PortalView, RefusedTransfer } from './portal-view.js'

export type ReadPortalDeps = OverviewDeps & HistoryDeps & PageParts

export interface PortalWish {
  readonly session: Session | ReadOnlySession
  /** Of a page of the history further back. */
  readonly cursor: string | null
  /** The redemption that was made just now, and the expired transfer that is asked for, by their ids. */
  readonly redeemed: string | null
  readonly transferId: string | null
  readonly isChoosing: boolean
  readonly requestId: string
}

/** Beside the language and the way back, which are the reader's. */
export type ReadPortal = Omit<PortalView, 'locale' | 'backUrl'>

/** A year of monthly payments on one page. */
const PAYMENTS_A_PAGE = 12

export async function readPortal(deps: ReadPortalDeps, wish: PortalWish): Promise<ReadPortal> {
  const { session, cursor, redeemed, requestId } = wish
  const { userId } = session
  // The overview first: it may book a payment, which the history should then show.
  const { overview, held } = await readOverviewWithTime(deps, userId, requestId)
  const page = { userId, limit: PAYMENTS_A_PAGE, cursor, status: null, requestId }
  const history = await readHistory(deps, page)
  const redemptions = deps.codeKeys.length > 0 ? await listRedemptions(deps.database, userId) : []
  const isOlder = cursor !== null
  const slips = await readSlips(deps, { history, session })
  const transfer = await readTransfer(deps, { history, session, slips }, wish.transferId)
  const odd = history.payments.find(({ status }) => status === 'review')
  const reviewed = odd ? await findPayment(deps.database, userId, odd.id) : null
  const refused = isOlder ? null : await readRefused(deps, { history, session })
  return {
    session,
    isChoosing: wish.isChoosing,
    overview,
    history,
    held,
    reviewed,
    slips,
    redemptions,
    redeemed,
    isOlder,
    transfer,
    refused,
  }
}

/** As it is stored: the provider is not asked, so nothing changes by looking. */
export function readPortalAsStored(
  deps: ReadPortalDeps,
  session: ReadOnlySession,
  requestId: string,
): Promise<ReadPortal> {
  const asStored = { ...deps, looks: async () => false }
  const nothingAsked = { cursor: null, redeemed: null, transferId: null, isChoosing: false }
  return readPortal(asStored, { session, requestId, ...nothingAsked })
}

async function readTransfer(
  deps: ReadPortalDeps,
  view: Pick<PortalView, 'history' | 'session' | 'slips'>,
  asked: string | null,
): Promise<PortalTransfer | null> {
  const wanted = asked === null ? null : await findLate(deps, view, asked)
  const open = wanted ?? openTransferIn(deps, view)
  // One that has expired is shown unasked while its slip is checked: nothing can be bought until then.
  const [checked] = view.slips
  const late = wanted ?? (open || checked === undefined ? null : await findLate(deps, view, checked))
  const payment = late ?? open
  if (!payment) return null
  const { userId } = view.session
  const proofs = await listProofs(deps.database, { userId, paymentId: payment.id })
  return { payment, proofs, isLate: late !== null }
}

async function findLate(
  { database }: ReadPortalDeps,
  { history, session: { userId } }: Pick<PortalView, 'history' | 'session'>,
  paymentId: string,
) {
  const found = await findTransfer(database, { userId, paymentId })
  const isLate = found && publicStatusAt(found.payment, history.now) === 'expired'
  return isLate && proofProblem(found.transfer, []) === null ? found.payment : null
}

/** Asks the database only where a transfer is not settled. */
async function readSlips(
  deps: ReadPortalDeps,
  { history, session: { userId } }: Pick<PortalView, 'history' | 'session'>,
): Promise<ReadonlySet<string>> {
  const name = transferMethod(deps)?.name
  const unsettled = history.payments.filter(
    ({ method, status }) => method === name && (status === 'pending' || status === 'expired'),
  )
  const paymentIds = unsettled.map(({ id }) => id)
  return new Set(paymentIds.length === 0 ? [] : await slipsToCheck(deps.database, { userId, paymentIds }))
}

/** Asks the database only where the newest payment may be one. */
async function readRefused(
  deps: ReadPortalDeps,
  { history, session: { userId } }: Pick<PortalView, 'history' | 'session'>,
): Promise<RefusedTransfer | null> {
  const [newest] = history.payments
  if (newest?.status !== 'canceled' || newest.method !== transferMethod(deps)?.name) return null
  const found = await findTransfer(deps.database, { userId, paymentId: newest.id })
  const reason = found?.transfer.state === 'refused' ? found.transfer.refusal : null
  return found && reason !== null ? { reference: found.reference, reason } : null
}
