// The gateways' webhooks. They answer 200 only after the event and its effect are saved.
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { acceptAnyType, rawBody } from '../http/request.js'
import type { Webhook } from '../ledger/method.js'
import { WebhookAnswerSchema } from '../ledger/schemas.js'
import { receiveEvent, type WebhookDeps } from './webhook.js'

type WebhookRoutesDeps = WebhookDeps & Pick<CallerChecks, 'limitAnonymous'>

export function webhookRoutes(deps: WebhookRoutesDeps) {
  return async (app: App): Promise<void> => {
    acceptAnyType(app, 'bytes')
    for (const { name, webhook } of deps.methods.all) if (webhook) webhookRoute(app, deps, name, webhook)
  }
}

function webhookRoute(app: App, deps: WebhookRoutesDeps, method: string, webhook: Webhook): void {
  const schema = {
    security: [{ signature: [] }],
    tags: ['provider'],
    summary: 'Payment webhook (internal)',
    ...webhook.operation,
    response: {
      200: WebhookAnswerSchema,
      ...problemResponses(
        'invalid_signature',
        'malformed_json',
        'event_without_checkout',
        'payload_too_large',
        'rate_limited',
        'database_unavailable',
      ),
    },
  }
  app.post(webhook.path, { schema }, async (request, reply) => {
    const given = request.headers[webhook.signatureHeader]
    const signature = typeof given === 'string' ? given : undefined
    const received = receiveEvent(deps, method, { body: rawBody(request), signature }, request.id)
    const { duplicate } = await received.catch((error: unknown) => {
      // Only unsigned calls are counted: the provider may call as often as it needs.
      if (error instanceof BillingError && error.code === 'invalid_signature')
        deps.limitAnonymous(request, reply)
      throw error
    })
    return { received: true as const, ...(duplicate && { duplicate }) }
  })
}
