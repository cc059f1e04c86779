// What is counted, and the figures for Prometheus on a port of their own, so that no user of the public one
// sees them.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter } from 'prom-client'
import type { Metrics } from '../http/metrics.js'
import type { Count, Log, Occurrence } from '../runtime/log.js'
import type { Config } from './config.js'

interface CounterDefinition {
  readonly name: string
  readonly help: string
  readonly labelNames: string[]
  /** Series that stand at 0 from the start: Prometheus sees no increase in the first count of a new one. */
  readonly begun: readonly Readonly<Record<string, string>>[]
}

/** What is counted, under the names that are published. */
const COUNTERS: Readonly<Record<Occurrence['name'], CounterDefinition>> = {
  settlement: {
    name: 'ishtirak_settlements_total',
    help: 'Reports of the provider, by what came of them',
    labelNames: ['outcome'],
    begun: each('outcome', 'booked', 'booked_second', 'review', 'refused', 'withdrawn', 'unknown_checkout'),
  },
  provider_event: {
    name: 'ishtirak_provider_events_total',
    help: 'Webhooks received, by what was made of them',
    labelNames: ['result'],
    begun: each('result', 'accepted', 'duplicate', 'invalid_signature', 'malformed'),
  },
  checkout_opened: {
    name: 'ishtirak_checkouts_opened_total',
    help: 'Checkouts that the provider opened for us; transfers are none',
    labelNames: [],
    begun: [],
  },
  transfer: {
    name: 'ishtirak_transfers_total',
    help: 'What operators said of transfers; booked are those that settlements count',
    labelNames: ['act'],
    begun: each('act', 'approve', 'refuse'),
  },
  event_delivery: {
    name: 'ishtirak_event_deliveries_total',
    help: 'Attempts to deliver an event to the platform, by outcome; endpoint_disabled: it was given up',
    labelNames: ['outcome'],
    begun: each('outcome', 'delivered', 'failed', 'endpoint_disabled'),
  },
  mail: {
    name: 'ishtirak_mails_total',
    help: 'Mail that was due, by what became of it',
    labelNames: ['outcome'],
    begun: each('outcome', 'sent', 'failed', 'refused'),
  },
  discrepancy: {
    name: 'ishtirak_discrepancies_total',
    help:
      'What the reconciliation with the provider found on one side only, or different, by what was made of ' +
      'it',
    labelNames: ['kind', 'outcome'],
    begun: [
      { kind: 'booked_not_paid', outcome: 'reported' },
      { kind: 'differs', outcome: 'reported' },
      { kind: 'unknown_paid', outcome: 'unknown_checkout' },
      { kind: 'paid_not_booked', outcome: 'booked' },
    ],
  },
}

function each(label: string, ...values: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return values.map((value) => ({ [label]: value }))
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

export interface MetricsPort {
  /** Where Prometheus reads. */
  readonly url: string
  close(): void
}

/** Null where METRICS_PORT is not set. Throws what keeps it from listening. */
export async function openMetricsPort(
  config: Config,
  render: () => Promise<{ contentType: string; text: string }>,
  log: Log,
): Promise<MetricsPort | null> {
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
