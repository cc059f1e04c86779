// The strings behind the stage: clock, faults, deliveries and checkouts, for scripts and tests. Open to whoever sits
// at this machine and to nobody else, not even to a web page that is looked at on it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CheckoutService } from './checkout-service.js'
import type { EmulatorContext } from './context.js'
import { ApiRefusal } from './errors.js'
import { type JsonObject, toJson } from './php-json.js'
import type { DeliveryRecord } from './records.js'
import { type ById, findOr404, inputOf, sendJson } from './routes.js'
import { sandboxPage } from './sandbox-page.js'

/** A hundred years: beyond it dates leave what JSON clients can read. */
const MAX_ADVANCE_SECONDS = 100 * 366 * 86_400

export interface SandboxContext {
  readonly desk: EmulatorContext
  readonly checkoutService: CheckoutService
  advance(seconds: number): Promise<void>
}

export function sandboxRoutes({ desk, checkoutService, advance }: SandboxContext) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (request) => {
      refuseStrangers(request)
      checkoutService.endDue()
    })
    app.setErrorHandler((error, _, reply) => answerError(desk, error, reply))
    pageRoutes(app, { desk, checkoutService, advance })
    app.get('/clock', async (_, reply) => sendJson(reply, clockOf(desk)))
    app.post('/clock', async (request, reply) => {
      await advance(readSeconds(inputOf(request)))
      return sendJson(reply, clockOf(desk))
    })
    faultRoutes(app, desk)
    deliveryRoutes(app, desk, checkoutService)
    app.get('/checkouts', async (_, reply) =>
      sendJson(reply, { data: [...desk.store.checkouts.all()].reverse().map(toJson) }),
    )
  }
}

/** The same for a browser: each form does its deed and leads back to the page. */
function pageRoutes(app: FastifyInstance, { desk, checkoutService, advance }: SandboxContext): void {
  app.get('/', async (_, reply) => reply.headers(PAGE_HEADERS).send(sandboxPage(desk)))
  const deed = (name: string, carryOut: (form: JsonObject) => unknown) =>
    app.post(`/page/${name}`, async (request, reply) => {
      await carryOut(inputOf(request))
      return reply.redirect('/_sandbox', 303)
    })
  deed('clock', ({ advance_seconds }) => advance(readSeconds({ advance_seconds: Number(advance_seconds) })))
  deed('faults', ({ fault, state }) => setFaults(desk, { [String(fault)]: state === 'on' }))
  deed('resend', ({ delivery }) =>
    checkoutService.sender.resend(findOr404Anywhere(desk, String(delivery)).id),
  )
}

/** A browser that sends no referrer calls its own forms foreign, hence `same-origin`. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

function setFaults({ faults }: EmulatorContext, wanted: JsonObject): void {
  const errors = faults.problemsOf(wanted)
  const [first] = Object.values(errors).flat()
  if (first !== undefined) throw new ApiRefusal(422, { message: first, errors })
  faults.set(wanted)
}

function findOr404Anywhere({ store: { deliveries } }: EmulatorContext, id: string): DeliveryRecord {
  return deliveries.findAnywhere(id) ?? findOr404(deliveries, id, false)
}

function faultRoutes(app: FastifyInstance, desk: EmulatorContext): void {
  const { faults } = desk
  app.get('/faults', async (_, reply) => sendJson(reply, { ...faults.current() }))
  app.post('/faults', async (request, reply) => {
    setFaults(desk, inputOf(request))
    return sendJson(reply, { ...faults.current() })
  })
  app.delete('/faults', async (_, reply) => {
    faults.clear()
    return sendJson(reply, { ...faults.current() })
  })
}

function deliveryRoutes(app: FastifyInstance, desk: EmulatorContext, { sender }: CheckoutService): void {
  const { deliveries } = desk.store
  const find = (id: string) => findOr404Anywhere(desk, id)
  app.get('/deliveries', async (_, reply) =>
    sendJson(reply, { data: [...deliveries.all()].reverse().map(shownDelivery) }),
  )
  app.get<ById>('/deliveries/:id', async ({ params }, reply) => {
    const { body, signature, ...delivery } = find(params.id)
    return sendJson(reply, { ...shownDelivery({ body, signature, ...delivery }), body, signature })
  })
  app.post<ById>('/deliveries/:id/resend', async ({ params }, reply) =>
    sendJson(reply, shownDelivery(await sender.resend(find(params.id).id))),
  )
}

/** The bytes stand in the answer for the single delivery: a list of them would be long. */
function shownDelivery(delivery: DeliveryRecord): JsonObject {
  return {
    id: delivery.id,
    event_id: delivery.event_id,
    type: delivery.type,
    checkout_id: delivery.checkout_id,
    url: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts.map(({ at_ms, status, error }) => ({ at: isoOf(at_ms), status, error })),
    next_attempt_at: delivery.next_attempt_at_ms === null ? null : isoOf(delivery.next_attempt_at_ms),
  }
}

/**
 * Without a password by design, so two doors are shut: a foreign name that resolves to this machine (DNS
 * rebinding), and a page of another site that posts here.
 */
function refuseStrangers({ headers }: FastifyRequest): void {
  const host = headers.host ?? ''
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)
  if (!isLoopback) throw new ApiRefusal(403, { message: 'The sandbox answers to loopback names only.' })
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    throw new ApiRefusal(403, { message: 'The sandbox answers to no other site.' })
}

function readSeconds({ advance_seconds: seconds }: JsonObject): number {
  const inRange = typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_ADVANCE_SECONDS
  if (inRange) return seconds
  const message = `advance_seconds must be a number from 0 to ${MAX_ADVANCE_SECONDS}.`
  throw new ApiRefusal(422, { message, errors: { advance_seconds: [message] } })
}

function clockOf({ clock }: EmulatorContext): JsonObject {
  return { now: isoOf(clock.now()) }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

function answerError(desk: EmulatorContext, error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof ApiRefusal) return sendJson(reply.code(error.status), error.body)
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 500) desk.log({ message: 'bug', error: String(error) })
  return sendJson(reply.code(status), { message: status >= 500 ? 'Server Error' : 'Bad Request' })
}
