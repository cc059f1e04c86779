// The resources as the API shows them: field names, order and types of Chargily's reference (API reference, the
// object pages). It reads records and makes JSON; nothing here decides anything.
import type { EmulatorContext } from './context.js'
import type { JsonObject } from './php-json.js'
import type {
  CheckoutRecord,
  CustomerRecord,
  LineItem,
  PaymentLinkRecord,
  PriceRecord,
  ProductRecord,
} from './records.js'

export function wireCheckout(desk: EmulatorContext, checkout: CheckoutRecord): JsonObject {
  const url = checkoutUrl(desk, checkout)
  return asSaid(checkout, {
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
    discount: checkout.discount && { ...checkout.discount },
    amount_without_discount: checkout.amount_without_discount,
    checkout_url: url,
    // Only the app's own checkouts carry a code to scan.
    ...(checkout.payment_method === 'chargily_app' && { qr_code_url: `${url}?qr=1` }),
  })
}

/** The fields, with the false ones in the places of the true. */
export function asSaid({ said }: CheckoutRecord, fields: JsonObject): JsonObject {
  if (!said) return fields
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Object.hasOwn(said, name) ? (said[name] ?? null) : value]),
  )
}

/** Computed, not kept: after a restart the emulator may listen elsewhere. */
export function checkoutUrl(desk: EmulatorContext, checkout: CheckoutRecord): string {
  return `${desk.publicUrl()}${modePath(checkout.livemode)}/checkouts/${checkout.id}/pay`
}

export function modePath(livemode: boolean): '' | '/test' {
  return livemode ? '' : '/test'
}

export function wireCustomer(customer: CustomerRecord): JsonObject {
  const { id, livemode, name, email, phone, address, metadata, created_at, updated_at } = customer
  return {
    id,
    entity: 'customer',
    livemode,
    name,
    email,
    phone,
    address,
    metadata,
    created_at,
    updated_at,
  }
}

export function wireProduct(product: ProductRecord): JsonObject {
  const { id, livemode, name, description, metadata, created_at, updated_at } = product
  const images = [...product.images]
  // The only two kinds whose missing metadata is an empty array are this one and payment links.
  const extra = metadata ?? []
  return {
    id,
    entity: 'product',
    livemode,
    name,
    description,
    images,
    metadata: extra,
    created_at,
    updated_at,
  }
}

export function wirePrice(price: PriceRecord): JsonObject {
  const { id, livemode, amount, currency, metadata, created_at, updated_at, product_id } = price
  return { id, entity: 'price', livemode, amount, currency, metadata, created_at, updated_at, product_id }
}

export function wirePaymentLink(desk: EmulatorContext, link: PaymentLinkRecord): JsonObject {
  return {
    id: link.id,
    entity: 'payment_link',
    livemode: link.livemode,
    name: link.name,
    active: link.active,
    after_completion_message: link.after_completion_message,
    locale: link.locale,
    pass_fees_to_customer: link.pass_fees_to_customer,
    metadata: link.metadata ?? [],
    created_at: link.created_at,
    updated_at: link.updated_at,
    collect_shipping_address: link.collect_shipping_address,
    url: `${desk.publicUrl()}${modePath(link.livemode)}/payment-links/${link.id}`,
  }
}

/** A line of a checkout or of a payment link is its price with a quantity, and says nothing of the mode. */
export function wireLine(price: PriceRecord, line: LineItem, adjustable: boolean): JsonObject {
  return {
    id: price.id,
    entity: 'price',
    amount: price.amount,
    quantity: line.quantity,
    ...(adjustable && { adjustable_quantity: line.adjustable_quantity }),
    currency: price.currency,
    metadata: price.metadata,
    created_at: price.created_at,
    updated_at: price.updated_at,
    product_id: price.product_id,
  }
}

/** Lists of customers, prices and payment links leave the mode to the envelope. */
export function withoutLivemode({ livemode: _, ...rest }: JsonObject): JsonObject {
  return rest
}

export function wireDeleted(kind: string, id: string, livemode: boolean): JsonObject {
  return { livemode, id, entity: kind, deleted: true }
}
