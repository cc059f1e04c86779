// The calls about proformas: make, list and print them, and order one by transfer.
import { type Static, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { locationOf, showPaymentOfUser } from '../checkout/history.call.js'
import type { HistoryDeps } from '../checkout/history.js'
import { callerOf, OFFER_REFUSALS, termOf } from '../checkout/upgrade.call.js'
import {
  LANGUAGE,
  LangSchema,
  type PdfWish,
  PRINT_REFUSALS,
  wishedLocale,
} from '../documents/documents.call.js'
import type { UserIdentity } from '../http/auth.js'
import { locale, nullable, object, query } from '../http/schemas.js'
import {
  PaymentSchema,
  type PaymentView,
  PlatformPaymentSchema,
  poNumberSchema,
  term,
} from '../ledger/schemas.js'
import {
  makeProforma,
  openProformas,
  orderProforma as orderByTransfer,
  type ProformaDeps,
  printProforma as print,
  requireProforma,
} from './proforma.js'
import type { Proforma } from './proformas.sql.js'

const ProformaQuerySchema = query({
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
type ProformaView = Static<typeof ProformaSchema>

function viewProforma({ number, agreed: { offer, change, amount }, snapshot }: Proforma): ProformaView {
  const { issuedOn, validUntil = issuedOn, poNumber = null } = snapshot
  return {
    ...{ number, plan: offer.plan.id, months: change ? null : offer.months },
    ...{ amount, currency: offer.price.currency, po_number: poNumber },
    ...{ issued_on: issuedOn, valid_until: validUntil },
  }
}

export interface ProformaCalls {
  /**
   * The PDF of an offer whose price holds for 15 days. Repeated on one day it is the same. Throws what a
   * quote throws, `buyer_incomplete`, `unknown_method` without transfers, `busy`, `receipts_unavailable`.
   */
  proforma(userId: string, wanted: Static<typeof ProformaQuerySchema>): Promise<Uint8Array>
  /** The unpaid proformas whose price holds, newest first. */
  proformas(userId: string): Promise<readonly ProformaView[]>
  /** The PDF of the proforma with this number, in the language as for `receipt`. */
  printProforma(userId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
  /** Opens a transfer at its price, once. Throws `proforma_not_valid` after its last day. */
  orderProforma(user: UserIdentity, number: string): Promise<PaymentView>
}

const REFUSALS = [...OFFER_REFUSALS, 'unknown_method', 'prepaid_limit_reached'] as const
const NUMBER = { number: Type.String({ maxLength: 50, examples: ['P-2026-000003'] }) }

const proforma = userCall<ProformaDeps>()({
  name: 'proforma',
  operationId: 'getProforma',
  summary: 'A proforma',
  description:
    'What a company’s accountant needs before an order of payment: the invoice as it would be, at a ' +
    'price that holds for 15 days. Asked for again on the same day it is the same. The address of the ' +
    `PDF, with its number, stands in \`Content-Location\`. ${LANGUAGE}`,
  method: 'GET',
  path: '/proforma',
  input: ProformaQuerySchema,
  answer: { file: 'application/pdf', description: 'The proforma' },
  refuses: [...PRINT_REFUSALS, ...REFUSALS, 'unknown_term', 'no_dearer_plan', 'buyer_incomplete'],
  run: async (deps, request) => {
    const { plan: planId, months, start, po_number: poNumber } = request.input
    const wanted = { planId, ...termOf(months, start, 'query/months'), poNumber }
    const made = await makeProforma(deps, request.user.userId, wanted)
    const file = await print(deps, made, await wishedLocale(request))
    return { ...file, headers: { 'content-location': `${request.api}/proformas/${made.number}` } }
  },
})

const proformas = userCall<ProformaDeps>()({
  name: 'proformas',
  operationId: 'listProformas',
  summary: 'The newest 100 proformas whose price holds and that are not paid',
  method: 'GET',
  path: '/proformas',
  answer: object('Proformas', { proformas: Type.Array(ProformaSchema) }),
  list: 'proformas',
  run: async (deps, { user }) => {
    return { proformas: (await openProformas(deps, user.userId)).map(viewProforma) }
  },
})

const printProforma = userCall<ProformaDeps>()({
  name: 'printProforma',
  operationId: 'printProforma',
  summary: 'A proforma, by its number',
  description: `One page of PDF. ${LANGUAGE}`,
  method: 'GET',
  path: '/proformas/:number',
  params: NUMBER,
  input: LangSchema,
  answer: { file: 'application/pdf', description: 'The proforma' },
  refuses: PRINT_REFUSALS,
  run: async (deps, request) => {
    const made = await requireProforma(deps, request.user.userId, request.params.number)
    return print(deps, made, await wishedLocale(request))
  },
})

/** The example of the answer: a transfer at the price of the proforma. */
const ORDERED = {
  ...{
    months: 12,
    amount: 20_000,
    method: 'transfer',
    checkout_url: null,
    expires_at: '2026-12-06T23:00:00Z',
  },
  transfer: {
    reference: 'K4M9-2R8F-JW36',
    accounts: [
      {
        ...{ kind: 'ccp', holder: 'SARL Atlas', number: '0023456789', key: '88' },
        ...{ rip: '00799999002345678941', bank: null, iban: null },
      },
    ],
    proof_url: 'https://billing.example.dz/api/v1/billing/payments/pay_01jd7k3v9m4w8x2z5c6b7n8q9r/proof',
  },
}

const orderProforma = userCall<ProformaDeps & HistoryDeps>()({
  name: 'orderProforma',
  operationId: 'orderProforma',
  summary: 'Order a proforma by transfer',
  description: 'Opens a transfer at its price. A repetition gives the same payment.',
  method: 'POST',
  path: '/proformas/:number/payments',
  params: NUMBER,
  answer: PlatformPaymentSchema,
  forUser: { answer: PaymentSchema },
  example: ORDERED,
  created: locationOf,
  refuses: [...REFUSALS, 'not_found', 'forbidden', 'proforma_not_valid', 'too_many_checkouts', 'conflict'],
  run: async (deps, request) => {
    const { paymentId } = await orderByTransfer(deps, await callerOf(request), request.params.number)
    return showPaymentOfUser(deps, request, paymentId)
  },
})

export const proformaCalls = [proforma, proformas, printProforma, orderProforma]
