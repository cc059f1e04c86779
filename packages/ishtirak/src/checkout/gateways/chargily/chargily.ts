// Chargily Pay V2 as a payment method. It was written from Chargily's documentation and captures, without
// reading the emulator: if the two disagree, one of them is wrong. It has no state and repeats no call.
import type { CheckoutOrder, CheckoutReport } from '../../../core/checkout.js'
import { CLOCK_SKEW_MAX, HOUR, type Instant, MINUTE } from '../../../core/instant.js'
import {
  type CheckoutList,
  isAllBefore,
  type PaymentMethod,
  type ProviderAnswer,
} from '../../../ledger/method.js'
import { isLiveKey, signatureVerifier } from './account.js'
import { type CallSettings, createProvider, type Provider, rejected, unreadable } from './call.js'
import {
  type JsonObject,
  METHOD,
  type OurMetadata,
  readCheckout,
  readEvent,
  readFlag,
  readPage,
  readShortText,
} from './report.js'

export interface ChargilyOptions extends CallSettings {
  readonly noteWebhookKey?: (key: string) => void
}

/** "The amount field must be greater than or equal to 50." */
export const LEAST_AMOUNT = 50

/** The OpenAPI document shows these fields. `readEvent` decides what is read. */
const EVENT = {
  type: 'object',
  required: ['id', 'entity', 'type', 'data'],
  properties: {
    id: { type: 'string', examples: ['01jd7k3v9m4w8x2z5c6b7n8q9r'] },
    entity: { const: 'event' },
    type: { type: 'string', examples: ['checkout.paid'] },
    data: {
      type: 'object',
      examples: [{ id: '01jd7k2x4t9w8x2z5c6b7n8q9r', entity: 'checkout', status: 'paid', amount: 2_000 }],
    },
  },
}

/** Shops have entered this address in their dashboards, so it must not change. */
export const WEBHOOK = {
  path: '/api/v1/billing/webhook',
  signatureHeader: 'signature',
  operation: {
    operationId: 'receivePaymentEvent',
    description: 'Called by Chargily Pay. Header `signature`: hex HMAC-SHA256 of the raw body.',
    'x-body': { required: true, content: { 'application/json': { schema: EVENT } } },
  },
} as const

export function createChargily(options: ChargilyOptions) {
  const { secretKey, webhookKeys = [], noteWebhookKey, apiUrl } = options
  const provider = createProvider(options)
  const live = isLiveKey(secretKey)
  const page: CheckoutList['page'] = (number) => fetchPage(provider, number)
  return {
    name: METHOD,
    live,
    leastAmount: LEAST_AMOUNT,
    /** API reference, checkouts/expire. */
    checkoutLifetimeMs: 30 * MINUTE,
    settledBy: 'provider',
    accounts: [],
    // Early lookups for the waiting user, one when the checkout is over, later ones for late bookings.
    lookupsAfterMs: [MINUTE, 5 * MINUTE, 35 * MINUTE, 6 * HOUR, 24 * HOUR],
    instruments: ['edahabia', 'cib'],
    begunBy: 'user',
    bearsStampDuty: false,
    list: { page, find: (paymentId, since) => searchCheckouts(page, paymentId, since) },
    webhook: {
      ...WEBHOOK,
      needsPublicAddress: apiUrl === undefined,
      verifySignature: signatureVerifier([secretKey, ...webhookKeys], noteWebhookKey),
      readEvent,
    },
    createCheckout: (order) => openCheckout(provider, order),
    getCheckout: (checkoutId) => fetchCheckout(provider, checkoutId),
    expireCheckout: async (checkoutId) => {
      if (!isCheckoutId(checkoutId)) return { ok: true, value: null }
      const answer = await provider.post(`/checkouts/${checkoutId}/expire`)
      // 400 "expired already" and 403 "not pending any more" (checkouts/expire) do not contain the status.
      if (statusOf(answer) === 400 || statusOf(answer) === 403) return fetchCheckout(provider, checkoutId)
      return readAskedCheckout(answer, checkoutId)
    },
    checkKey: () => checkKey(provider, live),
  } satisfies PaymentMethod
}

async function openCheckout(
  { post }: Provider,
  order: CheckoutOrder,
): Promise<ProviderAnswer<CheckoutReport>> {
  const answer = await post('/checkouts', requestOf(order))
  if (!answer.ok) return answer
  const report = readCheckout(answer.value)
  // There may be a checkout whose id we cannot read. The search will find it.
  return report ? { ok: true, value: report } : unreadable('the new checkout has no id')
}

