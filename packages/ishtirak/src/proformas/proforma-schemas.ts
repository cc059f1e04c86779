// The schema of a proforma.
import { type Static, Type } from 'typebox'
import { locale, nullable, object, query } from '../http/schemas.js'
import { poNumberSchema, term } from '../ledger/schemas.js'
import type { Proforma } from './proformas.sql.js'

export const ProformaQuerySchema = query({
  ...term,
  po_number: Type.Optional(poNumberSchema),
  lang: Type.Optional(locale),
})

const ProformaSchema = object('Proforma', {
  number: Type.String({ examples: ['P-2026-000003'] }),
  plan: Type.String({ examples: ['pro'] }),
  months: nullable(Type.Integer({ description: 'Null for a change', examples: [12] })),
  amount: Type.Integer({ description: 'Whole units of `currency`', examples: [20_000] }),
  currency: Type.String({ examples: ['DZD'] }),
  po_number: nullable(Type.String({ examples: ['BC-2026/118'] })),
  issued_on: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone' }),
  valid_until: Type.String({ description: 'The last day on which its price holds' }),
})

export const ProformasSchema = object('Proformas', { proformas: Type.Array(ProformaSchema) })

export type ProformaWish = Static<typeof ProformaQuerySchema>
export type ProformaView = Static<typeof ProformaSchema>

export function viewProforma({
  number,
  agreed: { offer, change, amount },
  snapshot,
}: Proforma): ProformaView {
  const { issuedOn, validUntil = issuedOn, poNumber = null } = snapshot
  return {
    number,
    plan: offer.plan.id,
    months: change ? null : offer.months,
    amount,
    currency: offer.price.currency,
    po_number: poNumber,
    issued_on: issuedOn,
    valid_until: validUntil,
  }
}
