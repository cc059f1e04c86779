// Records spans with the tracer of trace-export.ts or of a host. It is loaded only if traces are wanted.
// Spans name routes, peers and statuses: no query, no user, no body, no message of an error. @fastify/otel
// 0.21 records the address of each request and the message of each error, which name users.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { type App, routeOf } from '../http/app.js'
import { sendByNode } from '../runtime/http-client.js'
import { VERSION } from '../runtime/package.js'
import type { Tracing } from '../runtime/tracing.js'

export interface ServiceTracing extends Tracing {
  /** Records every request of this app but the probes. Before its routes are registered. */
  watch(app: App): void
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>
}

/** The default provider is the one that a host has registered, which then sends the spans. */
export function tracingBy(provider: TracerProvider = trace, stop = async () => {}): ServiceTracing {
  const tracer = provider.getTracer('ishtirak', VERSION)
  const underWay = new AsyncLocalStorage<Span | undefined>()
  const running = () => (underWay.getStore() ?? trace.getSpan(context.active()))?.spanContext()
  const current = () => {
    const span = running()
    if (!span || !isSpanContextValid(span)) return null
    return `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`
  }
  const begin = (name: string, kind: SpanKind, attributes: Attributes, traceparent?: unknown): Span => {
    const [outer, named] = [running(), parseTraceparent(traceparent)]
    const isElsewhere = outer && named && named.traceId !== outer.traceId
    const parent = isElsewhere ? named : (outer ?? named)
    const below = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    return tracer.startSpan(name, { kind, attributes, links: isElsewhere ? [{ context: outer }] : [] }, below)
  }
  const record = async <Result>(span: Span, work: () => Promise<Result>): Promise<Result> => {
    try {
      // The context is for what else records in this process, such as instruments of the host.
      return await context.with(trace.setSpan(context.active(), span), () => underWay.run(span, work))
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : '' })
      throw error
    } finally {
      span.end()
    }
  }
  const watch = (app: App) => {
    const requests = new WeakMap<object, Span>()
    app.addHook('onRequest', (request, _reply, done) => {
      const [{ method, headers }, route] = [request, routeOf(request)]
      // A host that records its requests has begun this one, below its caller's.
      const caller = running() ? undefined : headers.traceparent
      const attributes = { 'http.request.method': method, 'http.route': route }
      if (!/^\/(health|ready)z$/.test(route))
        requests.set(request, begin(`${method} ${route}`, SpanKind.SERVER, attributes, caller))
      done()
    })
    // After the body is read: its events come from the socket, and know nothing of the request.
    app.addHook('preHandler', (request, _reply, done) => underWay.run(requests.get(request), done))
    app.addHook('onResponse', (request, { statusCode: status }, done) => {
      const span = requests.get(request)?.setAttribute('http.response.status_code', status)
      if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      done()
    })
  }
  const send: ServiceTracing['send'] = (peer) => (request, signal) => {
    const { method, url } = request
    const attributes = { 'http.request.method': method, 'server.address': new URL(url).hostname }
    const span = begin(`${method} ${peer}`, SpanKind.CLIENT, attributes)
    return record(span, async () => {
      const traceparent = current()
      const headers = { ...request.headers, ...(traceparent && { traceparent }) }
      const answer = await sendByNode({ ...request, headers }, signal)
      span.setAttribute('http.response.status_code', answer.status)
      return answer
    })
  }
  return {
    ...{ current, send, watch, stop },
    span: (name, traceparent, work) => record(begin(name, SpanKind.INTERNAL, {}, traceparent), work),
  }
}

/** Undefined: not as W3C Trace Context has it. */
function parseTraceparent(traceparent: unknown) {
  const parts = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(`${traceparent}`)
  const [, traceId = '', spanId = '', flags = ''] = parts ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}
