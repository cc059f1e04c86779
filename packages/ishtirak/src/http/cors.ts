// The origins whose pages may call the users' API from a browser. They send the user's token themselves, and
// no cookie is used. All other paths answer as if no origin was sent.
import fastifyCors, { type FastifyCorsOptions } from '@fastify/cors'
import type { App } from './app.js'
import { pathOf } from './request.js'

const API_OF_USERS = '/api/v1/billing/'

/** `origins`: CORS_ORIGINS, such as `https://app.example`. Must be called before routes are registered. */
export async function allowOrigins(app: App, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const options: FastifyCorsOptions = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['retry-after', 'x-request-id'],
    maxAge: 600,
    strictPreflight: false,
  }
  await app.register(fastifyCors, {
    delegator: (request, done) =>
      done(null, pathOf(request.url).startsWith(API_OF_USERS) ? options : { origin: false }),
  })
}
