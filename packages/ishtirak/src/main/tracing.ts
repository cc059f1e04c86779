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
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
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

const PROBES = new Set(['/healthz', '/readyz'])

/** The provider that the host has registered with @opentelemetry/api. The host sends what is recorded. */
export function hostTracing(): ServiceTracing {
  return { ...tracingBy(trace.getTracer('ishtirak', VERSION)), stop: async () => {} }
}

export function tracingBy(tracer: Tracer): Omit<ServiceTracing, 'stop'> {
  const underWay = new AsyncLocalStorage<Span>()
  const currentSpan = () => (underWay.getStore() ?? trace.getSpan(context.active()))?.spanContext()
  const begin = (name: string, kind: SpanKind, attributes: Attributes, traceparent?: unknown): Span => {
    const [outer, named] = [
      currentSpan(),
      typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined,
    ]
    const isElsewhere = outer && named && named.traceId !== outer.traceId
    const parent = isElsewhere ? named : (outer ?? named)
    const links = isElsewhere ? [{ context: outer }] : []
    const below = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    return tracer.startSpan(name, { kind, attributes, links }, below)
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
      const { method, headers } = request
      const route = routeOf(request)
      // A host that records its requests has begun this one, below its caller's.
      const caller = currentSpan() ? undefined : headers.traceparent
      const attributes = { 'http.request.method': method, 'http.route': route }
      if (!PROBES.has(route))
        requests.set(request, begin(`${method} ${route}`, SpanKind.SERVER, attributes, caller))
      done()
    })
    // After the body is read: its events come from the socket, and know nothing of the request.
    app.addHook('preHandler', (request, _reply, done) => {
      const span = requests.get(request)
      if (span) underWay.run(span, done)
      else done()
    })
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
      const traceparent = traceparentOf(span.spanContext())
      const headers = { ...request.headers, ...(traceparent && { traceparent }) }
      const answer = await sendByNode({ ...request, headers }, signal)
      span.setAttribute('http.response.status_code', answer.status)
      return answer
    })
  }
  return {
    current: () => traceparentOf(currentSpan()),
    span: (name, traceparent, work) => record(begin(name, SpanKind.INTERNAL, {}, traceparent), work),
    send,
    watch,
  }
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** Undefined: not as W3C Trace Context has it. */
function parseTraceparent(traceparent: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

/** Null: nothing records. */
function traceparentOf(context: SpanContext | undefined): string | null {
  if (!context || !isSpanContextValid(context)) return null
  return `00-${context.traceId}-${context.spanId}-0${context.traceFlags & 1}`
}
