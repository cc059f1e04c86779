// What is counted, under the names that /metrics publishes.
import { counter, type Metrics } from '../http/metrics.js'
import type { Count, Occurrence } from '../runtime/count.js'

type Definition = {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

const COUNTERS: Readonly<Record<Occurrence['name'], Definition>> = {
  settlement: {
    name: 'ishtirak_settlements_total',
    help: 'Reports of the provider, by what came of them',
    labels: ['outcome'],
  },
  provider_event: {
    name: 'ishtirak_provider_events_total',
    help: 'Webhooks received, by what was made of them',
    labels: ['result'],
  },
  checkout_opened: {
    name: 'ishtirak_checkouts_opened_total',
    help: 'Checkouts that the provider opened for us',
    labels: [],
  },
  event_delivery: {
    name: 'ishtirak_event_deliveries_total',
    help: 'Attempts to deliver an event to the platform, by outcome; endpoint_disabled: it was given up',
    labels: ['outcome'],
  },
  mail: {
    name: 'ishtirak_mails_total',
    help: 'Mail that was due, by what became of it',
    labels: ['outcome'],
  },
  finding: {
    name: 'ishtirak_comparison_findings_total',
    help: 'What the comparison with the provider found on one side only, or different, by what was made of it',
    labels: ['kind', 'outcome'],
  },
}

export function countIn(metrics: Metrics): Count {
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, definition]) => [name, counter(metrics, definition)]),
  )
  return ({ name, ...labels }) => counters.get(name)?.inc(labels)
}
