// Customers: every field is optional, and updates are POST (Chargily docs, API reference, customers).
import type { FastifyInstance } from 'fastify'
import { wireCustomer, wireDeleted, withoutLivemode } from './api-json.js'
import { newId } from './context.js'
import { Form } from './laravel.js'
import { listOf } from './pagination.js'
import { isJsonObject, type JsonObject } from './php-json.js'
import type { CustomerRecord } from './records.js'
import { type ApiContext, type ById, findOr404, inputOf, sendJson } from './routes.js'

export function customerRoutes(app: FastifyInstance, context: ApiContext): void {
  const { desk, livemode } = context
  const { customers } = desk.store
  const find = (id: string) => findOr404(customers, id, livemode)
  const save = (customer: CustomerRecord) => {
    desk.store.commit([{ put: { customers: customer } }])
    return wireCustomer(customer)
  }

  app.post('/customers', async (request, reply) => {
    const now = desk.clock.nowSeconds()
    const fields = customerFields(inputOf(request))
    return sendJson(
      reply,
      save({ id: newId(desk), livemode, ...EMPTY, ...fields, created_at: now, updated_at: now }),
    )
  })
  app.post<ById>('/customers/:id', async (request, reply) => {
    const customer = find(request.params.id)
    const fields = customerFields(inputOf(request))
    return sendJson(reply, save({ ...customer, ...fields, updated_at: desk.clock.nowSeconds() }))
  })
  app.get<ById>('/customers/:id', async ({ params }, reply) => sendJson(reply, wireCustomer(find(params.id))))
  app.get('/customers', async (request, reply) =>
    sendJson(
      reply,
      listOf(context, request, customers.newestFirst(livemode), (each) =>
        withoutLivemode(wireCustomer(each)),
      ),
    ),
  )
  app.delete<ById>('/customers/:id', async ({ params }, reply) => {
    const { id } = find(params.id)
    desk.store.commit([{ remove: { table: 'customers', id } }])
    return sendJson(reply, wireDeleted('customer', id, livemode))
  })
}

const EMPTY = { name: null, email: null, phone: null, address: null, metadata: null }

/** Only what the request speaks of: an update leaves the rest. */
function customerFields(input: JsonObject): Partial<CustomerRecord> {
  const form = new Form(input)
  const all = {
    name: form.text('name'),
    email: form.text('email'),
    phone: form.text('phone'),
    address: readAddress(form),
    metadata: form.metadata(),
  }
  if (all.email !== null && !/^[^@\s]+@[^@\s]+$/.test(all.email))
    form.complainThat('email', 'must be a valid email address.')
  form.refuseIfWrong()
  return Object.fromEntries(Object.entries(all).filter(([field]) => Object.hasOwn(input, field)))
}

function readAddress(form: Form): JsonObject | null {
  const address = form.input.address ?? null
  if (address === null) return null
  if (!isJsonObject(address)) return form.complainThat('address', 'must be an array.')
  const part = (name: string) => address[name] ?? null
  return { country: part('country'), state: part('state'), address: part('address') }
}
