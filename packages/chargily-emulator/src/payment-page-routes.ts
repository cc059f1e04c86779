// The payer's side over HTTP: the payment page, its POST, and payment links. Browsers and scripts use one
// address; a payment is answered with 303 to the merchant, with `checkout_id` added.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkoutUrl } from './api-json.js'
import type { EmulatorContext } from './context.js'
import { createLinkCheckout } from './create-checkout.js'
import { Validator } from './laravel.js'
import { languageOf } from './layout.js'
import { messagePage, paymentPage } from './payment-page.js'
import { type CheckoutRecord, OUTCOMES, type Outcome, PAYMENT_METHODS } from './records.js'
import { type ApiContext, type ById, inputOf, sendPage } from './routes.js'
import { findIn } from './store.js'

export function paymentPageRoutes(context: ApiContext) {
  const { store, checkoutService, livemode } = context
  const find = (id: string) => {
    checkoutService.endDue()
    return findIn(store.checkouts, id, livemode)
  }
  return async (app: FastifyInstance): Promise<void> => {
    app.get<ById>('/checkouts/:id/pay', async (request, reply) => {
      const checkout = find(request.params.id)
      return checkout ? sendPage(reply, showPage(context, checkout, request)) : sendNotFound(request, reply)
    })
    app.post<ById>('/checkouts/:id/pay', async (request, reply) => {
      const checkout = find(request.params.id)
      return checkout ? pay(context, checkout, { request, reply }) : sendNotFound(request, reply)
    })
    // Opening the link makes a checkout, so there is no HEAD.
    app.get<ById>('/payment-links/:id', { exposeHeadRoute: false }, async (request, reply) => {
      const link = findIn(store.payment_links, request.params.id, livemode)
      if (!link?.active) return sendNotFound(request, reply)
      const checkout = createLinkCheckout(context, link)
      checkoutService.save(checkout)
      return reply.redirect(checkoutUrl(context, checkout), 303)
    })
  }
}

async function pay(
  context: ApiContext,
  checkout: CheckoutRecord,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const { checkoutService } = context
  const validator = new Validator(inputOf(request))
  const outcome = validator.choice('outcome', OUTCOMES)
  const method = validator.choice('payment_method', PAYMENT_METHODS)
  if (outcome === null || (method === null && validator.has('payment_method')))
    return sendPage(reply.code(422), messagePage(languageOf(request, checkout.locale), 'badForm'))
  const preset = checkout.payment_method === 'cib' ? 'cib' : 'edahabia'
  const result = checkoutService.pay(checkout, outcome, method ?? preset)
  if (!result.ok) return sendPage(reply.code(409), showPage(context, checkout, request))
  await checkoutService.sender.sendFirst(result.sendBeforeRedirect)
  return reply.redirect(redirectUrl(context, result.checkout, outcome), 303)
}

/**
 * Where the payer is sent back to: without an address of the merchant, the payment page. Such an address
 * proves nothing: anyone can type it.
 */
export function redirectUrl(context: EmulatorContext, checkout: CheckoutRecord, outcome: Outcome): string {
  const target = outcome === 'paid' ? checkout.success_url : checkout.failure_url
  if (target === null) return checkoutUrl(context, checkout)
  const url = new URL(target)
  // The merchant's own query stays byte for byte, except for an id of another checkout.
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^checkout_id(=|$)/.test(pair))
  url.search = [...parameters, `checkout_id=${checkout.id}`].join('&')
  return url.href
}

function showPage({ store, merchantName }: ApiContext, checkout: CheckoutRecord, request: FastifyRequest) {
  const link = store.payment_links.get(checkout.payment_link_id ?? '')
  const message = checkout.status === 'paid' && link?.after_completion_message
  // After a payment link, which has no page to go back to.
  if (message) return paymentPage({ ...checkout, description: message }, merchantName, checkout.locale)
  return paymentPage(checkout, merchantName, languageOf(request, checkout.locale))
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply.code(404), messagePage(languageOf(request), 'noSuchPage'))
}
