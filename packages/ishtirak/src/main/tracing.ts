// Traces by the SDK of OpenTelemetry, sent by OTLP over HTTP. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set; nothing is
// registered globally. Spans name routes, peers and statuses: no address with its query, no id of a user, no body.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { MINUTE } from '../core/instant.js'
import { type App, routeOf } from '../http/app.js'
import { systemClock } from '../runtime/clock.js'
import { sendByNode, withoutSlash } from '../runtime/http-client.js'
import { type Log, throttled } from '../runtime/log.js'
import { VERSION } from '../runtime/package.js'
import type { Tracing } from '../runtime/tracing.js'

export interface ServiceTracing extends Tracing {
  /** Records every request of this app but the probes. Before its routes are registered. */
  watch(app: App): void
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>
}

/** Something that is recorded. A request is begun late, since only its work finds out which trace it is part of. */
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
const STOP_MS_MAX = 2_000
/** Not billing's clock, which the sandbox moves. */
const { now } = systemClock()

/** `url` is that of OTEL_EXPORTER_OTLP_ENDPOINT. The SDK reads OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_BSP_… */
export function startTracing(url: string, log: Log): ServiceTracing {
  const exporter = new OTLPTraceExporter({ url: `${withoutSlash(url)}/v1/traces` })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || 'ishtirak',
      'service.version': VERSION,
    }),
    spanProcessors: [new BatchSpanProcessor(sayingFailures(exporter, log))],
  })
  const recorder = createRecorder(provider.getTracer('ishtirak', VERSION))
  return {
    ...recorder,
    watch: (app) => watchRequests(app, recorder),
    stop: async () => {
      const sent = provider.shutdown().then(
        () => true,
        () => false,
      )
      if (await Promise.race([sent, wait(STOP_MS_MAX, false, { ref: false })])) return
      log.warn('the last traces are lost: the collector does not take them')
    },
  }
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
      return await underWay.run(recorded, work)
    } catch (error) {
      // Without its message, which may name a user.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : '' })
      throw error
    } finally {
      span.end()
    }
  }
  const placeNow = (traceparent: string | null) => {
    const recorded = underWay.getStore()
    return placeOf(traceparent === null ? null : read(traceparent), recorded ? begin(recorded) : null)
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
      record({ name, kind: SpanKind.INTERNAL, startTime: now(), ...placeNow(traceparent) }, work),
    send: (peer) => (request, signal) => {
      const { method, url } = request
      const sent: Recorded = {
        name: `${method} ${peer}`,
        kind: SpanKind.CLIENT,
        startTime: now(),
        attributes: { 'http.request.method': method, 'server.address': new URL(url).hostname },
        ...placeNow(null),
      }
      return record(sent, async () => {
        const headers = { ...request.headers, traceparent: write(begin(sent)) }
        const answer = await sendByNode({ ...request, headers }, signal)
        begin(sent).setAttribute('http.response.status_code', answer.status)
        return answer
      })
    },
  }
}

/** Below what is under way; where `named` is of another trace, below that with a link to what is under way. */
function placeOf(named: Context | null, above: Span | null): Pick<Recorded, 'parent' | 'links'> {
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
      const parent = typeof headers.traceparent === 'string' ? read(headers.traceparent) : null
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

const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** Null: not as W3C Trace Context has it. */
function read(traceparent: string): Context | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : null
}

function write(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

/** The SDK is silent where its collector does not answer, and drops what it cannot keep. */
function sayingFailures(exporter: SpanExporter, log: Log): SpanExporter {
  const say = throttled(systemClock(), MINUTE, (error: Error | undefined) =>
    log.warn({ failure: error?.message }, 'traces are lost: the collector does not take them'),
  )
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) say(result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
