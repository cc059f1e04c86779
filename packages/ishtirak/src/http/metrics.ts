// The figures for Prometheus, in a registry of their own so that two services in one process (tests) do not count each
// other. Counting only: no figure here decides anything.
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

export interface Metrics {
  /** For parts that count something of their own. */
  readonly registry: Registry
  /** `route` is the pattern, never the address: ids in labels would grow without end. */
  observeRequest(method: string, route: string, status: number, seconds: number): void
  /** The text format of Prometheus and its content type. */
  render(): Promise<{ contentType: string; text: string }>
  /** The same to be summed with those of other processes. */
  figures(): Promise<Figures>
}

/** What a registry holds, as plain data. */
export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[]

/** From a cached read (1 ms) to our longest wait for the provider (10 s). */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.processMetrics ?? true) collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  return {
    registry,
    observeRequest: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    figures: () => registry.getMetricsAsJSON(),
  }
}

/** Counters are added up; gauges as each says of itself. */
export function sumOf(all: readonly Figures[]): Promise<Figures> {
  return AggregatorRegistry.aggregate(all.map((figures) => [...figures])).getMetricsAsJSON()
}

/** The sum in the text format of Prometheus. */
export async function writeFigures(all: readonly Figures[]): Promise<{ contentType: string; text: string }> {
  const registry = AggregatorRegistry.aggregate(all.map((figures) => [...figures]))
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/** A counter in this registry, made once where it is used. */
export function counter<Label extends string>(
  metrics: Metrics,
  options: { name: string; help: string; labels?: readonly Label[] },
): Counter<Label> {
  return new Counter({
    name: options.name,
    help: options.help,
    labelNames: options.labels ?? [],
    registers: [metrics.registry],
  })
}
