// GET …/redemptions/{redemption_id}/statement: what a redeemed code gave, as PDF, for its user.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { BILLING_API } from '../ledger/schemas.js'
import { print, type ReceiptDeps } from '../receipts/receipt.js'
import { languageOf, PDF_ROUTE, pdfOrRefused, sendPdf } from '../receipts/receipt.route.js'
import { findStatement } from './redeem.sql.js'
import { renderStatement } from './render-statement.js'

export type StatementRoutesDeps = StatementDeps & Pick<CallerChecks, 'identify'>

export function statementRoutes(deps: StatementRoutesDeps) {
  const schema = {
    ...PDF_ROUTE,
    operationId: 'getStatement',
    summary: 'The statement of a redeemed code',
    description:
      'One page of PDF. No money came, so there is no receipt. The language is `lang`, else that of ' +
      'the token, else `Accept-Language`, else Arabic.',
    params: Type.Object({ redemption_id: Type.String({ maxLength: 100 }) }),
    response: pdfOrRefused('The statement'),
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    const address = `${BILLING_API}/redemptions/:redemption_id/statement` as const
    app.get(address, { schema, onRequest: users.onRequest }, async (request, reply) => {
      const user = users.of(request)
      const { redemption_id: redemptionId } = request.params
      const of = { userId: user.userId, redemptionId, locale: languageOf(request, user) }
      return sendPdf(reply, `statement-${redemptionId}`, await printStatement(deps, of))
    })
  }
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
