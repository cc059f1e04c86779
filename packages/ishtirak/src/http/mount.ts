// The app inside another program: requests are handed over without the prefix. The host's server, parsers,
// hooks and errors are not affected. A body that the host has read without storing it is refused.
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Response as Injected, type InjectOptions, inject } from 'light-my-request'
import { BillingError } from '../core/error.js'
import { type App, REQUEST_TIMEOUT_MS } from './app.js'
import { bufferedBody } from './request.js'

export interface MountedApp {
  /** A plugin for a host's Fastify. The prefix is the one of `register`. */
  readonly fastify: FastifyPluginAsync
  /** A handler for hosts that use the web's Request and Response. */
  fetch(request: Request, client?: FetchClient): Promise<Response>
  /** A listener for node:http and a middleware. A path outside the prefix goes to `next`, or gets 404. */
  listener(request: IncomingMessage, response: ServerResponse, next?: () => void): void
}

/** Facts about the client that a Request does not contain. */
export interface FetchClient {
  /**
   * The address of the client, or of the last proxy in front of the host (TRUSTED_PROXIES). Without it, all
   * anonymous clients share one rate limit.
   */
  readonly clientAddress?: string
}

interface MountOptions {
  /** The path that requests still have when they are handed over, such as `/billing`; empty: none. */
  readonly prefix: string
  /** Throws if the addresses that the app gives out would not lead to this prefix. */
  requirePrefix(prefix: string): void
  /** The host's request of each request that the app sees. */
  readonly hostRequests: WeakMap<IncomingMessage, object>
  /** Called when the host's Fastify closes. */
  stop(): Promise<void>
}

export function mount(app: App, options: MountOptions): MountedApp {
  const { prefix } = options
  options.requirePrefix(prefix)
  const elsewhere = `Ishtirak is mounted under ${prefix}\n`
  const exchange = (call: Call) => answerOf(app, options.hostRequests, call)
  const handOver = (request: IncomingMessage, response: ServerResponse, path: string, host: object) => {
    options.hostRequests.set(request, host)
    const { url } = request
    // The host's own listeners (access logs) see the address that they know.
    const restore = () => {
      request.url = url
    }
    response.prependListener('finish', restore).prependListener('close', restore)
    request.url = path
    app.routing(request, response)
  }
  return {
    fastify: plugin(handOver, options),
    fetch: async (request, client) => {
      const { pathname, search } = new URL(request.url)
      const path = pathBelow(prefix, `${pathname}${search}`)
      if (path === undefined) return new Response(elsewhere, { status: 404 })
      if (request.bodyUsed) throw new TypeError('the host has read the body of this request already')
      request.signal.throwIfAborted()
      return webAnswer(request, await exchange(webCall(request, path, client)))
    },
    listener: (request, response, next) => {
      const path = pathBelow(prefix, fullUrl(request))
      if (path !== undefined) {
        const body = bufferedBody(request)
        if (body === undefined) return handOver(request, response, path, request)
        exchange(bufferedCall(request, path, body)).then(
          (answer) => send(answer, response),
          (error) => response.destroy(error),
        )
      } else if (next) next()
      else response.writeHead(404, { 'content-type': 'text/plain' }).end(elsewhere)
    },
  }
}

type HandOver = (request: IncomingMessage, response: ServerResponse, path: string, host: object) => void

/** Encapsulated: its hook runs after the host's own `onRequest` hooks, and replaces all later ones. */
function plugin(handOver: HandOver, { requirePrefix, stop }: MountOptions): FastifyPluginAsync {
  return async (host) => {
    requirePrefix(host.prefix)
    const take = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
      const path = pathBelow(host.prefix, request.raw.url ?? '/')
      if (path === undefined) return next()
      reply.hijack()
      // The host's headers, such as those of CORS.
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      handOver(request.raw, reply.raw, path, request)
    }
    host.addHook('onRequest', take)
    host.addHook('onClose', stop)
    const handler = (_request: FastifyRequest, reply: FastifyReply) => reply.callNotFound()
    const route = { method: host.supportedMethods, schema: { hide: true }, handler }
    host.route({ ...route, url: '/*' })
    if (host.prefix !== '') host.route({ ...route, url: '/', prefixTrailingSlash: 'no-slash' })
  }
}

