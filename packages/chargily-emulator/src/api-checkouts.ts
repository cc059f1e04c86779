// Checkouts and the balance. There is no update, no delete and no refund, because Chargily has none.
import type { FastifyInstance } from 'fastify'
import { dropAnswer, falsifyCheckout } from './api-faults.js'
import { checkoutJson, lineJson } from './api-json.js'
import { createCheckout } from './create-checkout.js'
import type { JsonObject } from './php-json.js'
import { type ApiContext, type ById, findOr404, inputOf, listOf, sendJson } from './routes.js'
import { newestFirst } from './store.js'

export function checkoutRoutes(app: FastifyInstance, context: ApiContext): void {
  const { store, checkoutService, livemode } = context
  const find = (id: string) => findOr404(store.checkouts, id, livemode)

  app.post('/checkouts', async (request, reply) => {
    const checkout = falsifyCheckout(context, createCheckout(context, inputOf(request), livemode))
    checkoutService.save(checkout)
    return (await dropAnswer(context, reply)) ? reply : sendJson(reply, checkoutJson(context, checkout))
  })
  app.get('/checkouts', async (request, reply) => {
    const list = listOf(context, request, newestFirst(store.checkouts, livemode), (checkout) =>
      checkoutJson(context, checkout),
    )
    return sendJson(reply, list)
  })
  app.get<ById>('/checkouts/:id', async ({ params }, reply) =>
    sendJson(reply, checkoutJson(context, find(params.id))),
  )
  app.get<ById>('/checkouts/:id/items', async (request, reply) => {
    const list = listOf(context, request, find(request.params.id).items, (line) =>
      lineJson(findOr404(store.prices, line.price_id, livemode), line, false),
    )
    return sendJson(reply, list)
  })
  app.post<ById>('/checkouts/:id/expire', async ({ params }, reply) =>
    sendJson(reply, checkoutJson(context, checkoutService.expire(find(params.id)))),
  )
  app.get('/balance', async (_, reply) => sendJson(reply, balanceJson(context)))
}

function balanceJson({ store, livemode }: ApiContext): JsonObject {
  const paid = newestFirst(store.checkouts, livemode).filter(({ status }) => status === 'paid')
  const earned = paid.reduce((sum, { amount, fees_on_merchant }) => sum + amount - fees_on_merchant, 0)
  // `ready_for_payout` is a string on the wire, whatever its documentation says.
  const wallet = (currency: string, balance: number) => ({
    currency,
    balance,
    ready_for_payout: String(balance),
    on_hold: 0,
  })
  const wallets = [wallet('dzd', earned), wallet('usd', 0), wallet('eur', 0)]
  return { entity: 'balance', livemode, wallets }
}
