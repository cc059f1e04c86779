// The counters, and the port on which Prometheus reads all metrics. Users of the public port do not see them.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter } from 'prom-client'
import type { Metrics } from '../http/metrics.js'
import type { Count, Log, Occurrence } from '../runtime/log.js'
import type { Config } from './config.js'

/** A counter with one label at most, and its values. */
function counter(name: string, help: string, label?: string, ...values: readonly string[]) {
  return {
    name: `ishtirak_${name}_total`,
    help,
    labelNames: label === undefined ? [] : [label],
    /** Series that stand at 0 from the start: Prometheus sees no increase in the first count of a new one. */
    begun: values.map((value): Record<string, string> => ({ [String(label)]: value })),
  }
}

const SETTLED = ['booked', 'booked_second', 'review', 'refused', 'withdrawn', 'unknown_checkout']
const RECEIVED = ['accepted', 'duplicate', 'invalid_signature', 'malformed']
const DELIVERED = ['delivered', 'failed', 'endpoint_disabled']

const COUNTERS: Readonly<Record<Occurrence['name'], ReturnType<typeof counter>>> = {
  settlement: counter('settlements', 'Reports of the provider, by their outcome', 'outcome', ...SETTLED),
  provider_event: counter('provider_events', 'Webhooks received, by their result', 'result', ...RECEIVED),
  checkout_opened: counter('checkouts_opened', 'Checkouts that the provider opened; transfers do not count'),
  transfer: counter('transfers', 'Decisions of operators on transfers', 'act', 'approve', 'refuse'),
  event_delivery: counter(
    'event_deliveries',
    'Attempts to deliver an event to the platform, by outcome; endpoint_disabled: it was given up',
    'outcome',
    ...DELIVERED,
  ),
  mail: counter('mails', 'Mail that was due, by its outcome', 'outcome', 'sent', 'failed', 'refused'),
  discrepancy: {
    ...counter('discrepancies', 'Payments that differ between us and the provider, by what was done'),
    labelNames: ['kind', 'outcome'],
    begun: [
      { kind: 'booked_not_paid', outcome: 'reported' },
      { kind: 'differs', outcome: 'reported' },
      { kind: 'unknown_paid', outcome: 'unknown_checkout' },
      { kind: 'paid_not_booked', outcome: 'booked' },
    ],
  },
}

export function countIn(metrics: Metrics): Count {
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, { begun, ...definition }]) => {
      const counter = new Counter({ ...definition, registers: [metrics.registry] })
      for (const labels of begun) counter.inc(labels, 0)
      return [name, counter]
    }),
  )
  return ({ name, ...labels }) => counters.get(name)?.inc(labels)
}

/** Opens the port for Prometheus; null: METRICS_PORT is not set. Throws as `listen` does. */
export async function openMetricsPort(
  config: Config,
  render: () => Promise<{ contentType: string; text: string }>,
  log: Log,
) {
  if (!config.metrics) return null
  const { host, port } = config.metrics
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    render().then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      (error) => {
        log.error({ err: error }, 'the metrics cannot be read')
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  // An address of the network, since it listens on a port.
  const { port: opened } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${opened}/metrics`
  log.info({ metrics_url: url }, 'metrics')
  return {
    url,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
