// GET …/proforma makes one and gives it as PDF; …/proformas lists those that hold, each with its PDF, and
// POST …/proformas/{number}/payments orders it by transfer.
import { Type } from 'typebox'
import type { HistoryDeps } from '../checkout/history.js'
import { showPaymentOfUser } from '../checkout/history.route.js'
import { hostBuyer, OFFER_REFUSALS, termOf } from '../checkout/upgrade.route.js'
import {
  LANGUAGE,
  pdfRoute,
  type ReceiptRoutesDeps,
  sendPdf,
  wishedLocale,
} from '../documents/receipt.route.js'
import type { App } from '../http/app.js'
import { idOf } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { PaymentSchema } from '../ledger/schemas.js'
import { forBothCallers, hostCall, type UserCallers } from '../ledger/user-routes.js'
import type { ProformaCalls } from './calls.js'
import {
  makeProforma,
  openProformas,
  orderProforma,
  type ProformaDeps,
  printProforma,
  requireProforma,
} from './proforma.js'
import { ProformaQuerySchema, ProformasSchema, type ProformaWish, viewProforma } from './proforma-schemas.js'

export type ProformaRoutesDeps = ProformaDeps & ReceiptRoutesDeps & HistoryDeps

export function proformaRoutes(deps: ProformaRoutesDeps) {
  return forBothCallers(deps, (app, callers) => {
    makeRoute(app, deps, callers)
    listRoute(app, deps, callers)
    printRoute(app, deps, callers)
    orderRoute(app, deps, callers)
  })
}

const REFUSALS = [...OFFER_REFUSALS, 'unknown_method', 'prepaid_limit_reached'] as const

function makeRoute(app: App, deps: ProformaRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.operation('getProforma'),
    ...pdfRoute(callers, 'The proforma', ...REFUSALS, 'unknown_term', 'no_dearer_plan', 'buyer_incomplete'),
    summary: 'A proforma',
    description:
      'What a company’s accountant needs before an order of payment: the invoice as it would be, at a ' +
      'price that holds for 15 days. Asked for again on the same day it is the same. The address of the ' +
      `PDF, with its number, stands in \`Content-Location\`. ${LANGUAGE}`,
    params: callers.params({}),
    querystring: ProformaQuerySchema,
  }
  app.get(`${path}/proforma`, { schema, onRequest }, async (request, reply) => {
    const { user, api } = callers.callOf(request)
    const locale = request.query.lang ?? (await callers.localeOf(request))
    const proforma = await makeProforma(deps, user.userId, wantedIn(request.query))
    const pdf = await printProforma(deps, proforma, locale)
    const { number } = proforma
    return sendPdf(reply.header('content-location', `${api}/proformas/${number}`), nameOf(number), pdf)
  })
}

function listRoute(app: App, deps: ProformaRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.operation('listProformas'),
    summary: 'The proformas whose price holds and that are not paid, newest first',
    params: callers.params({}),
    response: { 200: ProformasSchema, ...callers.refusals() },
  }
  app.get(`${path}/proformas`, { schema, onRequest }, async (request) => {
    const open = await openProformas(deps, callers.callOf(request).user.userId)
    return { proformas: open.map(viewProforma) }
  })
}

function printRoute(app: App, deps: ProformaRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.operation('printProforma'),
    ...pdfRoute(callers, 'The proforma'),
    summary: 'A proforma, by its number',
    description: `One page of PDF. ${LANGUAGE}`,
    params: callers.params(NUMBER),
  }
  app.get(`${path}/proformas/:number`, { schema, onRequest }, async (request, reply) => {
    const { userId } = callers.callOf(request).user
    const locale = request.query.lang ?? (await callers.localeOf(request))
    const proforma = await requireProforma(deps, userId, request.params.number)
    return sendPdf(reply, nameOf(proforma.number), await printProforma(deps, proforma, locale))
  })
}

function orderRoute(app: App, deps: ProformaRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const refusals = [
    ...REFUSALS,
    'not_found',
    'forbidden',
    'proforma_not_valid',
    'too_many_checkouts',
  ] as const
  const schema = {
    ...callers.personal('orderProforma'),
    summary: 'Order a proforma by transfer',
    description: 'Opens a transfer at its price. A repetition gives the same payment.',
    params: callers.params(NUMBER),
    response: { 201: PaymentSchema, ...callers.refusals(...refusals, 'conflict') },
  }
  app.post(`${path}/proformas/:number/payments`, { schema, onRequest }, async (request, reply) => {
    const call = callers.callOf(request)
    const by = { ...call, locale: await callers.localeOf(request) }
    const { paymentId } = await orderProforma(deps, by, request.params.number)
    const payment = await showPaymentOfUser(deps, call, paymentId)
    return reply.header('location', `${call.api}/payments/${payment.id}`).code(201).send(payment)
  })
}

const NUMBER = { number: Type.String({ maxLength: 50 }) }

function wantedIn({ plan, months, start, po_number }: ProformaWish) {
  return { planId: plan, ...termOf(months, start, 'query/months'), poNumber: po_number }
}

export const nameOf = (number: string) => `proforma-${number}.pdf`

const proformaWish = checker<ProformaWish>(ProformaQuerySchema)

export const proformaCalls = (deps: ProformaRoutesDeps): ProformaCalls => ({
  proforma: async (given, asked) => {
    const userId = idOf(given)
    const { lang, ...wanted } = proformaWish(asked)
    const proforma = await makeProforma(deps, userId, wantedIn(wanted))
    return printProforma(deps, proforma, await wishedLocale(deps, userId, lang && { lang }))
  },
  proformas: async (given) => (await openProformas(deps, idOf(given))).map(viewProforma),
  printProforma: async (given, number, asked) => {
    const userId = idOf(given)
    const proforma = await requireProforma(deps, userId, number)
    return printProforma(deps, proforma, await wishedLocale(deps, userId, asked))
  },
  orderProforma: async (user, number) => {
    const by = await hostBuyer(deps, hostCall(deps, user))
    const { paymentId } = await orderProforma(deps, by, number)
    return showPaymentOfUser(deps, by, paymentId)
  },
})
