// The app inside another program: requests are handed over without the prefix. The host's server, parsers,
// hooks and errors are not affected. A body that the host has already read is refused.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Response as Injected, type InjectOptions, inject } from 'light-my-request'
import { BillingError } from '../core/error.js'
import { ConfigError } from '../runtime/config-file.js'
import { withoutSlash } from '../runtime/http-client.js'
import { type App, REQUEST_TIMEOUT_MS } from './app.js'

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

/** The host's own request, found by the request that the app sees. */
export const hostRequests = new WeakMap<IncomingMessage, object>()

/** `prefix`: the path that requests still have when they are handed over; empty: none. */
export function mount(
  { app, stop }: { readonly app: App; stop(): Promise<void> },
  publicUrl: string,
  prefix = withoutSlash(new URL(publicUrl).pathname),
): MountedApp {
  requirePrefix(prefix, publicUrl)
  const elsewhere = `Ishtirak is mounted under ${prefix}\n`
  const handOver = (request: IncomingMessage, response: ServerResponse, path: string, host: object) => {
    hostRequests.set(request, host)
    const { method, url } = request
    // The host's own listeners (access logs) see the request that they know: a HEAD becomes a GET here.
    const restore = () => Object.assign(request, { method, url })
    response.prependListener('finish', restore).prependListener('close', restore)
    request.url = path
    app.routing(request, response)
  }
  return {
    fastify: async (host) => {
      requirePrefix(host.prefix, publicUrl)
      // It runs after the host's own `onRequest` hooks, and replaces all later ones.
      host.addHook('onRequest', (request, reply, next) => {
        const path = pathBelow(host.prefix, request.raw.url ?? '/')
        if (path === undefined) return next()
        reply.hijack()
        // The host's headers, such as those of CORS.
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value)
        handOver(request.raw, reply.raw, path, request)
      })
      // Hooks run for routes alone.
      const handler = (_request: FastifyRequest, reply: FastifyReply) => reply.callNotFound()
      const route = { method: host.supportedMethods, schema: { hide: true }, handler }
      host.route({ ...route, url: '/*' })
      if (host.prefix !== '') host.route({ ...route, url: '/', prefixTrailingSlash: 'no-slash' })
      host.addHook('onClose', stop)
    },
    fetch: async (request, client) => {
      const { pathname, search } = new URL(request.url)
      const path = pathBelow(prefix, `${pathname}${search}`)
      if (path === undefined) return new Response(elsewhere, { status: 404 })
      return answerWeb(app, request, path, client)
    },
    listener: (request, response, next) => {
      // Express removes the mount path from `url`.
      const { originalUrl, url = '/' } = request as IncomingMessage & { readonly originalUrl?: unknown }
      const path = pathBelow(prefix, typeof originalUrl === 'string' ? originalUrl : url)
      if (path !== undefined) handOver(request, response, path, request)
      else if (next) next()
      else response.writeHead(404, { 'content-type': 'text/plain' }).end(elsewhere)
    },
  }
}

/** Throws `ConfigError` if the addresses that the app gives out would not lead to this prefix. */
function requirePrefix(prefix: string, publicUrl: string): void {
  const base = withoutSlash(new URL(publicUrl).pathname)
  if (prefix !== '' && !(prefix.startsWith('/') && `${base}/`.endsWith(`${prefix}/`)))
    throw new ConfigError([
      `PUBLIC_URL must end with ${prefix}, with a slash before it, the path of Ishtirak: it is ${publicUrl}`,
    ])
}

/** The path below the prefix with its query; undefined: it is outside the prefix. */
function pathBelow(prefix: string, url: string): string | undefined {
  if (!url.startsWith(prefix)) return undefined
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : undefined
}

/** Answers a request that has no connection of its own. The answer is a stream. */
async function answerWeb(app: App, request: Request, url: string, client?: FetchClient): Promise<Response> {
  if (request.bodyUsed) throw new TypeError('the host has read the body of this request already')
  request.signal.throwIfAborted()
  const body = bodyOf(request)
  const headers: IncomingHttpHeaders = Object.fromEntries(request.headers)
  headers.host ??= new URL(request.url).host
  // A Request that was never sent over a network has no length.
  if (body && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
  const dispatch = (injected: IncomingMessage, response: ServerResponse) => {
    hostRequests.set(injected, request)
    Object.defineProperty(injected, 'complete', { get: () => !body || body.readableEnded })
    app.routing(injected, response)
  }
  const answer = await inject(dispatch, {
    // The library would refuse an unknown method. The app answers it.
    validate: false,
    method: request.method as NonNullable<InjectOptions['method']>,
    ...{ url, headers },
    // By default not the address of any network, so that no proxy is trusted by it.
    remoteAddress: typeof client?.clientAddress === 'string' ? client.clientAddress : '0.0.0.0',
    payloadAsStream: true,
    ...(body && { payload: body }),
  })
  // A refusal may leave the body unread.
  body?.destroy()
  return webAnswer(request, answer)
}

/** Ends when the caller leaves or at the server's time limit: nothing else ends a stalled body. */
function bodyOf(request: Request): Readable | undefined {
  const { method, headers, body, signal } = request
  // Some servers give a DELETE without a body an empty stream.
  const isBare = method === 'DELETE' && !headers.has('content-type') && !headers.has('content-length')
  if (!body || isBare) return undefined
  // Node and the web declare the same stream as two types.
  const stream = Readable.fromWeb(body as ReadableStream, { signal })
  const giveUp = () => stream.destroy(new BillingError('request_timeout'))
  const timer = setTimeout(giveUp, REQUEST_TIMEOUT_MS).unref()
  return stream.once('close', () => clearTimeout(timer))
}

const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding']

function webAnswer({ method }: Request, { statusCode: status, headers: given, stream }: Injected): Response {
  const headers = Object.entries(given).flatMap(([name, value = []]) =>
    OF_CONNECTION.includes(name) ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  if (method === 'HEAD' || [204, 205, 304].includes(status)) return new Response(null, { status, headers })
  // `toWeb` throws if the caller leaves. Node and the web declare the same stream as two types.
  return new Response(ReadableStream.from(stream()) as BodyInit, { status, headers })
}