/** The path below the prefix with its query; undefined: it is outside the prefix. */
function pathBelow(prefix: string, url: string): string | undefined {
  if (!url.startsWith(prefix)) return undefined
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : undefined
}

/** Express removes the mount path from `url`. */
function fullUrl(request: IncomingMessage): string {
  const { originalUrl, url = '/' } = request as IncomingMessage & { readonly originalUrl?: unknown }
  return typeof originalUrl === 'string' ? originalUrl : url
}

interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body?: Buffer | Readable
  readonly address: string | undefined
  readonly host: object
}

/** Not the address of any network, so that no proxy is trusted by it. */
const UNKNOWN_ADDRESS = '0.0.0.0'

/** Answers a request that has no connection of its own. The answer is a stream. */
async function answerOf(app: App, hosts: MountOptions['hostRequests'], call: Call): Promise<Injected> {
  const { method, path, headers, body, address = UNKNOWN_ADDRESS, host } = call
  const isWhole = () => !(body instanceof Readable) || body.readableEnded
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    hosts.set(request, host)
    Object.defineProperty(request, 'complete', { get: isWhole })
    app.routing(request, response)
  }
  const answer = await inject(dispatch, {
    // The library would refuse an unknown method. The app answers it.
    validate: false,
    method: method as NonNullable<InjectOptions['method']>,
    url: path,
    headers,
    remoteAddress: address,
    payloadAsStream: true,
    ...(body === undefined ? {} : { payload: body }),
  })
  // A refusal may leave the body unread.
  if (body instanceof Readable) body.destroy()
  return answer
}

function webCall(request: Request, path: string, client?: FetchClient): Call {
  // Some servers give a DELETE without a body an empty stream.
  const isBare = request.method === 'DELETE' && !request.headers.has('content-type')
  const body = isBare && !request.headers.has('content-length') ? null : request.body
  const headers: IncomingHttpHeaders = {
    host: new URL(request.url).host,
    ...Object.fromEntries(request.headers),
  }
  // A Request that was never sent over a network has no length.
  if (body && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  return {
    method: request.method,
    path,
    headers,
    ...(body && { body: endingStream(body, request.signal) }),
    address: typeof client?.clientAddress === 'string' ? client.clientAddress : undefined,
    host: request,
  }
}

/** Ends when the caller leaves or at the server's time limit: nothing else ends a stalled body. */
function endingStream(body: NonNullable<Request['body']>, signal: AbortSignal): Readable {
  // Node and the web declare the same stream as two types.
  const stream = Readable.fromWeb(body as ReadableStream, { signal })
  const giveUp = () => stream.destroy(new BillingError('request_timeout'))
  const timer = setTimeout(giveUp, REQUEST_TIMEOUT_MS).unref()
  return stream.once('close', () => clearTimeout(timer))
}

function bufferedCall(request: IncomingMessage, path: string, body: Buffer): Call {
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = request.headers
  return {
    method: request.method ?? 'GET',
    path,
    headers,
    body,
    address: request.socket.remoteAddress,
    host: request,
  }
}

const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding'])

function headersOf({ headers }: Injected): readonly (readonly [string, string | readonly string[]])[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OF_CONNECTION.has(name)
      ? []
      : [[name, Array.isArray(value) ? value : String(value)] as const],
  )
}

const WITHOUT_BODY = new Set([204, 205, 304])

function webAnswer({ method }: Request, answer: Injected): Response {
  const headers = new Headers()
  for (const [name, value] of headersOf(answer)) for (const one of [value].flat()) headers.append(name, one)
  const { statusCode: status } = answer
  if (method === 'HEAD' || WITHOUT_BODY.has(status)) return new Response(null, { status, headers })
  // `toWeb` throws if the caller leaves. Node and the web declare the same stream as two types.
  const body = ReadableStream.from(answer.stream()) as BodyInit
  return new Response(body, { status, headers })
}

function send(answer: Injected, response: ServerResponse): void {
  response.writeHead(answer.statusCode, Object.fromEntries(headersOf(answer)) as OutgoingHttpHeaders)
  answer.stream().pipe(response)
}