/** POST /checkouts. `webhook_endpoint` is the API reference's name; `webhook_url` is older. */
function requestOf(order: CheckoutOrder): JsonObject {
  return {
    amount: order.price.amount,
    // The file of plans has no other currency.
    currency: 'dzd',
    success_url: order.successUrl,
    failure_url: order.failureUrl,
    ...(order.webhookUrl !== null && { webhook_endpoint: order.webhookUrl }),
    description: order.description,
    locale: order.locale,
    // The user pays exactly the plan's price: 3,037.50 instead of 3,000 would look like a bug.
    chargily_pay_fees_allocation: 'merchant',
    metadata: {
      payment_id: order.paymentId,
      // Laravel trims texts and turns empty ones into null. Values that would come back changed are not sent.
      ...(comesBackUnchanged(order.userId) && { user_id: order.userId }),
      ...(order.kind !== 'purchase' && { kind: order.kind }),
      ...(order.planId !== null && comesBackUnchanged(order.planId) && { plan_id: order.planId }),
      // Sent as text, which comes back unchanged.
      ...(order.months !== null && { months: String(order.months) }),
      ...(order.code && { code_hash: order.code.hash, discount: String(order.code.discount) }),
    } satisfies OurMetadata,
  }
}

/** Both ends must be visible characters: newer versions trim invisible ones as well. */
function comesBackUnchanged(text: string): boolean {
  return readShortText(text) !== null && /^[\p{L}\p{N}\p{P}\p{S}](.*[\p{L}\p{N}\p{P}\p{S}])?$/u.test(text)
}

type AskedCheckout = ProviderAnswer<CheckoutReport | null>

async function fetchCheckout({ get }: Provider, checkoutId: string): Promise<AskedCheckout> {
  // The id comes back in the user's address bar, in which anyone can write `../balance`.
  if (!isCheckoutId(checkoutId)) return { ok: true, value: null }
  return readAskedCheckout(await get(`/checkouts/${checkoutId}`), checkoutId)
}

/** Wider than the 26 characters of a ULID that we have seen, so that another form still works. */
function isCheckoutId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text)
}

function readAskedCheckout(answer: ProviderAnswer<JsonObject>, checkoutId: string): AskedCheckout {
  if (statusOf(answer) === 404) return { ok: true, value: null }
  if (!answer.ok) return answer
  const report = readCheckout(answer.value)
  if (report?.checkoutId === checkoutId) return { ok: true, value: report }
  return unreadable('the answer is not the checkout that was asked for')
}

/** The status of a refusal; null: the provider did not refuse. */
function statusOf(answer: ProviderAnswer<JsonObject>): number | null {
  return !answer.ok && answer.failure.kind === 'rejected' ? answer.failure.status : null
}

async function fetchPage({ get }: Provider, page: number): ReturnType<CheckoutList['page']> {
  // 50 is the most on a page (API reference, lists).
  const answer = await get(`/checkouts?per_page=50&page=${page}`)
  if (!answer.ok) return answer
  const value = readPage(answer.value, page)
  return value ? { ok: true, value } : unreadable(`the answer is not page ${page} of a list`)
}

/** The balance is the one resource that every account has and that needs no id. */
async function checkKey({ get }: Provider, live: boolean): Promise<ProviderAnswer<true>> {
  const answer = await get('/balance')
  if (!answer.ok) return answer
  if (answer.value.entity !== 'balance') return unreadable('the answer is not a balance')
  const livemode = readFlag(answer.value.livemode)
  if (livemode === null || livemode === live) return { ok: true, value: true }
  const mode = live ? 'live' : 'test'
  return rejected(200, `the key is for ${mode} money, the address answers for the other mode`)
}

/** 2,000 checkouts at 50 a page, and still under the 60 calls a minute that Laravel allows by default. */
const MOST_PAGES = 40

/** "None" opens another checkout, so it is returned only after all pages that could have it. */
async function searchCheckouts(
  listPage: CheckoutList['page'],
  paymentId: string,
  since: Instant,
): Promise<ProviderAnswer<readonly CheckoutReport[]>> {
  const seen = new Map<string, CheckoutReport>()
  const found = () => [...seen.values()].filter((checkout) => checkout.paymentId === paymentId)
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const answer = await listPage(page)
    // Found checkouts are enough to continue with. An incomplete search proves nothing.
    if (!answer.ok) return found().length > 0 ? { ok: true, value: found() } : answer
    const { checkouts, nextPage } = answer.value
    const known = seen.size
    for (const checkout of checkouts) seen.set(checkout.checkoutId, checkout)
    if (nextPage === null || isAllBefore(checkouts, since - CLOCK_SKEW_MAX))
      return { ok: true, value: found() }
    // The same page again: the list would never end.
    if (seen.size === known) break
  }
  if (found().length > 0) return { ok: true, value: found() }
  return unreadable(`${seen.size} checkouts were read without reaching the instant asked for`)
}
