// GET …/redemptions/{redemption_id}/statement: what a redeemed code gave, as PDF, for its user.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { idOf } from '../http/auth.js'
import { forBothCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import type { PdfWish } from '../receipts/calls.js'
import { print, type ReceiptDeps } from '../receipts/receipt.js'
import { LANGUAGE, pdfRoute, sendPdf, wishedLocale } from '../receipts/receipt.route.js'
import { findStatement } from './redeem.sql.js'
import { renderStatement } from './render-statement.js'

export type StatementRoutesDeps = StatementDeps & UserRoutesDeps

export function statementRoutes(deps: StatementRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.operation('getStatement'),
      ...pdfRoute(callers, 'The statement'),
      summary: 'The statement of a redeemed code',
      description: `One page of PDF. No money came, so there is no receipt. ${LANGUAGE}`,
      params: callers.params({ redemption_id: Type.String({ maxLength: 100 }) }),
    }
    app.get(`${path}/redemptions/:redemption_id/statement`, { schema, onRequest }, async (request, reply) => {
      const { userId } = callers.callOf(request).user
      const { redemption_id: redemptionId } = request.params
      const of = { userId, redemptionId, locale: request.query.lang ?? (await callers.localeOf(request)) }
      return sendPdf(reply, `statement-${redemptionId}`, await printStatement(deps, of))
    })
  })
}

export async function statementCall(
  deps: StatementRoutesDeps,
  given: string,
  redemptionId: string,
  asked?: PdfWish,
) {
  const userId = idOf(given)
  return printStatement(deps, { userId, redemptionId, locale: await wishedLocale(deps, userId, asked) })
}

export type StatementDeps = Pick<ReceiptDeps, 'database' | 'printer'>

/**
 * Throws `not_found`, also for another user's, `busy` when too many wait already, and `receipts_unavailable`.
 */
export async function printStatement(
  { database, printer }: StatementDeps,
  of: { readonly userId: string; readonly redemptionId: string; readonly locale: Locale },
): Promise<Uint8Array> {
  const snapshot = await findStatement(database, of.userId, of.redemptionId)
  if (!snapshot) throw new BillingError('not_found')
  const pdf = await print(printer, (typesetter) => renderStatement(typesetter, snapshot, of.locale))
  if (pdf === null) throw new BillingError('receipts_unavailable')
  return pdf
}
