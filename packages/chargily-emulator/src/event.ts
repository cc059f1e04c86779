// The events as they leave: the snapshot of a checkout, written in one of the two dialects, and its signature.
// A captured event of 2026 and Chargily's documentation disagree on half the fields, so both are spoken.

import { asSaid, checkoutUrl } from './api-json.js'
import type { EmulatorContext } from './context.js'
import { encodePhpJson, type Json, type JsonObject, objectInMysqlOrder } from './php-json.js'
import type { CheckoutRecord, EventType } from './records.js'

export interface EventFacts {
  readonly id: string
  readonly type: EventType
  /** Seconds since the epoch. */
  readonly at: number
  readonly livemode: boolean
  /** The checkout's fields, in any order: each dialect brings its own. */
  readonly data: JsonObject
}

/** The exact bytes of an event. */
export function encodeEvent(desk: Pick<EmulatorContext, 'dialect'>, event: EventFacts): string {
  return desk.dialect === 'docs' ? encodeDocsEvent(event) : encodeWireEvent(event)
}

/** As captured in May 2026: boolean mode at both levels, `data` in the order of a MySQL JSON column. */
export function encodeWireEvent({ id, type, at, livemode, data }: EventFacts): string {
  const ordered = objectInMysqlOrder(data)
  const event = { id, entity: 'event', type, data: ordered, created_at: at, updated_at: at, livemode }
  return encodePhpJson(event)
}

/** As documented (Webhooks page): the mode is a string, and once only. */
function encodeDocsEvent({ id, type, at, livemode, data }: EventFacts): string {
  const event = {
    id,
    entity: 'event',
    livemode: String(livemode),
    type,
    data,
    created_at: at,
    updated_at: at,
  }
  return encodePhpJson(event)
}

export function eventData(desk: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  return asSaid(checkout, desk.dialect === 'docs' ? docsData(desk, checkout) : wireData(desk, checkout))
}

function wireData(desk: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  return {
    ...commonData(checkout),
    account: accountBlock(desk, checkout),
    currency: checkout.currency,
    livemode: checkout.livemode,
    webhook_endpoint: checkout.webhook_endpoint,
    fees_on_customer: checkout.fees_on_customer,
    fees_on_merchant: checkout.fees_on_merchant,
    earnings_consumed: 0,
    fulfillment_status: 'unfulfilled',
    notification_status: 'pending',
    deposit_transaction_id: null,
    paid_checkouts_consumed: 0,
    // The capture shows 0 here where the API shows null.
    amount_without_discount: checkout.amount_without_discount ?? 0,
    // The capture shows the plain scheme even for the page that is served over TLS.
    checkout_url: checkoutUrl(desk, checkout).replace(/^https:/, 'http:'),
  }
}

/** In the order of the documented sample. */
function docsData(desk: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  return {
    ...commonData(checkout),
    amount_without_discount: checkout.amount_without_discount,
    url: checkoutUrl(desk, checkout),
  }
}

function commonData(checkout: CheckoutRecord): Record<string, Json> {
  return {
    id: checkout.id,
    entity: 'checkout',
    fees: checkout.fees,
    amount: checkout.amount,
    locale: checkout.locale,
    status: checkout.status,
    metadata: checkout.metadata,
    created_at: checkout.created_at,
    invoice_id: null,
    updated_at: checkout.updated_at,
    customer_id: checkout.customer_id,
    description: checkout.description,
    failure_url: checkout.failure_url,
    success_url: checkout.success_url,
    payment_method: checkout.payment_method,
    payment_link_id: checkout.payment_link_id,
    pass_fees_to_customer: checkout.pass_fees_to_customer,
    chargily_pay_fees_allocation: checkout.chargily_pay_fees_allocation,
    shipping_address: checkout.shipping_address,
    collect_shipping_address: checkout.collect_shipping_address,
    discount: checkout.discount && { ...checkout.discount },
  }
}

/** Undocumented, but on the wire: the merchant's papers. All empty here, so that a leak shows without harm. */
function accountBlock(desk: EmulatorContext, { livemode }: CheckoutRecord): JsonObject {
  return {
    id: '01hf7ms00000000000000acct1',
    nif: '000000000000000',
    nis: '000000000000000',
    logo: null,
    mode: livemode ? 'live' : 'test',
    name: desk.merchantName,
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
    company_name: desk.merchantName,
    legal_status: null,
    store_photos: [],
    support_phone: null,
    trade_register: '00/00-0000000 B 00',
    store_categories: [],
    webhook_endpoint: desk.webhookEndpoint,
    satim_credentials: null,
    verification_status: 'unverified',
  }
}
