// The provider's webhook: answered 200 only after the event and its whole effect are committed.
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { acceptRawBytes, rawBody } from '../http/request.js'
import { BASE, WebhookAnswerSchema } from '../ledger/schemas.js'
import { receiveEvent, type WebhookDeps } from './webhook.js'

export interface WebhookRoutesDeps extends WebhookDeps {
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

export function webhookRoutes(deps: WebhookRoutesDeps) {
  const schema = {
    security: [{ signature: [] }],
    tags: ['provider'],
    operationId: 'receivePaymentEvent',
    summary: 'Payment webhook (internal)',
    description: 'Called by Chargily Pay. Header `signature`: hex HMAC-SHA256 of the raw body.',
    response: {
      200: WebhookAnswerSchema,
      ...problemResponses(
        'invalid_signature',
        'malformed_json',
        'payload_too_large',
        'rate_limited',
        'database_unavailable',
      ),
    },
  }
  return async (app: App): Promise<void> => {
    acceptRawBytes(app)
    app.post(`${BASE}/webhook`, { schema }, async (request, reply) => {
      const { signature } = request.headers
      const signed = typeof signature === 'string' ? signature : undefined
      const received = receiveEvent(deps, rawBody(request), signed, request.id)
      const { duplicate } = await received.catch((error: unknown) => {
        // Only what is not signed is counted: the provider calls as often as it has something to say.
        if (error instanceof BillingError && error.code === 'invalid_signature')
          deps.limitAnonymous(request, reply)
        throw error
      })
      return duplicate ? { received: true as const, duplicate: true as const } : { received: true as const }
    })
  }
}
