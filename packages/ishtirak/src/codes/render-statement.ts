// Prints the statement of a redeemed code, on the page of a receipt: nothing was paid.
import type { Locale } from '../core/locale.js'
import type { StatementSnapshot } from '../core/statement.js'
import {
  dateParts,
  dayInFigures,
  describeBuyer,
  describeSeller,
  dinarsInFigures,
  onPaper,
  rowsOf,
  shorten,
  TEMPLATE,
} from '../receipts/render-receipt.js'
import type { Typesetter } from '../receipts/typesetter.js'
import { receiptsWords as receiptTexts } from '../receipts/words.js'
import { codesWords as texts } from './words.js'

/** Gives the PDF. */
export function renderStatement(
  typesetter: Typesetter,
  snapshot: StatementSnapshot,
  locale: Locale,
): Uint8Array {
  return typesetter.typeset(TEMPLATE, onPaper(describePage(snapshot, locale), locale))
}

function describePage(snapshot: StatementSnapshot, locale: Locale) {
  const words = texts[locale].statement
  const { receipt } = receiptTexts[locale]
  const { seller, planName, months, issuedAt: _, issuedOn, periodFrom, periodTo, redemptionId } = snapshot
  return {
    title: words.title,
    author: seller.name[locale],
    issuedAt: dateParts(issuedOn),
    number: null,
    date: { label: receipt.issuedOn, value: dayInFigures(issuedOn) },
    notice: words.notReceipt,
    duplicate: null,
    references: [],
    stamp: null,
    seller: describeSeller(seller, receipt, locale),
    buyer: describeBuyer(snapshot, receipt),
    item: {
      head: [receipt.description, receipt.period, words.months, receipt.totalPaid],
      description: shorten(words.subscriptionTo.replace('{plan}', () => planName)),
      period: [
        { label: receipt.periodFrom, value: dayInFigures(periodFrom) },
        { label: receipt.periodTo, value: dayInFigures(periodTo) },
      ],
      quantity: String(months),
      price: dinarsInFigures(0, locale),
    },
    totals: [],
    mention: null,
    inWords: null,
    payment: {
      label: words.redemption,
      rows: rowsOf([
        [words.redeemedOn, dayInFigures(issuedOn)],
        [words.reference, redemptionId],
      ]),
    },
    signature: null,
    closing: words.closing,
  }
}
