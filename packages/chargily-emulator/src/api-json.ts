// The resources as the API shows them: names, order and types of the fields as in Chargily's API reference.
import type { EmulatorContext } from './context.js'
import type { Json, JsonObject } from './php-json.js'
import type {
  CheckoutRecord,
  CustomerRecord,
  LineItem,
  PaymentLinkRecord,
  PriceRecord,
  ProductRecord,
} from './records.js'

export function checkoutJson(context: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  const url = checkoutUrl(context, checkout)
  // Only checkouts for Chargily's own app have a code to scan.
  const code = checkout.payment_method === 'chargily_app' ? { qr_code_url: `${url}?qr=1` } : {}
  return withOverrides(checkout, { ...checkoutFields(context, checkout), ...code })
}

export function checkoutFields(context: EmulatorContext, checkout: CheckoutRecord) {
  return {
    id: checkout.id,
    entity: 'checkout',
    livemode: checkout.livemode,
    amount: checkout.amount,
    currency: checkout.currency,
    fees: checkout.fees,
    fees_on_merchant: checkout.fees_on_merchant,
    fees_on_customer: checkout.fees_on_customer,
    pass_fees_to_customer: checkout.pass_fees_to_customer,
    chargily_pay_fees_allocation: checkout.chargily_pay_fees_allocation,
    status: checkout.status,
    locale: checkout.locale,
    description: checkout.description,
    metadata: checkout.metadata,
    success_url: checkout.success_url,
    failure_url: checkout.failure_url,
    webhook_endpoint: checkout.webhook_endpoint,
    payment_method: checkout.payment_method,
    invoice_id: null,
    customer_id: checkout.customer_id,
    payment_link_id: checkout.payment_link_id,
    created_at: checkout.created_at,
    updated_at: checkout.updated_at,
    shipping_address: checkout.shipping_address,
    collect_shipping_address: checkout.collect_shipping_address,
    discount: checkout.discount,
    amount_without_discount: checkout.amount_without_discount,
    checkout_url: checkoutUrl(context, checkout),
  }
}

/** The fields with those replaced that the fault `false_checkout` has made false; it adds none. */
export function withOverrides({ said = {} }: CheckoutRecord, fields: JsonObject): JsonObject {
  const overridden = Object.entries(said).filter(([name]) => Object.hasOwn(fields, name))
  return { ...fields, ...Object.fromEntries(overridden) }
}

/** Computed, not stored: after a restart the emulator may listen elsewhere. */
export function checkoutUrl({ publicUrl }: EmulatorContext, { id, livemode }: CheckoutRecord): string {
  return `${publicUrl()}${modePath(livemode)}/checkouts/${id}/pay`
}

export function modePath(livemode: boolean): '' | '/test' {
  return livemode ? '' : '/test'
}

export function customerJson(customer: CustomerRecord): JsonObject {
  const { id, livemode, name, email, phone, address, ...rest } = customer
  return { id, entity: 'customer', livemode, name, email, phone, address, ...timesOf(rest) }
}

export function productJson(product: ProductRecord): JsonObject {
  const { id, livemode, name, description, images, ...rest } = product
  // Missing metadata is an empty array in this kind and in payment links, and null in the others.
  const shown = { ...timesOf(rest), metadata: product.metadata ?? [] }
  return { id, entity: 'product', livemode, name, description, images: [...images], ...shown }
}

export function priceJson({ id, livemode, amount, currency, product_id, ...rest }: PriceRecord): JsonObject {
  return { id, entity: 'price', livemode, amount, currency, ...timesOf(rest), product_id }
}

export function paymentLinkJson({ publicUrl }: EmulatorContext, link: PaymentLinkRecord): JsonObject {
  return {
    id: link.id,
    entity: 'payment_link',
    livemode: link.livemode,
    name: link.name,
    active: link.active,
    after_completion_message: link.after_completion_message,
    locale: link.locale,
    pass_fees_to_customer: link.pass_fees_to_customer,
    ...timesOf(link),
    metadata: link.metadata ?? [],
    collect_shipping_address: link.collect_shipping_address,
    url: `${publicUrl()}${modePath(link.livemode)}/payment-links/${link.id}`,
  }
}

/** A line of a checkout or of a payment link is its price with a quantity, and does not show the mode. */
export function lineJson(price: PriceRecord, line: LineItem, isAdjustable: boolean): JsonObject {
  const { id, amount, currency, product_id } = price
  const adjustable = isAdjustable ? { adjustable_quantity: line.adjustable_quantity } : {}
  const { quantity } = line
  return { id, entity: 'price', amount, quantity, ...adjustable, currency, ...timesOf(price), product_id }
}

/** Lists of customers, prices and payment links show the mode in the envelope only. */
export function withoutLivemode({ livemode: _, ...rest }: JsonObject): JsonObject {
  return rest
}

/** The fields that end most resources, in their order. */
function timesOf({
  metadata,
  created_at,
  updated_at,
}: {
  metadata: Json
  created_at: number
  updated_at: number
}) {
  return { metadata, created_at, updated_at }
}
