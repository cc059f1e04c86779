// What is counted, and the figures for Prometheus on a port of their own, so that no user of the public one
// sees them. With several workers the process that keeps them answers, with the sum of what they counted.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter } from 'prom-client'
import { type MetricSamples, type Metrics, sumOf, writeFigures } from '../http/metrics.js'
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
  finding: {
    name: 'ishtirak_comparison_findings_total',
    help:
      'What the comparison with the provider found on one side only, or different, by what was made of ' +
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

const FIGURES = 'ishtirak:figures'

/** What a worker counted after its last report is lost when it dies: much less than a scrape's interval. */
const REPORT_MS = 1_000

/** In a worker: gives its figures to the process that keeps it. */
export function reportFigures(metrics: Metrics): void {
  const report = async () => {
    const figures = await metrics.figures()
    if (process.connected) process.send?.({ [FIGURES]: figures })
  }
  setInterval(() => void report(), REPORT_MS).unref()
}

/** In the process that keeps workers: what all of them counted, those that have ended included. */
export function collectFigures(): () => Promise<{ contentType: string; text: string }> {
  const latest = new Map<number, MetricSamples>()
  let ended: Promise<MetricSamples> = Promise.resolve([])
  cluster.on('message', (worker: Worker, message: unknown) => {
    const figures = figuresIn(message)
    // One that has ended is in the sum already.
    if (figures && !worker.isDead()) latest.set(worker.id, figures)
  })
  // Counters never go back: what a worker had counted stays. What it held, such as memory, is gone with it.
  cluster.on('exit', (worker) => {
    const counted = (latest.get(worker.id) ?? []).filter(({ type }) => String(type) !== 'gauge')
    latest.delete(worker.id)
    ended = ended.then((before) => sumOf([before, counted]))
  })
  return async () => writeFigures([await ended, ...latest.values()])
}

function figuresIn(message: unknown): MetricSamples | undefined {
  if (typeof message !== 'object' || message === null || !(FIGURES in message)) return undefined
  // Written by `reportFigures`, in a process of ours.
  return message[FIGURES] as MetricSamples
}
