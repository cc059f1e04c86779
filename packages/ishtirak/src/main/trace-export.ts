// Traces by the SDK of OpenTelemetry, sent by OTLP over HTTP. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT
// is set; nothing is registered globally.
import { setTimeout as wait } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { MINUTE } from '../core/instant.js'
import { systemClock } from '../runtime/clock.js'
import { withoutSlash } from '../runtime/http-client.js'
import { type Log, throttled } from '../runtime/log.js'
import { VERSION } from '../runtime/package.js'
import { type ServiceTracing, tracingBy } from './tracing.js'

const STOP_MS_MAX = 2_000

/** `url`: OTEL_EXPORTER_OTLP_ENDPOINT. The SDK reads OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, … */
export function startTracing(url: string, log: Log): ServiceTracing {
  const say = throttled(systemClock(), MINUTE, (error: Error) =>
    log.warn({ failure: error.message }, 'traces are lost, because the collector refused them'),
  )
  // The SDK says nothing if its collector does not answer, and drops the spans that it cannot keep.
  class Exporter extends OTLPTraceExporter {
    override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
      super.export(spans, (result) => {
        if (result.error) say(result.error)
        done(result)
      })
    }
  }
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || 'ishtirak',
      'service.version': VERSION,
    }),
    spanProcessors: [new BatchSpanProcessor(new Exporter({ url: `${withoutSlash(url)}/v1/traces` }))],
  })
  return tracingBy(provider, async () => {
    const sent = provider.shutdown().then(
      () => true,
      () => false,
    )
    if (await Promise.race([sent, wait(STOP_MS_MAX, false, { ref: false })])) return
    log.warn('the last traces are lost, because the collector refused them')
  })
}
