// Customers, products, prices and payment links (Chargily docs, API reference). All are created, read, listed
// and updated in one way; updates are POST. Only customers and products can be deleted.
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  customerJson,
  lineJson,
  paymentLinkJson,
  priceJson,
  productJson,
  withoutLivemode,
} from './api-json.js'
import { newResource } from './context.js'
import { MIN_AMOUNT, readLineItems } from './create-checkout.js'
import { Validator } from './laravel.js'
import { isJsonObject, type JsonObject } from './php-json.js'
import { type CustomerRecord, EMPTY_CUSTOMER, LOCALES, type PriceRecord, type Resource } from './records.js'
import { type ApiContext, type ById, findOr404, inputOf, listOf, sendJson } from './routes.js'
import { type Change, findIn, newestFirst, type Table } from './store.js'

interface ResourceKind<Record extends Resource> {
  readonly path: string
  readonly table: Table<Record>
  create(input: JsonObject): Record
  update(input: JsonObject): Partial<Record>
  /** Returns the change that stores the record. */
  put(record: Record): Change
  toJson(record: Record): JsonObject
  /** Default: `toJson`. */
  toJsonInList?(record: Record): JsonObject
}

function resourceRoutes<Record extends Resource>(
  app: FastifyInstance,
  context: ApiContext,
  { path, table, create, update, put, toJson, toJsonInList = toJson }: ResourceKind<Record>,
): void {
  const { store, clock, livemode } = context
  const save = (reply: FastifyReply, record: Record) => {
    store.commit([put(record)])
    return sendJson(reply, toJson(record))
  }
  app.post(path, async (request, reply) => save(reply, create(inputOf(request))))
  app.get(path, async (request, reply) =>
    sendJson(reply, listOf(context, request, newestFirst(table, livemode), toJsonInList)),
  )
  app.get<ById>(`${path}/:id`, async ({ params }, reply) =>
    sendJson(reply, toJson(findOr404(table, params.id, livemode))),
  )
  app.post<ById>(`${path}/:id`, async (request, reply) => {
    const record = findOr404(table, request.params.id, livemode)
    return save(reply, { ...record, ...update(inputOf(request)), updated_at: clock.nowSeconds() })
  })
}

function deleteRoute(app: FastifyInstance, { store, livemode }: ApiContext, table: 'customers' | 'products') {
  app.delete<ById>(`/${table}/:id`, async ({ params }, reply) => {
    const { id } = findOr404<Resource>(store[table], params.id, livemode)
    store.commit([{ remove: { table, id } }])
    return sendJson(reply, { livemode, id, entity: table.slice(0, -1), deleted: true })
  })
}

export function customerRoutes(app: FastifyInstance, context: ApiContext): void {
  resourceRoutes(app, context, {
    path: '/customers',
    table: context.store.customers,
    create: (input) => ({
      ...EMPTY_CUSTOMER,
      ...readCustomer(input),
      ...newResource(context, context.livemode),
    }),
    update: readCustomer,
    put: (customers) => ({ put: { customers } }),
    toJson: customerJson,
    toJsonInList: (customer) => withoutLivemode(customerJson(customer)),
  })
  deleteRoute(app, context, 'customers')
}

function readCustomer(input: JsonObject): Partial<CustomerRecord> {
  const validator = new Validator(input)
  const fields = {
    name: validator.text('name'),
    email: validator.text('email'),
    phone: validator.text('phone'),
    address: readAddress(validator),
    metadata: validator.metadata(),
  }
  if (fields.email !== null && !/^[^@\s]+@[^@\s]+$/.test(fields.email))
    validator.addFieldError('email', 'must be a valid email address.')
  return validator.present(fields)
}

function readAddress(validator: Validator): JsonObject | null {
  const address = validator.input.address ?? null
  if (address === null) return null
  if (!isJsonObject(address)) return validator.addFieldError('address', 'must be an array.')
  const part = (name: string) => address[name] ?? null
  return { country: part('country'), state: part('state'), address: part('address') }
}

/** Chargily docs, API reference, products/create. */
const MAX_IMAGES = 8
const EMPTY_PRODUCT = { name: '', description: null, images: [], metadata: null }

