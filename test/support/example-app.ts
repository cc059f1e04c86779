import Type from 'typebox'
import { BillingError } from '../../packages/ishtirak/src/core/error.js'
import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import { createApp } from '../../packages/ishtirak/src/http/app.js'
import { healthRoutes, type Readiness } from '../../packages/ishtirak/src/http/health.js'
import { createMetrics, type Metrics } from '../../packages/ishtirak/src/http/metrics.js'
import { problemResponses } from '../../packages/ishtirak/src/http/problem.js'
import { acceptAnyType, rawBody } from '../../packages/ishtirak/src/http/request.js'
import { installDocumentation } from '../../packages/ishtirak/src/main/documentation.js'
import { createLog, type Log } from '../../packages/ishtirak/src/runtime/log.js'
import { EXAMPLE_PLANS } from '../../packages/ishtirak/src/runtime/plans-file.js'
import { sendRaw } from './raw.js'

export interface Example {
  readonly base: string
  readonly lines: readonly string[]
  readiness: Readiness
  readonly metrics: Metrics
  post(path: string, body: string | Uint8Array<ArrayBuffer>, headers?: object): Promise<Response>
  sendRaw(bytes: string | Buffer): Promise<string>
  close(): Promise<void>
}

export const PUBLIC_URL = 'https://billing.example'

const Order = Type.Object(
  { plan: Type.String({ minLength: 1, maxLength: 64 }), amount: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
)
const OrderQuery = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) },
  { additionalProperties: false },
)

export async function startExample(): Promise<Example> {
  const { log, lines } = captureLog()
  const readiness: Readiness = { ready: true, checks: { database: 'ok' } }
  const metrics = createMetrics()
  const app = createApp({ log, publicUrl: PUBLIC_URL, metrics })
  installDocumentation(app, { publicUrl: PUBLIC_URL, plans: EXAMPLE_PLANS, capabilities: [] })
  await app.register(healthRoutes(async () => example.readiness))
  await app.register(async (routes) => {
    const body = { body: Order, response: problemResponses('validation_failed') }
    routes.post('/orders', { schema: body }, (request) => ({ received: request.body }))
    routes.get('/orders', { schema: { querystring: OrderQuery } }, (request) => ({ query: request.query }))
    routes.get('/orders/:id', (request) => ({ params: request.params }))
    routes.get('/refusal', () => {
      const extra = { current_period_end: '2026-12-31T10:00:00Z', status: 'not this one' }
      throw new BillingError('already_subscribed', { extra, retryAfterSeconds: 7 })
    })
    routes.get('/bug', () => {
      throw new Error('password=hush at /srv/secret.ts')
    })
    routes.get('/thrown-text', () => {
      throw 'hush'
    })
    routes.get('/database', () => {
      throw new DatabaseUnavailable('connection refused by db.internal')
    })
    routes.get('/private', () => {
      throw new BillingError('unauthenticated')
    })
    routes.get('/cached', (_request, reply) => {
      reply.headers({ etag: '"1"', 'cache-control': 'public, max-age=300' })
      throw new BillingError('not_found')
    })
  })
  await app.register(async (routes) => {
    acceptAnyType(routes, 'bytes')
    routes.post('/raw', (request) => ({ hex: rawBody(request).toString('hex') }))
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const example: Example = {
    ...{ base, lines, readiness, metrics },
    post: (path, body, more = {}) => {
      const headers = { 'content-type': 'application/json', ...more }
      return fetch(base + path, { method: 'POST', headers, body })
    },
    sendRaw: (bytes) => sendRaw(base, bytes),
    close: () => app.close(),
  }
  return example
}

export function captureLog(level: 'trace' | 'info' | 'warn' = 'info'): { log: Log; lines: string[] } {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { lines, log: createLog({ level, destination }) }
}

export async function expectProblem(response: Response, status: number, code: string) {
  const body = await response.json()
  expect({ status: response.status, code: body.code }).toEqual({ status, code })
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(body).toMatchObject({ status, type: `${PUBLIC_URL}/docs/errors#${code}` })
  expect(body.request_id).toBe(response.headers.get('x-request-id'))
  return body
}
