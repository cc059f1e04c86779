// Reads what Chargily says of a checkout, in three dialects: the API's answer, the documented event, and the
// event as it is really sent. Unknown fields, such as `account`, are ignored. Money is read strictly and all
// else tolerantly. Unreadable values are null, and nothing throws.
import { type CheckoutReport, type CheckoutStatus, PAYMENT_PURPOSES } from '../../../core/checkout.js'
import { type Instant, SECOND } from '../../../core/instant.js'
import type { CheckoutPage, NoEvent, ProviderEvent } from '../../../ledger/method.js'

/** The name of this method in payments and events. */
export const METHOD = 'chargily'

/** Our values in Chargily's metadata. A purchase has no `kind`, and only one with a code has the last two. */
export type OurMetadata = Partial<
  Record<'payment_id' | 'user_id' | 'kind' | 'plan_id' | 'months' | 'code_hash' | 'discount', string>
>

/** Null: not a checkout. `envelope`: what the event around it says, for fields that the checkout lacks. */
export function readCheckout(
  value: unknown,
  envelope: { live: boolean | null; updatedAt: Instant | null } = { live: null, updatedAt: null },
): CheckoutReport | null {
  if (!isObject(value) || (value.entity !== undefined && value.entity !== 'checkout')) return null
  const checkoutId = readShortText(value.id)
  if (checkoutId === null) return null
  const ours = (key: keyof OurMetadata) => readMetadata(value.metadata, key)
  const kind = PAYMENT_PURPOSES.find((purpose) => purpose === ours('kind'))
  const planId = ours('plan_id')
  const months = readAmount(ours('months'))
  const fees = readFees(value)
  const [hash, discount] = [ours('code_hash'), readAmount(ours('discount'))]
  return {
    method: METHOD,
    checkoutId,
    status: readStatus(value.status),
    amount: readAmount(value.amount),
    currency: readShortText(value.currency)?.toUpperCase() ?? null,
    live: readFlag(value.livemode) ?? envelope.live,
    paymentId: ours('payment_id'),
    userId: ours('user_id'),
    ...(kind !== undefined && { kind }),
    ...(planId !== null && { planId }),
    ...(months !== null && { months }),
    ...(hash !== null && discount !== null && { code: { hash, discount } }),
    instrument: readShortText(value.payment_method)?.toLowerCase() ?? null,
    // The API calls it `checkout_url`, the documented event `url`.
    checkoutUrl: readCheckoutUrl(value.checkout_url) ?? readCheckoutUrl(value.url),
    ...(fees !== null && { fees }),
    createdAt: readUnixSeconds(value.created_at),
    updatedAt: readUnixSeconds(value.updated_at) ?? envelope.updatedAt,
  }
}

/** The signature of the bytes is already verified. */
export function readEvent(body: Uint8Array): ProviderEvent | NoEvent {
  const value = parseJsonBytes(body)
  if (value === undefined) return 'malformed_json'
  if (!isObject(value) || value.entity !== 'event') return 'event_without_checkout'
  const id = readShortText(value.id)
  const type = readShortText(value.type)
  if (id === null || type === null) return 'event_without_checkout'
  const createdAt = readUnixSeconds(value.created_at)
  const envelope = {
    live: readFlag(value.livemode),
    updatedAt: readUnixSeconds(value.updated_at) ?? createdAt,
  }
  const report = readCheckout(value.data, envelope)
  if (report === null && type.startsWith('checkout.')) return 'event_without_checkout'
  return { id, type, report, createdAt }
}

/** Null: not page number `page` of a list. Checkouts without an id are left out. */
export function readPage(value: unknown, page: number): CheckoutPage | null {
  if (!isObject(value) || !Array.isArray(value.data)) return null
  // A server that repeats a page would be read for ever.
  if ((readAmount(value.current_page) ?? page) !== page) return null
  const checkouts = value.data.map((item) => readCheckout(item)).filter((report) => report !== null)
  // `next_page_url` is only tested: the key is never sent to an address from an answer.
  const hasMore = typeof value.next_page_url === 'string' || (readAmount(value.last_page) ?? 0) > page
  return { checkouts, nextPage: hasMore && value.data.length > 0 ? page + 1 : null }
}

/** The merchant's fees, also if they are in the field for all: we order that the merchant pays them. */
function readFees(checkout: JsonObject): number | null {
  const onMerchant = readAmount(checkout.fees_on_merchant)
  if (onMerchant !== null) return onMerchant
  const paidBy = readShortText(checkout.chargily_pay_fees_allocation) ?? 'merchant'
  if (paidBy === 'customer') return 0
  return paidBy === 'merchant' ? readAmount(checkout.fees) : null
}

const STATUSES: readonly CheckoutStatus[] = ['pending', 'processing', 'paid', 'failed', 'canceled', 'expired']

function readStatus(value: unknown): CheckoutStatus {
  const word = readShortText(value)?.toLowerCase()
  return STATUSES.find((status) => status === word) ?? 'unknown'
}

/** The documentation shows an array (`[{}]`), the API an object. Empty, it is `[]`, `{}` or null. */
function readMetadata(metadata: unknown, key: string): string | null {
  const entries: readonly unknown[] = Array.isArray(metadata) ? metadata : [metadata]
  for (const entry of entries) {
    const text = isObject(entry) ? readShortText(entry[key]) : null
    if (text !== null) return text
  }
  return null
}

/** The payment page takes card passwords: https at Chargily, although its events say `http://`. */
function readCheckoutUrl(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null
  const url = new URL(value)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  if (url.hostname === 'pay.chargily.dz' && url.port === '') url.protocol = 'https:'
  return url.href
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON value in these bytes, or undefined: malformed UTF-8 is refused, not repaired. */
export function parseJsonBytes(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // Both throw only if this is not JSON. The caller decides what follows.
    return undefined
  }
}

/** No control characters (PostgreSQL stores no NUL), no half surrogates; ids and words are shorter. */
const SHORT_TEXT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

export function readShortText(value: unknown): string | null {
  return typeof value === 'string' && SHORT_TEXT.test(value) ? value : null
}

/** Whole dinars, also as text (the WooCommerce plugin). `"2000.5"`, `"1e3"` and `-1` are refused. */
export function readAmount(value: unknown): number | null {
  const amount = typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value) ? Number(value) : value
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0 ? amount : null
}

/** Booleans come as `false`, as `0` and, in the documented event, as `"false"`, which is truthy. */
export function readFlag(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}

/** The end of the year 9999 in seconds. Milliseconds sent by mistake lie beyond it. */
const LAST_SECOND = 253_402_300_799

/** Unix seconds (Chargily API reference, every object). */
export function readUnixSeconds(value: unknown): Instant | null {
  const seconds = readAmount(value)
  return seconds !== null && seconds > 0 && seconds <= LAST_SECOND ? seconds * SECOND : null
}
