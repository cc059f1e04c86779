// Which requests make a checkout, and which checkout (Chargily docs, API reference, checkouts/create). Prices
// are looked up and amounts computed here; nothing is saved.
import { type EmulatorContext, newResource } from './context.js'
import { Validator } from './laravel.js'
import { isJsonObject, type Json, type JsonObject } from './php-json.js'
import {
  type CheckoutRecord,
  FEE_ALLOCATIONS,
  type FeeAllocation,
  type LineItem,
  LOCALES,
  PAYMENT_METHODS,
  type PaymentLinkRecord,
} from './records.js'
import { findIn, type Store } from './store.js'

/** In dinars: SATIM settles nothing below. Chargily's refusal has this exact message. */
export const MIN_AMOUNT = 50
/** Chargily docs, API reference, checkouts/expire: 30 minutes. */
const LIFETIME_MS = 30 * 60_000
/** 1250 on 50000 in the documented event, hence 2.5 %; test mode charges nothing. */
const LIVE_FEE_PER_MILLE = 25

/** Throws the 422 of an invalid request. */
export function createCheckout(
  context: EmulatorContext,
  input: JsonObject,
  livemode: boolean,
): CheckoutRecord {
  const { store } = context
  const validator = new Validator(input)
  const items = validator.has('items') ? readLineItems(store, validator, livemode) : []
  const requested = validator.has('items') ? null : readAmount(validator)
  validator.require('success_url')
  const fields = {
    success_url: validator.url('success_url'),
    failure_url: validator.url('failure_url'),
    webhook_endpoint: validator.url('webhook_endpoint'),
    payment_method: validator.choice('payment_method', [...PAYMENT_METHODS, 'chargily_app'] as const),
    locale: validator.choice('locale', LOCALES) ?? 'ar',
    customer_id: readCustomerId(store, validator, livemode),
    pass_fees_to_customer: validator.flag('pass_fees_to_customer'),
  }
  const allocation = validator.choice('chargily_pay_fees_allocation', FEE_ALLOCATIONS)
  const more = {
    description: validator.text('description'),
    shipping_address: validator.text('shipping_address'),
    collect_shipping_address: validator.flag('collect_shipping_address') ?? 0,
    metadata: validator.metadata(),
    discount: readDiscount(validator),
  } as const
  const full = requested ?? sumOf(store, items, livemode)
  const amount = discounted(full, more.discount)
  if (more.discount && full >= MIN_AMOUNT && amount < MIN_AMOUNT)
    validator.addFieldError('amount', `must be greater than or equal to ${MIN_AMOUNT}.`)
  validator.throwIfInvalid()
  return {
    ...newCheckout(context, livemode),
    ...fields,
    ...more,
    ...feesOf(amount, livemode, allocation ?? defaultAllocation(fields.pass_fees_to_customer)),
    payment_link_id: null,
    amount_without_discount: more.discount ? full : null,
    items,
  }
}

/** The checkout that a visit of a payment link opens. */
export function createLinkCheckout(context: EmulatorContext, link: PaymentLinkRecord): CheckoutRecord {
  const { id, livemode, locale, metadata, pass_fees_to_customer, collect_shipping_address, items } = link
  const amount = sumOf(context.store, items, livemode)
  return {
    ...newCheckout(context, livemode),
    ...feesOf(amount, livemode, defaultAllocation(pass_fees_to_customer)),
    success_url: null,
    failure_url: null,
    webhook_endpoint: null,
    payment_method: null,
    locale,
    customer_id: null,
    pass_fees_to_customer,
    description: link.name,
    shipping_address: null,
    collect_shipping_address,
    metadata,
    discount: null,
    payment_link_id: id,
    amount_without_discount: null,
    items,
  }
}

function newCheckout(context: EmulatorContext, livemode: boolean) {
  const expires_at_ms = context.clock.now() + LIFETIME_MS
  const open = { currency: 'dzd', status: 'pending', expires_at_ms, paid_at: null, awaited: null } as const
  return { ...newResource(context, livemode), ...open }
}

