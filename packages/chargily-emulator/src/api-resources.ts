// Products and their prices (Chargily docs, API reference, products and prices). A price can only change its
// metadata, and cannot be deleted.
import type { FastifyInstance } from 'fastify'
import { wireDeleted, wirePrice, wireProduct, withoutLivemode } from './api-json.js'
import { newId } from './context.js'
import { MIN_AMOUNT } from './create-checkout.js'
import { Form } from './laravel.js'
import { listOf } from './pagination.js'
import type { JsonObject } from './php-json.js'
import type { PriceRecord, ProductRecord } from './records.js'
import { type ApiContext, type ById, findOr404, inputOf, sendJson } from './routes.js'

/** Chargily docs, API reference, products/create. */
const MAX_IMAGES = 8

export function catalogueRoutes(app: FastifyInstance, context: ApiContext): void {
  productRoutes(app, context)
  priceRoutes(app, context)
}

function productRoutes(app: FastifyInstance, context: ApiContext): void {
  const { desk, livemode } = context
  const { products, prices } = desk.store
  const find = (id: string) => findOr404(products, id, livemode)
  const save = (product: ProductRecord) => {
    desk.store.commit([{ put: { products: product } }])
    return wireProduct(product)
  }

  app.post('/products', async (request, reply) => {
    const now = desk.clock.nowSeconds()
    const { name = '', ...fields } = productFields(inputOf(request), true)
    const empty = { description: null, images: [], metadata: null }
    const product = { id: newId(desk), livemode, name, ...empty, ...fields, created_at: now, updated_at: now }
    return sendJson(reply, save(product))
  })
  app.post<ById>('/products/:id', async (request, reply) => {
    const product = find(request.params.id)
    const fields = productFields(inputOf(request), false)
    return sendJson(reply, save({ ...product, ...fields, updated_at: desk.clock.nowSeconds() }))
  })
  app.get<ById>('/products/:id', async ({ params }, reply) => sendJson(reply, wireProduct(find(params.id))))
  app.get('/products', async (request, reply) =>
    sendJson(reply, listOf(context, request, products.newestFirst(livemode), wireProduct)),
  )
  app.get<ById>('/products/:id/prices', async (request, reply) => {
    const { id } = find(request.params.id)
    const own = prices.newestFirst(livemode).filter((price) => price.product_id === id)
    return sendJson(reply, listOf(context, request, own, shownPrice))
  })
  app.delete<ById>('/products/:id', async ({ params }, reply) => {
    const { id } = find(params.id)
    desk.store.commit([{ remove: { table: 'products', id } }])
    return sendJson(reply, wireDeleted('product', id, livemode))
  })
}

function priceRoutes(app: FastifyInstance, context: ApiContext): void {
  const { desk, livemode } = context
  const { prices } = desk.store
  const find = (id: string) => findOr404(prices, id, livemode)
  const save = (price: PriceRecord) => {
    desk.store.commit([{ put: { prices: price } }])
    return wirePrice(price)
  }

  app.post('/prices', async (request, reply) => {
    const now = desk.clock.nowSeconds()
    const fields = priceFields(context, inputOf(request))
    return sendJson(reply, save({ id: newId(desk), livemode, ...fields, created_at: now, updated_at: now }))
  })
  app.post<ById>('/prices/:id', async (request, reply) => {
    const price = find(request.params.id)
    const form = new Form(inputOf(request))
    form.require('metadata')
    const metadata = form.metadata()
    form.refuseIfWrong()
    return sendJson(reply, save({ ...price, metadata, updated_at: desk.clock.nowSeconds() }))
  })
  app.get<ById>('/prices/:id', async ({ params }, reply) => sendJson(reply, wirePrice(find(params.id))))
  app.get('/prices', async (request, reply) =>
    sendJson(reply, listOf(context, request, prices.newestFirst(livemode), shownPrice)),
  )
}

const shownPrice = (price: PriceRecord): JsonObject => withoutLivemode(wirePrice(price))

/** Only what the request speaks of: an update leaves the rest. */
function productFields(input: JsonObject, isNew: boolean): Partial<ProductRecord> {
  const form = new Form(input)
  if (isNew || Object.hasOwn(input, 'name')) form.require('name')
  const images = form.list('images') ?? []
  if (images.length > MAX_IMAGES) form.complainThat('images', `must not have more than ${MAX_IMAGES} items.`)
  const all = {
    name: form.text('name') ?? '',
    description: form.text('description'),
    images: images.filter((image) => typeof image === 'string'),
    metadata: form.metadata(),
  }
  form.refuseIfWrong()
  return Object.fromEntries(Object.entries(all).filter(([field]) => Object.hasOwn(input, field)))
}

function priceFields({ desk, livemode }: ApiContext, input: JsonObject) {
  const form = new Form(input)
  for (const field of ['amount', 'currency', 'product_id']) form.require(field)
  const amount = form.integer('amount', MIN_AMOUNT, 'gte') ?? 0
  const currency = form.choice('currency', ['dzd']) ?? 'dzd'
  const product_id = form.text('product_id') ?? ''
  if (product_id !== '' && !desk.store.products.find(product_id, livemode))
    form.complain('product_id', 'The selected product id is invalid.')
  const metadata = form.metadata()
  form.refuseIfWrong()
  return { amount, currency, product_id, metadata }
}
