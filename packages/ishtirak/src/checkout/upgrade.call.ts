// The purchases: a month by `/upgrade`; any term, also ahead, by `/payments`; and the quote of a payment.
import { PROVIDER_REFUSALS } from '../acts/files.js'
import { type UserRequest, userCall } from '../acts/user-call.js'
import { wrongField } from '../core/error.js'
import type { Start } from '../core/quote.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  PaymentRequestSchema,
  PaymentSchema,
  PlatformPaymentRequestSchema,
  PlatformPaymentSchema,
  QuoteQuerySchema,
  QuoteSchema,
  UpgradeRequestSchema,
  UpgradeResultSchema,
  viewQuote,
} from '../ledger/schemas.js'
import { locationOf, showPaymentOfUser } from './history.call.js'
import type { HistoryDeps } from './history.js'
import { type QuoteDeps, readQuote } from './quote.js'
import { openPayment, type UpgradeDeps, upgrade } from './upgrade.js'

export const OFFER_REFUSALS = ['unknown_plan', 'plan_not_purchasable', 'validation_failed'] as const
export const CODE_REFUSALS = ['code_not_valid', 'too_many_wrong_codes'] as const
const PURCHASE_REFUSALS = [
  ...OFFER_REFUSALS,
  'malformed_json',
  'forbidden',
  'already_subscribed',
  'too_many_checkouts',
  ...PROVIDER_REFUSALS,
] as const

export const upgradePlan = userCall<UpgradeDeps>()({
  name: 'upgrade',
  operationId: 'upgradePlan',
  summary: 'Upgrade plan',
  description:
    'Opens a checkout at the provider; send the user to `checkout_url`. It is also the renewal, in ' +
    'the last days of the paid time and in grace. A dearer plan than the one that runs begins now, for ' +
    'the difference, and ends when the paid time ends.',
  method: 'POST',
  path: '/upgrade',
  input: UpgradeRequestSchema,
  answer: UpgradeResultSchema,
  refuses: PURCHASE_REFUSALS,
  run: async (deps, request) => {
    const wanted = { ...(await callerOf(request)), planId: request.input.plan }
    const { checkoutUrl, paymentId } = await upgrade(deps, wanted)
    return { checkout_url: checkoutUrl, payment_id: paymentId }
  },
})

export const createPayment = userCall<UpgradeDeps & HistoryDeps & ReturnDeps>()({
  name: 'createPayment',
  operationId: 'createPayment',
  summary: 'Create a payment',
  description:
    'Buys a term of a plan, also before the renewal window, or changes to a dearer one; send the user ' +
    'to `checkout_url`. A ' +
    'repetition gives the same payment, and another choice takes its place: `checkout_url` is null ' +
    'where that happened meanwhile. 409 `nothing_to_pay` where the code leaves nothing to pay: redeem it.',
  method: 'POST',
  path: '/payments',
  input: PlatformPaymentRequestSchema,
  answer: PlatformPaymentSchema,
  forUser: { input: PaymentRequestSchema, answer: PaymentSchema },
  created: locationOf,
  refuses: [
    ...PURCHASE_REFUSALS,
    'unknown_term',
    'unknown_method',
    'prepaid_limit_reached',
    'no_dearer_plan',
    'nothing_to_pay',
    ...CODE_REFUSALS,
    'balance_too_low',
    'conflict',
  ],
  run: async (deps, request) => {
    const { plan, months, start, method, code, po_number: poNumber, metadata } = request.input
    const returnUrl = returnUrlOf(deps, request.input.return_url)
    const caller = await callerOf(request)
    const wanted = { planId: plan, ...termOf(months, start, 'months'), code, poNumber, metadata }
    const atOnce = deps.atOnce.find((one) => one.method === method)
    const { paymentId } = atOnce
      ? await atOnce.buy(caller, wanted)
      : await openPayment(deps, { ...caller, ...wanted, method, returnUrl, mode: 'payment' })
    return showPaymentOfUser(deps, request, paymentId)
  },
})

export const quote = userCall<QuoteDeps>()({
  name: 'quote',
  operationId: 'getQuote',
  summary: 'Get a quote',
  description: 'The time and price of a payment made now, by the same decision as the payment itself.',
  method: 'GET',
  path: '/quote',
  input: QuoteQuerySchema,
  answer: QuoteSchema,
  refuses: [...OFFER_REFUSALS, 'unknown_term', 'prepaid_limit_reached', 'no_dearer_plan', ...CODE_REFUSALS],
  run: async (deps, { user: { userId }, input: { plan: planId, months, start, code } }) => {
    const wanted = { userId, planId, ...termOf(months, start, 'query/months'), code }
    return viewQuote((await readQuote(deps, wanted)).quote, code)
  },
})

/** Throws `validation_failed`: a plan change covers the time that is left, so it has no term. */
export function termOf(months: number | undefined, start: Start = 'end', field: string) {
  if (start === 'now' && months !== undefined) throw wrongField(field, 'not_allowed')
  return { months: months ?? 1, start }
}

export async function callerOf(request: UserRequest) {
  const { user, requestId } = request
  return { user, requestId, locale: await request.locale() }
}

export type ReturnDeps = Pick<CommonParts, 'platformUrl' | 'returnOrigins'>

/** Throws `validation_failed` for an origin other than the platform's and RETURN_ORIGINS. */
export function returnUrlOf({ platformUrl, returnOrigins }: ReturnDeps, given: string | undefined) {
  if (given === undefined) return undefined
  const url = URL.canParse(given) ? new URL(given) : null
  // `blob:` has the origin of the address behind it.
  const isAllowed =
    url?.protocol !== 'blob:' && url && [new URL(platformUrl).origin, ...returnOrigins].includes(url.origin)
  if (!isAllowed || url.username !== '' || url.password !== '') throw wrongField('return_url', 'not_allowed')
  return url.href
}
