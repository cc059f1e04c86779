// The metrics for Prometheus, in a registry of their own so that two services in one process (tests) do not
// count for each other. No metric decides anything.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

/** From a cached read (1 ms) to our longest wait for the provider (10 s). */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** `series` stand at 0 from the start: Prometheus sees no increase in the first count of a new one. */
function counter<Labels extends Readonly<Record<string, string>> = Readonly<Record<never, string>>>(
  name: string,
  help: string,
  series: readonly Labels[] = [],
) {
  return { name: `ishtirak_${name}_total`, help, labelNames: Object.keys(series[0] ?? {}), series }
}

/** One series for each value of a counter's only label. The compiler widens a computed name to `string`. */
const each = <Label extends string>(label: Label, ...values: readonly string[]) =>
  values.map((value) => ({ [label]: value }) as { readonly [key in Label]: string })

/** Use cases count an occurrence by the key of its counter. */
const COUNTERS = {
  settlement: counter(
    'settlements',
    'Reports of the provider, by their outcome',
    each('outcome', 'booked', 'booked_second', 'review', 'refused', 'withdrawn', 'unknown_checkout'),
  ),
  provider_event: counter(
    'provider_events',
    'Webhooks received, by their result',
    each('result', 'accepted', 'duplicate', 'invalid_signature', 'malformed'),
  ),
  checkout_opened: counter('checkouts_opened', 'Checkouts that the provider opened; transfers do not count'),
  transfer: counter('transfers', 'Decisions of operators on transfers', each('act', 'approve', 'refuse')),
  event_delivery: counter(
    'event_deliveries',
    'Attempts to deliver an event to the platform, by outcome; endpoint_disabled: it was given up',
    each('outcome', 'delivered', 'failed', 'endpoint_disabled'),
  ),
  mail: counter('mails', 'Mail that was due, by its outcome', each('outcome', 'sent', 'failed', 'refused')),
  discrepancy: counter(
    'discrepancies',
    'Payments that differ between us and the provider, by what was done',
    [
      { kind: 'booked_not_paid', outcome: 'reported' },
      { kind: 'differs', outcome: 'reported' },
      { kind: 'unknown_paid', outcome: 'unknown_checkout' },
      { kind: 'paid_not_booked', outcome: 'booked' },
    ],
  ),
}

type Counters = typeof COUNTERS
export type Count = (
  what: {
    [Name in keyof Counters]: { readonly name: Name } & Counters[Name]['series'][number]
  }[keyof Counters],
) => void

type RequestLabels = { readonly method: string; readonly route: string; readonly status: number }

/** Requests are counted in batches: 0.5 µs each. Counted one by one between other work, each takes 3 µs. */
const PENDING_MAX = 500

export function createMetrics({ processMetrics = true } = {}) {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
    collect: () => countPending(),
  })
  let pending: { readonly labels: RequestLabels; readonly seconds: number }[] = []
  const countPending = () => {
    for (const { labels, seconds } of pending) durations.observe(labels, seconds)
    pending = []
  }
  const counters = new Map<string, Counter>()
  for (const [key, { series, ...definition }] of Object.entries(COUNTERS)) {
    const counter = new Counter({ ...definition, registers: [registry] })
    for (const labels of series) counter.inc(labels, 0)
    counters.set(key, counter)
  }
  const count: Count = ({ name, ...labels }) => counters.get(name)?.inc(labels)
  return {
    count,
    /** Other parts add their own metrics here. */
    registry,
    /** `route` is the pattern, never the address: ids in labels would grow without end. */
    observeRequest: (labels: RequestLabels, seconds: number): void => {
      pending.push({ labels, seconds })
      if (pending.length >= PENDING_MAX) countPending()
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
