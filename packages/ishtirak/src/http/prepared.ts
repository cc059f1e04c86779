// Answers that are the same for everyone, written before the router is asked: finding the route, its hooks and its reply
// cost as much again as node's own share of such a request. Only the usual question is answered here. Whoever asks in
// another way, too often, or while we stop, gets the same answer (or his refusal) from the router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from './metrics.js'
import type { CountCall } from './rate-limit.js'
import { requestIdOf } from './request-id.js'

export interface PreparedAnswer {
  /** Without a query; asked for with GET. */
  readonly path: string
  /** As text: node sends it in one piece with the headers, which a buffer is not. */
  readonly body: string
  /** Beside those that every answer has. */
  readonly headers: Readonly<Record<string, string>>
  /** Told the caller's address. */
  readonly countCall: CountCall
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The route must exist as well: the router answers whatever is unusual. */
    prepareAnswer(answer: PreparedAnswer): void
  }
}

export function installPreparedAnswers(
  app: FastifyInstance,
  parts: { readonly metrics: Metrics; readonly trustsProxies: boolean },
): void {
  const answers = new Map<string, { readonly answer: PreparedAnswer; readonly fixed: readonly string[] }>()
  app.decorate('prepareAnswer', (answer: PreparedAnswer) => {
    answers.set(answer.path, { answer, fixed: fixedHeaders(answer) })
  })

  const answerFirst = (request: IncomingMessage, response: ServerResponse): boolean => {
    const prepared = request.method === 'GET' && answers.get(request.url ?? '')
    const { remoteAddress } = request.socket
    if (!prepared || remoteAddress === undefined || isUnusual(request, parts.trustsProxies)) return false
    // Asked to stop: the router says so to the client.
    if (!app.server.listening) return false
    const startedAt = performance.now()
    const { answer, fixed } = prepared
    const call = answer.countCall(remoteAddress)
    if (call.isOver) return false
    const own = [
      'x-request-id',
      requestIdOf(request),
      'ratelimit-policy',
      call.policy,
      'ratelimit',
      call.left,
    ]
    response.writeHead(200, own.concat(fixed)).end(answer.body)
    parts.metrics.observeRequest('GET', answer.path, 200, (performance.now() - startedAt) / 1_000)
    return true
  }
  const routers = app.server.listeners('request')
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (!answerFirst(request, response))
      for (const router of routers) router.call(app.server, request, response)
  })
}

/** The caller has a copy already, expects something, or may come through a proxy that we believe. */
function isUnusual({ headers }: IncomingMessage, trustsProxies: boolean): boolean {
  if (headers['if-none-match'] !== undefined || headers.expect !== undefined) return true
  return trustsProxies && headers['x-forwarded-for'] !== undefined
}

function fixedHeaders({ headers, body }: PreparedAnswer): readonly string[] {
  const all = {
    'x-content-type-options': 'nosniff',
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  }
  return Object.entries(all).flat()
}
