// The metrics for Prometheus, in a registry of their own so that two services in one process (tests) do not
// count for each other. No metric decides anything.
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** From a cached read (1 ms) to our longest wait for the provider (10 s). */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface RequestLabels {
  readonly method: string
  readonly route: string
  readonly status: number
}

/** Requests are counted in batches: 0.5 µs each. Counted one by one between other work, each takes 3 µs. */
const NOTED_MAX = 500

export function createMetrics({ processMetrics = true } = {}) {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
    collect: () => countNoted(),
  })
  let noted: { readonly labels: RequestLabels; readonly seconds: number }[] = []
  const countNoted = () => {
    for (const { labels, seconds } of noted) durations.observe(labels, seconds)
    noted = []
  }
  return {
    /** Other parts add their own metrics here. */
    registry,
    /** `route` is the pattern, never the address: ids in labels would grow without end. */
    observeRequest: (labels: RequestLabels, seconds: number): void => {
      noted.push({ labels, seconds })
      if (noted.length >= NOTED_MAX) countNoted()
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
