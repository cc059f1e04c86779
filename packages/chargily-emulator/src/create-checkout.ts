// POST /checkouts: which requests make a checkout, and which checkout they make (Chargily docs, API reference,
// checkouts/create). Prices are looked up and sums are done here; nothing is saved.
import { secondsOf } from './clock.js'
import { type EmulatorContext, newId } from './context.js'
import { Form } from './laravel.js'
import { readLineItems } from './line-items.js'
import type { JsonObject } from './php-json.js'
import {
  type CheckoutRecord,
  FEE_ALLOCATIONS,
  type FeeAllocation,
  type LineItem,
  LOCALES,
  PAYMENT_METHODS,
} from './records.js'

/** SATIM settles nothing below 50 dinars; the sentence of the refusal is known to the letter. */
export const MIN_AMOUNT = 50
/** Chargily docs, API reference, checkouts/expire: 30 minutes. */
const LIFETIME_MS = 30 * 60_000
/** 1250 on 50000 in the documented event, hence 2.5 %; test mode charges nothing. */
const LIVE_FEE_PER_MILLE = 25

export function checkoutFrom(desk: EmulatorContext, input: JsonObject, livemode: boolean): CheckoutRecord {
  const form = new Form(input)
  const items = form.has('items') ? readLineItems(desk, form, livemode) : []
  const asked = form.has('items') ? null : readAmount(form)
  form.require('success_url')
  const links = {
    success_url: form.url('success_url'),
    failure_url: form.url('failure_url'),
    webhook_endpoint: form.url('webhook_endpoint'),
  }
  const payment_method = form.choice('payment_method', [...PAYMENT_METHODS, 'chargily_app'] as const)
  const locale = form.choice('locale', LOCALES) ?? 'ar'
  const customer_id = readCustomer(desk, form, livemode)
  const pass_fees_to_customer = form.flag('pass_fees_to_customer')
  const allocation = form.choice('chargily_pay_fees_allocation', FEE_ALLOCATIONS)
  const words = { description: form.text('description'), shipping_address: form.text('shipping_address') }
  const collect_shipping_address = form.flag('collect_shipping_address') ?? 0
  const metadata = form.metadata()
  const discount = readDiscount(form)
  const full = asked ?? sumOf(desk, items, livemode)
  const amount = discounted(full, discount)
  if (discount && full >= MIN_AMOUNT && amount < MIN_AMOUNT) complainOfAmount(form)
  form.refuseIfWrong()
  return {
    ...newCheckout(desk, livemode),
    ...links,
    ...words,
    ...feesOf(amount, livemode, allocation ?? (pass_fees_to_customer === 0 ? 'merchant' : 'customer')),
    amount,
    pass_fees_to_customer,
    locale,
    metadata,
    payment_method,
    customer_id,
    collect_shipping_address,
    discount,
    amount_without_discount: discount ? full : null,
    items,
  }
}

/** What is the same in every new checkout, whoever asks for it. */
export function newCheckout(desk: EmulatorContext, livemode: boolean) {
  const nowMs = desk.clock.now()
  return {
    id: newId(desk),
    livemode,
    currency: 'dzd',
    status: 'pending',
    payment_link_id: null,
    created_at: secondsOf(nowMs),
    updated_at: secondsOf(nowMs),
    expires_at_ms: nowMs + LIFETIME_MS,
    paid_at: null,
    awaited: null,
  } as const
}

export function feesOf(amount: number, livemode: boolean, allocation: FeeAllocation) {
  const fees = livemode ? Math.round((amount * LIVE_FEE_PER_MILLE) / 1000) : 0
  // An odd dinar of a split falls on the merchant.
  const share = { customer: fees, merchant: 0, split: Math.floor(fees / 2) }
  const fees_on_customer = share[allocation]
  return {
    fees,
    fees_on_customer,
    fees_on_merchant: fees - fees_on_customer,
    chargily_pay_fees_allocation: allocation,
  }
}

export function sumOf(desk: EmulatorContext, items: readonly LineItem[], livemode: boolean): number {
  return items.reduce((sum, { price_id, quantity }) => {
    return sum + (desk.store.prices.find(price_id, livemode)?.amount ?? 0) * quantity
  }, 0)
}

function readAmount(form: Form): number {
  for (const field of ['amount', 'currency'])
    if (!form.has(field)) form.complainThat(field, 'is required when items is not present.')
  form.choice('currency', ['dzd'])
  return form.integer('amount', MIN_AMOUNT, 'gte') ?? 0
}

function complainOfAmount(form: Form): void {
  form.complainThat('amount', `must be greater than or equal to ${MIN_AMOUNT}.`)
}

function readCustomer(desk: EmulatorContext, form: Form, livemode: boolean): string | null {
  const id = form.text('customer_id')
  const isKnown = id === null || desk.store.customers.find(id, livemode) !== undefined
  return isKnown ? id : form.complain('customer_id', 'The selected customer id is invalid.')
}

function readDiscount(form: Form): CheckoutRecord['discount'] {
  if (form.has('percentage_discount') && form.has('amount_discount')) {
    form.complainThat('percentage_discount', 'is prohibited when amount discount is present.')
    form.complainThat('amount_discount', 'is prohibited when percentage discount is present.')
  }
  const percentage = form.integer('percentage_discount', 1)
  const amount = form.integer('amount_discount', 1)
  if (percentage !== null && percentage > 100)
    form.complainThat('percentage_discount', 'must not be greater than 100.')
  if (percentage !== null) return { type: 'percentage', value: percentage }
  return amount === null ? null : { type: 'amount', value: amount }
}

/** A percentage is rounded to the dinar nearest to it: how Chargily scheduler is not documented. */
function discounted(full: number, discount: CheckoutRecord['discount']): number {
  if (discount === null) return full
  const off = discount.type === 'amount' ? discount.value : Math.round((full * discount.value) / 100)
  return full - off
}
