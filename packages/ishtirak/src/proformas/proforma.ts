// A company shows its accountant a proforma before it pays: the later invoice, at a price that holds. It is
// made once a day for the same wish, and a transfer is opened at its price.
import { createHash } from 'node:crypto'
import type { SentFile } from '../acts/user-call.js'
import { type QuoteDeps, readQuote } from '../checkout/quote.js'
import { type OpenedCheckout, openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { timeOf } from '../core/change.js'
import { BillingError } from '../core/error.js'
import { DAY, toTimestamp } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Agreed, Start } from '../core/quote.js'
import {
  type DocumentSnapshot,
  documentSeries,
  readReceiptNumber,
  type Seller,
  splitTax,
  taxAt,
} from '../core/receipt.js'
import { untilFresh } from '../database/database.js'
import { requireCompleteBuyer } from '../documents/invoices.js'
import { print, type ReceiptDeps } from '../documents/receipt.js'
import { renderReceipt } from '../documents/render-receipt.js'
import { findUser, type KnownUser } from '../ledger/users.sql.js'
import { transferMethod } from '../transfers/transfer.route.js'
import {
  findProforma,
  findRequested,
  insertProforma,
  noteOrdered,
  type Proforma,
  proformasSince,
} from './proformas.sql.js'

export type ProformaDeps = UpgradeDeps & QuoteDeps & ReceiptDeps

interface WantedProforma {
  readonly planId: string
  readonly months: number
  readonly start: Start
  readonly poNumber?: string | undefined
}

/**
 * Returns the same proforma all day for the same wish of the same buyer (for a plan change, while the time is
 * the same). Throws what a quote throws, `buyer_incomplete`, and `unknown_method` without transfers.
 */
export function makeProforma(deps: ProformaDeps, userId: string, wanted: WantedProforma): Promise<Proforma> {
  return untilFresh('proforma', () => tryProforma(deps, userId, wanted))
}

async function tryProforma(deps: ProformaDeps, userId: string, { poNumber, ...wanted }: WantedProforma) {
  const { database, clock, billingDayOf, seller } = deps
  const transfers = transferMethod(deps)
  if (!transfers) throw new BillingError('unknown_method')
  const user = await findUser(database, userId)
  const details = requireCompleteBuyer(user?.buyer ?? null)
  const now = clock.now()
  const issuedOn = billingDayOf(now)
  const { planId, months, start } = wanted
  const { offer, change, amount } = (await readQuote(deps, { userId, ...wanted })).quote
  const time = change ? timeOf(change) : null
  const parties = [seller.identity, details]
  let requestDigest = digestOf([issuedOn, planId, months, start, time, poNumber ?? null, ...parties])
  let before = await findRequested(database, userId, requestDigest)
  while (before?.isPaid) {
    requestDigest = digestOf([requestDigest, before.number])
    before = await findRequested(database, userId, requestDigest)
  }
  if (before) return before
  const agreed = { offer, amount, ...(change && { change }) }
  const buyer = { userId, name: user?.name ?? null, email: user?.email ?? null, details }
  const { live } = transfers
  const dated = { issuedAt: now, issuedOn, live, ...(poNumber !== undefined && { poNumber }) }
  const snapshot = drawUp(agreed, seller, { buyer, ...dated })
  const series = documentSeries('proforma', issuedOn, live)
  const made = { userId, version: user?.version ?? 0, requestDigest, series, issuedAt: now, agreed, snapshot }
  await insertProforma(database, made)
  return (await findRequested(database, userId, requestDigest)) ?? 'stale'
}

const digestOf = (what: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(what)).digest('base64url')

/** The price holds until the end of the day that is this many days later. */
const VALID_DAYS = 15

/** Nothing is paid yet: the tax is that of the day, and a transfer has no duty. */
function drawUp(
  { offer, change, amount }: Agreed,
  seller: Seller,
  of: Pick<DocumentSnapshot, 'buyer' | 'issuedAt' | 'issuedOn' | 'live' | 'poNumber'>,
): DocumentSnapshot {
  const tax = taxAt(seller.taxTerms, of.issuedOn)
  return {
    ...of,
    kind: 'proforma',
    validUntil: toTimestamp(Date.parse(of.issuedOn) + VALID_DAYS * DAY).slice(0, 10),
    seller: seller.identity,
    planName: offer.plan.name,
    paidOn: of.issuedOn,
    periodFrom: null,
    periodTo: null,
    months: change ? null : offer.months,
    amount,
    ...(change && { change: { from: change.from.name, credit: change.credit } }),
    tax,
    split: splitTax(amount, tax),
    stampDutyCentimes: 0,
    paymentMethod: null,
    paymentId: '',
    checkoutId: null,
  }
}

export async function openProformas(deps: ProformaDeps, userId: string): Promise<readonly Proforma[]> {
  // None that is older holds, whatever the hour at which it was made.
  const oldest = deps.clock.now() - (VALID_DAYS + 1) * DAY
  return (await proformasSince(deps.database, userId, oldest)).filter((proforma) => holds(deps, proforma))
}

/** A proforma is sold once. One of test mode is never sold for real money. */
function holds(deps: ProformaDeps, { snapshot: { live, validUntil = '' }, isPaid }: Proforma): boolean {
  const today = deps.billingDayOf(deps.clock.now())
  return !isPaid && live === transferMethod(deps)?.live && today <= validUntil
}

/** `typed` is the number. Another user's proforma is `not_found` too. */
export async function requireProforma(deps: ProformaDeps, userId: string, typed: string): Promise<Proforma> {
  const number = readReceiptNumber(typed, transferMethod(deps)?.live ?? true)
  const found = number && (await findProforma(deps.database, userId, number))
  if (!found) throw new BillingError('not_found')
  return found
}

/** Its PDF. Throws `busy`, and `receipts_unavailable` with the proforma's number. */
export async function printProforma(
  { printer }: ProformaDeps,
  { number, snapshot }: Proforma,
  locale: Locale,
): Promise<SentFile> {
  const content = await print(printer, (typesetter) =>
    renderReceipt(typesetter, { number, snapshot }, locale),
  )
  if (!content) throw new BillingError('receipts_unavailable', { extra: { receipt_number: number } })
  return { name: `proforma-${number}.pdf`, content }
}

/**
 * Opens a transfer at its price. A repetition returns the same. Throws `not_found`, `proforma_not_valid` if
 * its days are over, it is paid or its plan change is of other time than today's, and what a purchase throws.
 */
export async function orderProforma(
  deps: ProformaDeps,
  by: { readonly user: KnownUser; readonly locale: Locale; readonly requestId?: string },
  typed: string,
): Promise<OpenedCheckout> {
  const proforma = await requireProforma(deps, by.user.userId, typed)
  if (!holds(deps, proforma)) throw new BillingError('proforma_not_valid')
  const { agreed, snapshot } = proforma
  const { offer, change } = agreed
  const opened = await openPayment(deps, {
    ...by,
    ...{ planId: offer.plan.id, months: offer.months, start: change ? 'now' : 'end', mode: 'payment' },
    ...{ agreed, poNumber: snapshot.poNumber, method: 'transfer' },
  })
  await noteOrdered(deps.database, by.user.userId, proforma.key, opened.paymentId)
  return opened
}
