// What an invoice names of the buyer: read by all who see the account, written by its owner.
import type { App } from '../http/app.js'
import { idOf } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { forBothCallers, hostCall, type UserCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import { type BuyerRequest, BuyerRequestSchema, BuyerSchema, viewBuyer } from './buyer-schemas.js'
import type { BuyerCalls } from './calls.js'
import { type BuyerDeps, readBuyer, setBuyer } from './set-buyer.js'

export type BuyerRoutesDeps = BuyerDeps & UserRoutesDeps

export function buyerRoutes(deps: BuyerRoutesDeps) {
  return forBothCallers(deps, (app, callers) => {
    readRoute(app, deps, callers)
    writeRoute(app, deps, callers)
  })
}

const buyerRequest = checker<BuyerRequest>(BuyerRequestSchema)

export const buyerCalls = (deps: BuyerRoutesDeps): BuyerCalls => ({
  buyer: async (userId) => viewBuyer(await readBuyer(deps, idOf(userId))),
  setBuyer: async (user, details) => {
    const call = hostCall(deps, user)
    return viewBuyer(await setBuyer(deps, call.user, buyerRequest(details)))
  },
})

function readRoute(app: App, deps: BuyerRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.operation('getBuyer'),
    summary: 'Get the buyer’s details',
    description: 'What an invoice names of the buyer, and what it lacks.',
    params: callers.params({}),
    response: { 200: BuyerSchema, ...callers.refusals() },
  }
  app.get(`${path}/buyer`, { schema, onRequest }, async (request) =>
    viewBuyer(await readBuyer(deps, callers.callOf(request).user.userId)),
  )
}

function writeRoute(app: App, deps: BuyerRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.personal('setBuyer'),
    summary: 'Set the buyer’s details',
    description:
      'In place of what was given before: what is absent is null. 403 for anyone but an owner. What is ' +
      'typed is kept; spaces, dots and hyphens in numbers are no fault. Documents that were issued stay.',
    params: callers.params({}),
    body: BuyerRequestSchema,
    response: {
      200: BuyerSchema,
      ...callers.refusals('malformed_json', 'forbidden', 'validation_failed'),
    },
  }
  app.put(`${path}/buyer`, { schema, onRequest }, async (request) =>
    viewBuyer(await setBuyer(deps, callers.callOf(request).user, request.body)),
  )
}
