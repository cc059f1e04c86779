// Checkouts and the balance they fill. There is no update, no delete and no refund, because Chargily has none.
import type { FastifyInstance } from 'fastify'
import { falsify, loseAnswer } from './api-faults.js'
import { wireCheckout, wireLine } from './api-json.js'
import { checkoutFrom } from './create-checkout.js'
import { listOf } from './pagination.js'
import type { JsonObject } from './php-json.js'
import type { LineItem } from './records.js'
import { type ApiContext, type ById, findOr404, inputOf, sendJson } from './routes.js'

export function checkoutRoutes(app: FastifyInstance, context: ApiContext): void {
  const { desk, checkoutService, livemode } = context
  const find = (id: string) => findOr404(desk.store.checkouts, id, livemode)

  app.post('/checkouts', async (request, reply) => {
    const checkout = falsify(desk, checkoutFrom(desk, inputOf(request), livemode))
    desk.store.commit([{ put: { checkouts: checkout } }])
    checkoutService.watch(checkout)
    return (await loseAnswer(desk, reply)) ? reply : sendJson(reply, wireCheckout(desk, checkout))
  })
  app.get('/checkouts', async (request, reply) =>
    sendJson(
      reply,
      listOf(context, request, desk.store.checkouts.newestFirst(livemode), (checkout) =>
        wireCheckout(desk, checkout),
      ),
    ),
  )
  app.get<ById>('/checkouts/:id', async ({ params }, reply) =>
    sendJson(reply, wireCheckout(desk, find(params.id))),
  )
  app.get<ById>('/checkouts/:id/items', async (request, reply) => {
    const { items } = find(request.params.id)
    return sendJson(
      reply,
      listOf(context, request, items, (line) => shownLine(context, line)),
    )
  })
  app.post<ById>('/checkouts/:id/expire', async ({ params }, reply) =>
    sendJson(reply, wireCheckout(desk, checkoutService.expire(find(params.id)))),
  )
  app.get('/balance', async (_, reply) => sendJson(reply, balance(context)))
}

function shownLine({ desk, livemode }: ApiContext, line: LineItem): JsonObject {
  return wireLine(findOr404(desk.store.prices, line.price_id, livemode), line, false)
}

function balance({ desk, livemode }: ApiContext): JsonObject {
  let earned = 0
  for (const checkout of desk.store.checkouts.all()) {
    if (checkout.livemode === livemode && checkout.status === 'paid')
      earned += checkout.amount - checkout.fees_on_merchant
  }
  // `ready_for_payout` is a string on the wire, whatever its documentation says.
  const wallet = (currency: string, amount: number) => ({
    currency,
    balance: amount,
    ready_for_payout: String(amount),
    on_hold: 0,
  })
  return {
    entity: 'balance',
    livemode,
    wallets: [wallet('dzd', earned), wallet('usd', 0), wallet('eur', 0)],
  }
}