export function productRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store, livemode } = context
  resourceRoutes(app, context, {
    path: '/products',
    table: store.products,
    create: (input) => ({ ...EMPTY_PRODUCT, ...readProduct(input, true), ...newResource(context, livemode) }),
    update: (input) => readProduct(input, false),
    put: (products) => ({ put: { products } }),
    toJson: productJson,
  })
  deleteRoute(app, context, 'products')
  app.get<ById>('/products/:id/prices', async (request, reply) => {
    const { id } = findOr404(store.products, request.params.id, livemode)
    const prices = newestFirst(store.prices, livemode).filter((price) => price.product_id === id)
    return sendJson(reply, listOf(context, request, prices, listedPrice))
  })
}

function readProduct(input: JsonObject, isNew: boolean) {
  const validator = new Validator(input)
  if (isNew || Object.hasOwn(input, 'name')) validator.require('name')
  const images = validator.list('images') ?? []
  if (images.length > MAX_IMAGES)
    validator.addFieldError('images', `must not have more than ${MAX_IMAGES} items.`)
  return validator.present({
    name: validator.text('name') ?? '',
    description: validator.text('description'),
    images: images.filter((image) => typeof image === 'string'),
    metadata: validator.metadata(),
  })
}

/** Only the metadata of a price can be changed. */
export function priceRoutes(app: FastifyInstance, context: ApiContext): void {
  resourceRoutes<PriceRecord>(app, context, {
    path: '/prices',
    table: context.store.prices,
    create: (input) => ({ ...readPrice(context, input), ...newResource(context, context.livemode) }),
    update: (input) => {
      const validator = new Validator(input)
      validator.require('metadata')
      return validator.present({ metadata: validator.metadata() })
    },
    put: (prices) => ({ put: { prices } }),
    toJson: priceJson,
    toJsonInList: listedPrice,
  })
}

const listedPrice = (price: PriceRecord) => withoutLivemode(priceJson(price))

function readPrice({ store, livemode }: ApiContext, input: JsonObject) {
  const validator = new Validator(input)
  for (const field of ['amount', 'currency', 'product_id']) validator.require(field)
  const amount = validator.integer('amount', MIN_AMOUNT, 'gte') ?? 0
  const currency = validator.choice('currency', ['dzd']) ?? 'dzd'
  const product_id = validator.text('product_id') ?? ''
  if (product_id !== '' && !findIn(store.products, product_id, livemode))
    validator.addError('product_id', 'The selected product id is invalid.')
  const metadata = validator.metadata()
  validator.throwIfInvalid()
  return { amount, currency, product_id, metadata }
}

const EMPTY_LINK = {
  name: '',
  active: 1,
  after_completion_message: null,
  locale: 'ar',
  pass_fees_to_customer: null,
  collect_shipping_address: 0,
  items: [],
  metadata: null,
} as const

/** Payment links cannot be deleted, only made inactive. */
export function paymentLinkRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store, livemode } = context
  resourceRoutes(app, context, {
    path: '/payment-links',
    table: store.payment_links,
    create: (input) => ({
      ...EMPTY_LINK,
      ...readLink(context, input, true),
      ...newResource(context, livemode),
    }),
    update: (input) => readLink(context, input, false),
    put: (payment_links) => ({ put: { payment_links } }),
    toJson: (link) => paymentLinkJson(context, link),
    toJsonInList: (link) => withoutLivemode(paymentLinkJson(context, link)),
  })
  app.get<ById>('/payment-links/:id/items', async (request, reply) => {
    const { items } = findOr404(store.payment_links, request.params.id, livemode)
    const list = listOf(context, request, items, (line) =>
      lineJson(findOr404(store.prices, line.price_id, livemode), line, true),
    )
    return sendJson(reply, list)
  })
}

function readLink({ store, livemode }: ApiContext, input: JsonObject, isNew: boolean) {
  const validator = new Validator(input)
  for (const field of ['name', 'items']) if (isNew || Object.hasOwn(input, field)) validator.require(field)
  return validator.present({
    name: validator.text('name') ?? '',
    active: validator.flag('active') ?? 1,
    after_completion_message: validator.text('after_completion_message'),
    locale: validator.choice('locale', LOCALES) ?? 'ar',
    pass_fees_to_customer: validator.flag('pass_fees_to_customer'),
    collect_shipping_address: validator.flag('collect_shipping_address') ?? 0,
    items: readLineItems(store, validator, livemode),
    metadata: validator.metadata(),
  })
}