function feesOf(amount: number, livemode: boolean, allocation: FeeAllocation) {
  const fees = livemode ? Math.round((amount * LIVE_FEE_PER_MILLE) / 1000) : 0
  // An odd dinar of a split falls on the merchant.
  const share = { customer: fees, merchant: 0, split: Math.floor(fees / 2) }
  const fees_on_customer = share[allocation]
  const fees_on_merchant = fees - fees_on_customer
  return { amount, fees, fees_on_customer, fees_on_merchant, chargily_pay_fees_allocation: allocation }
}

function defaultAllocation(passFeesToCustomer: 0 | 1 | null): FeeAllocation {
  return passFeesToCustomer === 0 ? 'merchant' : 'customer'
}

function sumOf(store: Store, items: readonly LineItem[], livemode: boolean): number {
  const amountOf = (id: string) => findIn(store.prices, id, livemode)?.amount ?? 0
  return items.reduce((sum, { price_id, quantity }) => sum + amountOf(price_id) * quantity, 0)
}

function readAmount(validator: Validator): number {
  for (const field of ['amount', 'currency'])
    if (!validator.has(field)) validator.addFieldError(field, 'is required when items is not present.')
  validator.choice('currency', ['dzd'])
  return validator.integer('amount', MIN_AMOUNT, 'gte') ?? 0
}

function readCustomerId(store: Store, validator: Validator, livemode: boolean): string | null {
  const id = validator.text('customer_id')
  const isKnown = id === null || findIn(store.customers, id, livemode) !== undefined
  return isKnown ? id : validator.addError('customer_id', 'The selected customer id is invalid.')
}

function readDiscount(validator: Validator): CheckoutRecord['discount'] {
  if (validator.has('percentage_discount') && validator.has('amount_discount')) {
    validator.addFieldError('percentage_discount', 'is prohibited when amount discount is present.')
    validator.addFieldError('amount_discount', 'is prohibited when percentage discount is present.')
  }
  const percentage = validator.integer('percentage_discount', 1)
  const amount = validator.integer('amount_discount', 1)
  if (percentage !== null && percentage > 100)
    validator.addFieldError('percentage_discount', 'must not be greater than 100.')
  if (percentage !== null) return { type: 'percentage', value: percentage }
  return amount === null ? null : { type: 'amount', value: amount }
}

/** A percentage is rounded to the nearest dinar: how Chargily rounds is not documented. */
function discounted(full: number, discount: CheckoutRecord['discount']): number {
  if (discount === null) return full
  return full - (discount.type === 'amount' ? discount.value : Math.round((full * discount.value) / 100))
}

/** The `items` of checkouts and payment links: known prices, in quantities of at least one. */
export function readLineItems(store: Store, validator: Validator, livemode: boolean): LineItem[] {
  const items = validator.list('items')
  if (items?.length === 0) validator.addFieldError('items', 'is required.')
  return (items ?? []).map((item, index) => {
    const fieldOf = (name: string) => `items.${index}.${name}`
    const line = new Validator(withDots(item, fieldOf), validator)
    const [price, quantity] = [fieldOf('price'), fieldOf('quantity')]
    line.require(price)
    line.require(quantity)
    const price_id = line.text(price) ?? ''
    if (price_id !== '' && !findIn(store.prices, price_id, livemode))
      line.addError(price, `The selected ${price} is invalid.`)
    return {
      price_id,
      quantity: line.integer(quantity, 1) ?? 0,
      adjustable_quantity: line.flag(fieldOf('adjustable_quantity')) ?? 0,
    }
  })
}

/** The members under the names that Laravel's messages give them, such as `items.0.price`. */
function withDots(item: Json, fieldOf: (name: string) => string): JsonObject {
  const members = isJsonObject(item) ? Object.entries(item) : []
  return Object.fromEntries(members.map(([name, value]) => [fieldOf(name), value]))
}
