// The body of an event in one of two dialects: as captured in 2026, and as documented. They disagree on half
// the fields.
import { checkoutFields, withOverrides } from './api-json.js'
import type { EmulatorContext } from './context.js'
import { encodePhpJson, type JsonObject, objectInMysqlOrder } from './php-json.js'
import type { CheckoutRecord, EventType } from './records.js'

export interface CheckoutEvent {
  readonly id: string
  readonly type: EventType
  /** Seconds since the epoch. */
  readonly at: number
  readonly livemode: boolean
  /** The checkout's fields. */
  readonly data: JsonObject
}

/** The exact bytes of an event. */
export function encodeEvent({ dialect }: Pick<EmulatorContext, 'dialect'>, event: CheckoutEvent): string {
  return dialect === 'docs' ? encodeDocsEvent(event) : encodeWireEvent(event)
}

/** As captured in May 2026: boolean mode at both levels, `data` in the order of a MySQL JSON column. */
export function encodeWireEvent({ id, type, at, livemode, data }: CheckoutEvent): string {
  const times = { created_at: at, updated_at: at }
  return encodePhpJson({ id, entity: 'event', type, data: objectInMysqlOrder(data), ...times, livemode })
}

/** As documented (Webhooks page): the mode is a string, and once only. */
function encodeDocsEvent({ id, type, at, livemode, data }: CheckoutEvent): string {
  const times = { created_at: at, updated_at: at }
  return encodePhpJson({ id, entity: 'event', livemode: String(livemode), type, data, ...times })
}

export function eventData(context: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  const data = context.dialect === 'docs' ? docsData(context, checkout) : wireData(context, checkout)
  return withOverrides(checkout, data)
}

function wireData(context: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  const fields = checkoutFields(context, checkout)
  return {
    ...fields,
    account: accountJson(context, checkout),
    earnings_consumed: 0,
    fulfillment_status: 'unfulfilled',
    notification_status: 'pending',
    deposit_transaction_id: null,
    paid_checkouts_consumed: 0,
    // The capture shows 0 here where the API shows null.
    amount_without_discount: checkout.amount_without_discount ?? 0,
    // The capture shows the plain scheme even for the page that is served over TLS.
    checkout_url: fields.checkout_url.replace(/^https:/, 'http:'),
  }
}

/** The order of the documented sample, whose last field is `url`. */
const DOCS_FIELDS = [
  ...([
    'id',
    'entity',
    'fees',
    'amount',
    'locale',
    'status',
    'metadata',
    'created_at',
    'invoice_id',
  ] as const),
  ...(['updated_at', 'customer_id', 'description', 'failure_url', 'success_url', 'payment_method'] as const),
  ...(['payment_link_id', 'pass_fees_to_customer', 'chargily_pay_fees_allocation'] as const),
  ...(['shipping_address', 'collect_shipping_address', 'discount', 'amount_without_discount'] as const),
]

function docsData(context: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  const fields = checkoutFields(context, checkout)
  const data = Object.fromEntries(DOCS_FIELDS.map((name) => [name, fields[name]]))
  return { ...data, url: fields.checkout_url }
}

/** On the wire but not documented: the merchant's documents. All empty here. */
function accountJson(context: EmulatorContext, { livemode }: CheckoutRecord): JsonObject {
  return {
    id: '01hf7ms00000000000000acct1',
    nif: '000000000000000',
    nis: '000000000000000',
    logo: null,
    mode: livemode ? 'live' : 'test',
    name: context.merchantName,
    listed: true,
    status: 'active',
    address: null,
    website: null,
    featured: false,
    latitude: null,
    longitude: null,
    created_at: '2023-11-14T22:13:20.000000Z',
    store_type: 'online',
    updated_at: '2023-11-14T22:13:20.000000Z',
    company_name: context.merchantName,
    legal_status: null,
    store_photos: [],
    support_phone: null,
    trade_register: '00/00-0000000 B 00',
    store_categories: [],
    webhook_endpoint: context.webhookEndpoint,
    satim_credentials: null,
    verification_status: 'unverified',
  }
}
