// Payment links: a reusable address, of which each visit opens a new checkout (Chargily docs, API reference,
// payment-links). They cannot be deleted, only made inactive.
import type { FastifyInstance } from 'fastify'
import { wireLine, wirePaymentLink, withoutLivemode } from './api-json.js'
import { newId } from './context.js'
import { Form } from './laravel.js'
import { readLineItems } from './line-items.js'
import { listOf } from './pagination.js'
import type { JsonObject } from './php-json.js'
import { LOCALES, type PaymentLinkRecord } from './records.js'
import { type ApiContext, type ById, findOr404, inputOf, sendJson } from './routes.js'

export function paymentLinkRoutes(app: FastifyInstance, context: ApiContext): void {
  const { desk, livemode } = context
  const { payment_links, prices } = desk.store
  const find = (id: string) => findOr404(payment_links, id, livemode)
  const save = (link: PaymentLinkRecord) => {
    desk.store.commit([{ put: { payment_links: link } }])
    return wirePaymentLink(desk, link)
  }

  app.post('/payment-links', async (request, reply) => {
    const now = desk.clock.nowSeconds()
    const fields = linkFields(context, inputOf(request), true)
    const link = { id: newId(desk), livemode, ...EMPTY, ...fields, created_at: now, updated_at: now }
    return sendJson(reply, save(link))
  })
  app.post<ById>('/payment-links/:id', async (request, reply) => {
    const link = find(request.params.id)
    const fields = linkFields(context, inputOf(request), false)
    return sendJson(reply, save({ ...link, ...fields, updated_at: desk.clock.nowSeconds() }))
  })
  app.get<ById>('/payment-links/:id', async ({ params }, reply) =>
    sendJson(reply, wirePaymentLink(desk, find(params.id))),
  )
  app.get('/payment-links', async (request, reply) =>
    sendJson(
      reply,
      listOf(context, request, payment_links.newestFirst(livemode), (link) =>
        withoutLivemode(wirePaymentLink(desk, link)),
      ),
    ),
  )
  app.get<ById>('/payment-links/:id/items', async (request, reply) => {
    const { items } = find(request.params.id)
    const shown = listOf(context, request, items, (line) =>
      wireLine(findOr404(prices, line.price_id, livemode), line, true),
    )
    return sendJson(reply, shown)
  })
}

const EMPTY = {
  name: '',
  active: 1,
  after_completion_message: null,
  locale: 'ar',
  pass_fees_to_customer: null,
  collect_shipping_address: 0,
  items: [],
  metadata: null,
} as const

/** Only what the request speaks of: an update leaves the rest. */
function linkFields(
  { desk, livemode }: ApiContext,
  input: JsonObject,
  isNew: boolean,
): Partial<PaymentLinkRecord> {
  const form = new Form(input)
  for (const field of ['name', 'items']) if (isNew || Object.hasOwn(input, field)) form.require(field)
  const all = {
    name: form.text('name') ?? '',
    active: form.flag('active') ?? 1,
    after_completion_message: form.text('after_completion_message'),
    locale: form.choice('locale', LOCALES) ?? 'ar',
    pass_fees_to_customer: form.flag('pass_fees_to_customer'),
    collect_shipping_address: form.flag('collect_shipping_address') ?? 0,
    items: readLineItems(desk, form, livemode),
    metadata: form.metadata(),
  }
  form.refuseIfWrong()
  return Object.fromEntries(Object.entries(all).filter(([field]) => Object.hasOwn(input, field)))
}
