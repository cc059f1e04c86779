// The `items` of checkouts and payment links: prices that exist, in quantities that make sense.
import type { EmulatorContext } from './context.js'
import { Form } from './laravel.js'
import { isJsonObject, type Json } from './php-json.js'
import type { LineItem } from './records.js'

export function readLineItems(desk: EmulatorContext, form: Form, livemode: boolean): LineItem[] {
  const items = form.list('items')
  if (items?.length === 0) form.complainThat('items', 'is required.')
  return (items ?? []).map((item, index) => readLineItem(desk, form, item, { index, livemode }))
}

function readLineItem(
  desk: EmulatorContext,
  form: Form,
  item: Json,
  at: { index: number; livemode: boolean },
): LineItem {
  const field = (name: string) => `items.${at.index}.${name}`
  const members = isJsonObject(item) ? Object.entries(item) : []
  const dotted = Object.fromEntries(members.map(([name, value]) => [field(name), value]))
  const line = new Form(dotted, form)
  line.require(field('price'))
  line.require(field('quantity'))
  const price_id = line.text(field('price')) ?? ''
  if (price_id !== '' && !desk.store.prices.find(price_id, at.livemode))
    line.complain(field('price'), `The selected ${field('price')} is invalid.`)
  return {
    price_id,
    quantity: line.integer(field('quantity'), 1) ?? 0,
    adjustable_quantity: line.flag(field('adjustable_quantity')) ?? 0,
  }
}
