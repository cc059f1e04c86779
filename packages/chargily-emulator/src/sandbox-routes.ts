// The sandbox controls: clock, faults, deliveries and checkouts, for users, scripts and tests. They answer to
// this machine only, and to no web page of another site that is open on it.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EmulatorContext } from './context.js'
import { ApiError, notFound } from './errors.js'
import type { FaultSwitches } from './faults.js'
import { type JsonObject, toJson } from './php-json.js'
import type { DeliveryRecord } from './records.js'
import { answerError, type ById, inputOf, type ServerContext, sendJson, sendPage } from './routes.js'
import { sandboxPage } from './sandbox-page.js'

/** A hundred years: later dates are beyond what JSON clients can read. */
const MAX_ADVANCE_SECONDS = 100 * 366 * 86_400

export function sandboxRoutes(context: ServerContext) {
  const { store, faults, checkoutService } = context
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (request) => {
      refuseOtherSites(request)
      checkoutService.endDue()
    })
    app.setErrorHandler((error, request, reply) => answerError(context, error, { request, reply }))
    pageRoutes(app, context)
    app.get('/clock', async (_, reply) => sendJson(reply, clockJson(context)))
    app.post('/clock', async (request, reply) => {
      await context.advance(readSeconds(inputOf(request)))
      return sendJson(reply, clockJson(context))
    })
    app.get('/faults', async (_, reply) => sendJson(reply, { ...faults.current() }))
    app.post('/faults', async (request, reply) => {
      setFaults(faults, inputOf(request))
      return sendJson(reply, { ...faults.current() })
    })
    app.delete('/faults', async (_, reply) => {
      faults.clear()
      return sendJson(reply, { ...faults.current() })
    })
    deliveryRoutes(app, context)
    app.get('/checkouts', async (_, reply) =>
      sendJson(reply, { data: [...store.checkouts.values()].reverse().map(toJson) }),
    )
  }
}

/** The page and its forms, each of which leads back to the page. */
function pageRoutes(app: FastifyInstance, context: ServerContext): void {
  const { faults, checkoutService, advance } = context
  app.get('/', async (_, reply) => sendPage(reply, sandboxPage(context), true))
  const action = (name: string, handle: (form: JsonObject) => unknown) =>
    app.post(`/page/${name}`, async (request, reply) => {
      await handle(inputOf(request))
      return reply.redirect('/_sandbox', 303)
    })
  action('clock', ({ advance_seconds }) => advance(readSeconds({ advance_seconds: Number(advance_seconds) })))
  action('faults', ({ fault, state }) => setFaults(faults, { [String(fault)]: state === 'on' }))
  action('resend', ({ delivery }) =>
    checkoutService.sender.resend(findDelivery(context, String(delivery)).id),
  )
}

function setFaults(faults: FaultSwitches, wanted: JsonObject): void {
  const errors = faults.problemsOf(wanted)
  const [first] = Object.values(errors).flat()
  if (first !== undefined) throw new ApiError(422, { message: first, errors })
  faults.set(wanted)
}

function findDelivery({ store }: EmulatorContext, id: string): DeliveryRecord {
  const delivery = store.deliveries.get(id)
  if (!delivery) throw notFound()
  return delivery
}

function deliveryRoutes(app: FastifyInstance, context: ServerContext): void {
  const { store, checkoutService } = context
  app.get('/deliveries', async (_, reply) =>
    sendJson(reply, { data: [...store.deliveries.values()].reverse().map(deliveryJson) }),
  )
  app.get<ById>('/deliveries/:id', async ({ params }, reply) => {
    const delivery = findDelivery(context, params.id)
    const { body, signature } = delivery
    return sendJson(reply, { ...deliveryJson(delivery), body, signature })
  })
  app.post<ById>('/deliveries/:id/resend', async ({ params }, reply) => {
    const { id } = findDelivery(context, params.id)
    return sendJson(reply, deliveryJson(await checkoutService.sender.resend(id)))
  })
}

/** Without the bytes, which would make a list long. */
function deliveryJson(delivery: DeliveryRecord): JsonObject {
  const { id, event_id, type, checkout_id, url, state, next_attempt_at_ms } = delivery
  const attempts = delivery.attempts.map(({ at_ms, status, error }) => ({ at: isoOf(at_ms), status, error }))
  const next_attempt_at = next_attempt_at_ms === null ? null : isoOf(next_attempt_at_ms)
  return { id, event_id, type, checkout_id, url, state, attempts, next_attempt_at }
}

/**
 * There is no password by design. Refused are a foreign name that resolves to this machine (DNS rebinding),
 * and a page of another site that posts here.
 */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const host = headers.host ?? ''
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  if (!isLoopback) throw new ApiError(403, { message: 'The sandbox answers to loopback names only.' })
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    throw new ApiError(403, { message: 'The sandbox answers to no other site.' })
}

function readSeconds({ advance_seconds: seconds }: JsonObject): number {
  const inRange = typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_ADVANCE_SECONDS
  if (inRange) return seconds
  const message = `advance_seconds must be a number from 0 to ${MAX_ADVANCE_SECONDS}.`
  throw new ApiError(422, { message, errors: { advance_seconds: [message] } })
}

function clockJson({ clock }: EmulatorContext): JsonObject {
  return { now: isoOf(clock.now()) }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
