// The payer's side over HTTP: the page, its POST, and payment links. A browser and a script use the same address;
// the answer to a payment is 303 back to the merchant, with `checkout_id` added.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkoutUrl } from './api-json.js'
import { feesOf, newCheckout, sumOf } from './create-checkout.js'
import { Form } from './laravel.js'
import { messagePage, paymentPage, thanksPage } from './payment-page.js'
import { type CheckoutRecord, LOCALES, type Locale, OUTCOMES, PAYMENT_METHODS } from './records.js'
import { returnUrl } from './return-url.js'
import { type ApiContext, type ById, inputOf } from './routes.js'

export function pageRoutes(context: ApiContext) {
  const { desk, checkoutService, livemode } = context
  const find = (id: string) => {
    checkoutService.endDue()
    return desk.store.checkouts.find(id, livemode)
  }
  return async (app: FastifyInstance): Promise<void> => {
    app.get<ById>('/checkouts/:id/pay', async (request, reply) => {
      const checkout = find(request.params.id)
      if (!checkout) return sendPage(reply.code(404), messagePage(languageOf(request), 'noSuchPage'))
      return sendPage(reply, shownPage(context, checkout, request))
    })
    app.post<ById>('/checkouts/:id/pay', async (request, reply) => {
      const checkout = find(request.params.id)
      if (!checkout) return sendPage(reply.code(404), messagePage(languageOf(request), 'noSuchPage'))
      return receivePayment(context, checkout, { request, reply })
    })
    // Opening the link makes a checkout, so asking for its head alone must not be possible.
    app.get<ById>('/payment-links/:id', { exposeHeadRoute: false }, async (request, reply) => {
      const checkout = openLink(context, request.params.id)
      if (!checkout) return sendPage(reply.code(404), messagePage(languageOf(request), 'noSuchPage'))
      return reply.redirect(checkoutUrl(desk, checkout), 303)
    })
  }
}

async function receivePayment(
  context: ApiContext,
  checkout: CheckoutRecord,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const { desk, checkoutService } = context
  const form = new Form(inputOf(request))
  const outcome = form.choice('outcome', OUTCOMES)
  const method = form.choice('payment_method', PAYMENT_METHODS)
  if (outcome === null || (method === null && form.has('payment_method')))
    return sendPage(reply.code(422), messagePage(languageOf(request, checkout.locale), 'badForm'))
  const preset = checkout.payment_method === 'cib' ? 'cib' : 'edahabia'
  const result = checkoutService.pay(checkout, outcome, method ?? preset)
  if (!result.ok) return sendPage(reply.code(409), shownPage(context, checkout, request))
  await checkoutService.sender.sendFirst(result.sendBeforeRedirect)
  return reply.redirect(returnUrl(result.checkout, outcome) ?? checkoutUrl(desk, checkout), 303)
}

function shownPage({ desk, livemode }: ApiContext, checkout: CheckoutRecord, request: FastifyRequest) {
  const link = desk.store.payment_links.find(checkout.payment_link_id ?? '', livemode)
  if (checkout.status === 'paid' && link?.after_completion_message)
    return thanksPage(checkout, desk.merchantName, link.after_completion_message)
  return paymentPage(checkout, desk.merchantName, languageOf(request, checkout.locale))
}

/** Undefined when the link is unknown or inactive: both are the same 404. */
function openLink(
  { desk, checkoutService, livemode }: ApiContext,
  linkId: string,
): CheckoutRecord | undefined {
  const link = desk.store.payment_links.find(linkId, livemode)
  if (!link || link.active === 0) return undefined
  const amount = sumOf(desk, link.items, livemode)
  const checkout: CheckoutRecord = {
    ...newCheckout(desk, livemode),
    ...feesOf(amount, livemode, link.pass_fees_to_customer === 0 ? 'merchant' : 'customer'),
    amount,
    pass_fees_to_customer: link.pass_fees_to_customer,
    locale: link.locale,
    description: link.name,
    metadata: link.metadata,
    success_url: null,
    failure_url: null,
    webhook_endpoint: null,
    payment_method: null,
    customer_id: null,
    payment_link_id: link.id,
    shipping_address: null,
    collect_shipping_address: link.collect_shipping_address,
    discount: null,
    amount_without_discount: null,
    items: link.items,
  }
  desk.store.commit([{ put: { checkouts: checkout } }])
  checkoutService.watch(checkout)
  return checkout
}

/** `?lang=` wins, then the checkout's own language. */
function languageOf(request: FastifyRequest, fallback: Locale = 'ar'): Locale {
  const asked = new URL(request.url, 'http://any').searchParams.get('lang')
  return LOCALES.find((locale) => locale === asked) ?? fallback
}

export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'Cache-Control': 'no-store',
      // No `form-action`: browsers apply it to the redirect after the form too, which leads to the merchant.
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .send(html)
}
