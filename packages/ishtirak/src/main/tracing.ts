// What is recorded, by the tracer of trace-export.ts or that of a host. Loaded only where traces are wanted.
// Spans name routes, peers and statuses: no query, no user, no body.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type App, routeOf } from '../http/app.js'
import { systemClock } from '../runtime/clock.js'
import { sendByNode } from '../runtime/http-client.js'
import { VERSION } from '../runtime/package.js'
import type { Tracing } from '../runtime/tracing.js'

export interface ServiceTracing extends Tracing {
  /** Records every request of this app but the probes. Before its routes are registered. */
  watch(app: App): void
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>
}

/** Something that is recorded. A request is begun late: its work finds out which trace it is part of. */
interface Recorded {
  readonly name: string
  readonly kind: SpanKind
  readonly startTime: number
  readonly attributes?: Attributes
  readonly links?: Link[]
  parent: Context
  span?: Span
}

const PROBES = new Set(['/healthz', '/readyz'])
/** Not billing's clock, which the sandbox moves. */
const { now } = systemClock()

/** The provider that the host has registered with @opentelemetry/api. The host sends what is recorded. */
export function hostTracing(): ServiceTracing {
  return { ...tracingBy(trace.getTracer('ishtirak', VERSION)), stop: async () => {} }
}

/** A request stands below the caller's `traceparent`, or below what its process has under way. */
export function tracingBy(tracer: Tracer): Omit<ServiceTracing, 'stop'> {
  const recorder = createRecorder(tracer)
  return { ...recorder, watch: (app) => watchRequests(app, recorder) }
}

interface Recorder extends Tracing {
  readonly underWay: AsyncLocalStorage<Recorded>
  begin(recorded: Recorded): Span
}

function createRecorder(tracer: Tracer): Recorder {
  const underWay = new AsyncLocalStorage<Recorded>()
  const begin = (recorded: Recorded): Span => {
    recorded.span ??= tracer.startSpan(recorded.name, recorded, recorded.parent)
    return recorded.span
  }
  const record = async <Result>(recorded: Recorded, work: () => Promise<Result>): Promise<Result> => {
    const span = begin(recorded)
    try {
      // The context is for what else records in this process, such as instruments of the host.
      return await context.with(trace.setSpan(context.active(), span), () => underWay.run(recorded, work))
    } catch (error) {
      // Without its message, which may name a user.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : '' })
      throw error
    } finally {
      span.end()
    }
  }
  const parentNow = (traceparent: string | null) => {
    const recorded = underWay.getStore()
    return parentOf(traceparent === null ? null : read(traceparent), recorded ? begin(recorded) : null)
  }
  return {
    underWay,
    begin,
    current: () => {
      const recorded = underWay.getStore()
      return recorded ? write(begin(recorded)) : null
    },
    join: (traceparent) => {
      const recorded = underWay.getStore()
      if (!recorded || recorded.span || recorded.parent !== ROOT_CONTEXT || traceparent === null) return
      recorded.parent = read(traceparent) ?? ROOT_CONTEXT
    },
    span: (name, traceparent, work) =>
      record({ name, kind: SpanKind.INTERNAL, startTime: now(), ...parentNow(traceparent) }, work),
    send: (peer) => (request, signal) => {
      const { method, url } = request
      const sent: Recorded = {
        name: `${method} ${peer}`,
        kind: SpanKind.CLIENT,
        startTime: now(),
        attributes: { 'http.request.method': method, 'server.address': new URL(url).hostname },
        ...parentNow(null),
      }
      return record(sent, async () => {
        const traceparent = write(begin(sent))
        const headers = { ...request.headers, ...(traceparent && { traceparent }) }
        const answer = await sendByNode({ ...request, headers }, signal)
        begin(sent).setAttribute('http.response.status_code', answer.status)
        return answer
      })
    },
  }
}

/** Below what is under way; where `named` is of another trace, below that with a link to it. */
function parentOf(named: Context | null, above: Span | null): Pick<Recorded, 'parent' | 'links'> {
  if (!above) return { parent: named ?? ROOT_CONTEXT }
  const context = above.spanContext()
  if (!named || trace.getSpanContext(named)?.traceId === context.traceId)
    return { parent: trace.setSpan(ROOT_CONTEXT, above) }
  return { parent: named, links: [{ context }] }
}

function watchRequests(app: App, { begin, underWay }: Pick<Recorder, 'begin' | 'underWay'>): void {
  const requests = new WeakMap<IncomingMessage, Recorded>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request
    const route = routeOf(request)
    if (!PROBES.has(route)) {
      const { traceparent } = headers
      const parent = contextUnderWay() ?? (typeof traceparent === 'string' ? read(traceparent) : null)
      requests.set(request.raw, {
        name: `${method} ${route}`,
        kind: SpanKind.SERVER,
        startTime: now(),
        attributes: { 'http.request.method': method, 'http.route': route },
        parent: parent ?? ROOT_CONTEXT,
      })
    }
    done()
  })
  // After the body is read: its events come from the socket, and know nothing of the request.
  app.addHook('preHandler', (request, _reply, done) => {
    const recorded = requests.get(request.raw)
    if (recorded) underWay.run(recorded, done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const recorded = requests.get(request.raw)
    if (recorded) {
      const span = begin(recorded).setAttribute('http.response.status_code', reply.statusCode)
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
    done()
  })
}

/** A host that records its requests has begun this one, below the caller's. */
function contextUnderWay(): Context | null {
  const active = context.active()
  return trace.getSpan(active) ? active : null
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** Null: not as W3C Trace Context has it. */
function read(traceparent: string): Context | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : null
}

/** Null: nothing records. */
function write(span: Span): string | null {
  const { traceId, spanId, traceFlags } = span.spanContext()
  if (!isSpanContextValid({ traceId, spanId, traceFlags })) return null
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}
